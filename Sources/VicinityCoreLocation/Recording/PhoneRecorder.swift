public import VicinityCrossings
public import VicinityGeodesy
public import VicinityMonitor

/// Writes down what a phone does, so that `vicinity-calibrate` can fit a profile to it: when positions come
/// and how good they are, how late it tells that a region has been left, and what its battery loses
/// meanwhile.
///
///     var recorder = PhoneRecorder(phone, at: clock.now, write: write)
///     device.perform(recorder.begin(range, at: clock.now))
///     for await input in device.inputs { recorder.receive(input, at: clock.now) }
///
/// It has a device of its own, as a monitor has: the commands that it returns are for that, and what the
/// device tells is for ``receive(_:at:)``. The same code records a phone and a simulated one. It is a plain
/// value; times are given to it.
public struct PhoneRecorder: Sendable {
  /// The radius of the region whose exits are timed, metres: that of the measurements that
  /// `vicinity-calibrate` knows.
  public static let fenceRadius: Meters = 100
  private static let slot = "fence"

  /// What is being recorded; nil between two ranges.
  public private(set) var range: RecordedRange?
  /// The centre of the region whose exit is waited for; nil for none. To be stored with ``range``, for
  /// ``resume(_:fence:at:)``.
  public private(set) var fence: Coordinate?
  /// What has been written last, so that a phone that stays at a level does not fill the file.
  private var battery: (level: Double, time: Timestamp)?
  /// The same level is written again after this time.
  private static let batteryInterval = Duration.seconds(300)
  private let write: @Sendable (String) -> Void

  /// - Parameters:
  ///   - phone: The phone, and its first line.
  ///   - time: When it begins.
  ///   - write: Gets each line, without its end, to be added to the file at once: the process may be ended at
  ///     any time.
  public init(_ phone: RecordedPhone, at time: Timestamp, write: @escaping @Sendable (String) -> Void) {
    self.write = write
    note(.phone(phone), at: time)
  }

  private func note(_ content: RecordingLine.Content, at time: Timestamp) {
    write(RecordingLine(content, at: time).description)
  }

  // MARK: Ranges

  /// Begins to record, in place of what was recorded before.
  ///
  /// - Returns: What the device is asked for.
  public mutating func begin(_ range: RecordedRange, at time: Timestamp) -> [DeviceCommand] {
    let commands = end(at: time)
    self.range = range
    battery = nil
    note(.range(range), at: time)
    return commands + Self.updates(of: range, at: time)
  }

  /// Has the device deliver a range's positions.
  ///
  /// One is asked for on its own too: whenever the app comes to the front, a phone delivers one of the
  /// accuracy that it was last asked for so, which is noted among the range's.
  private static func updates(of range: RecordedRange, at time: Timestamp) -> [DeviceCommand] {
    guard let accuracy = range.accuracy else { return [] }
    return [
      .startUpdates(accuracy, distanceFilter: range.distanceFilter ?? 0),
      .requestFix(by: time, accuracy: accuracy),
    ]
  }

  /// Ends what is being recorded; nothing happens where nothing is.
  ///
  /// - Returns: What the device is asked for.
  public mutating func end(at time: Timestamp) -> [DeviceCommand] {
    guard let range = self.range.take() else { return [] }
    note(.end, at: time)
    var commands: [DeviceCommand] = range.accuracy == nil ? [] : [.stopUpdates, .allowSleep]
    if fence != nil { commands.append(.unregister(identifier: Self.slot)) }
    fence = nil
    return commands
  }

  /// Goes on with what was recorded when the process before this one ended.
  ///
  /// - Parameters:
  ///   - range: What was being recorded.
  ///   - fence: The centre of the region whose exit was waited for; nil for none.
  ///   - time: The present time.
  /// - Returns: What the device is asked for.
  public mutating func resume(_ range: RecordedRange, fence: Coordinate?, at time: Timestamp)
    -> [DeviceCommand]
  {
    (self.range, self.fence, battery) = (range, fence, nil)
    note(.again, at: time)
    return (fence.map { [.adopt(Self.slot(around: $0))] } ?? []) + Self.updates(of: range, at: time)
  }

  private static func slot(around center: Coordinate) -> Slot {
    Slot(identifier: slot, condition: .circle(center: center, radius: fenceRadius))
  }

  // MARK: What the device tells

  /// Notes an input: a fix with its delay, or that the region has been left. Others are of no interest, nor
  /// is a fix while the service is off, such as a phone delivers when its app comes to the front.
  ///
  /// - Parameters:
  ///   - input: What the phone told the monitor.
  ///   - time: When it came.
  public mutating func receive(_ input: MonitorInput, at time: Timestamp) {
    guard let range else { return }
    switch input {
    case .fix(let fix) where fix.horizontalAccuracy >= 0 && range.accuracy != nil: note(.fix(fix), at: time)
    case .slot(let report)
    where report.identifier == Self.slot && report.state == .unsatisfied && fence != nil:
      note(.left, at: time)
      fence = nil
    default: break
    }
  }

  /// Notes the battery's level.
  ///
  /// - Parameters:
  ///   - level: Per cent, 0 to 100; others, as of a phone that does not know, are left out.
  ///   - time: When it was read.
  public mutating func battery(_ level: Double, at time: Timestamp) {
    guard range != nil, (0...100).contains(level) else { return }
    if let battery, battery.level == level, battery.time.advanced(by: Self.batteryInterval) > time { return }
    battery = (level, time)
    note(.battery(level), at: time)
  }

  // MARK: What the user tells

  /// Notes the place where the phone lies, as its user knows it: the truth that its positions are compared
  /// with.
  public func lies(at place: Coordinate, at time: Timestamp) {
    if range != nil { note(.place(place), at: time) }
  }

  /// Notes that a trip begins.
  public func tripBegins(at time: Timestamp) { if range != nil { note(.trip, at: time) } }

  /// Notes that it has ended.
  public func tripEnds(at time: Timestamp) { if range != nil { note(.arrived, at: time) } }

  /// Watches a region of 100 m around a place, to time its exit.
  ///
  /// - Returns: What the device is asked for.
  public mutating func watch(around center: Coordinate, at time: Timestamp) -> [DeviceCommand] {
    guard range != nil else { return [] }
    note(.fence(center), at: time)
    fence = center
    return [.register(Self.slot(around: center))]
  }

  /// Notes what the system says of the app's day, as `MXMetricPayload.jsonRepresentation()`. It is kept for
  /// whoever reads the file; `vicinity-calibrate` does not use it.
  public func metrics(_ json: String, at time: Timestamp) { note(.metrics(json), at: time) }
}
