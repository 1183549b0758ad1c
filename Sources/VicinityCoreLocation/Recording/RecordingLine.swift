public import VicinityCrossings
public import VicinityGeodesy
public import VicinityMonitor

/// The phone that a recording is of.
public struct RecordedPhone: Hashable, Sendable {
  /// Another name for each phone, also for two of one kind.
  public var name: String
  /// Its model, as `iPhone17,1`, and the system's version. For whoever reads the file.
  public var model: String
  public var system: String

  public init(name: String, model: String, system: String) {
    self.name = name
    self.model = model
    self.system = system
  }
}

/// Some hours in which one thing was asked of a phone.
public struct RecordedRange: Hashable, Sendable, Codable {
  /// A name for all phones at the same time: those that were carried together, or lay side by side.
  public var run: String
  /// The route, which may be repeated on other days.
  public var outing: String
  /// The local day, as in 2026-06-01.
  public var day: String
  /// Whether the phone lies still all the time.
  public var isStationary: Bool
  /// The accuracy that the standard service is asked for; nil where it is off.
  public var accuracy: DesiredAccuracy?
  /// The distance filter, metres; nil for none.
  public var distanceFilter: Meters?

  public init(
    run: String, outing: String, day: String, isStationary: Bool, accuracy: DesiredAccuracy?,
    distanceFilter: Meters? = nil
  ) {
    self.run = run
    self.outing = outing
    self.day = day
    self.isStationary = isStationary
    self.accuracy = accuracy
    self.distanceFilter = distanceFilter
  }
}

/// One line of a recording: a time, a word, and what belongs to it, with commas between.
///
/// | word | after it |
/// | --- | --- |
/// | `phone` | name, model, system; the first line, and again when the app has been started again |
/// | `range` | run, outing, local day, `still` or `moving`, the accuracy or `off`, the distance filter or nothing |
/// | `end` | |
/// | `again` | ; the app has been started again, and goes on with the range |
/// | `battery` | the level, per cent |
/// | `fix` | latitude, longitude, horizontal accuracy, and the fix's own time; the line's is that of its delivery |
/// | `place` | latitude and longitude of the place where the phone lies |
/// | `trip`, `arrived` | |
/// | `fence` | latitude and longitude of the centre of a region of 100 m |
/// | `left` | ; the phone has told that it has left the region |
/// | `metrics` | what the system says of the app's day, as JSON in one line |
///
/// Times are seconds since 1970, lengths metres.
public struct RecordingLine: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    case phone(RecordedPhone)
    case range(RecordedRange)
    case end
    case again
    case battery(Double)
    case fix(Fix)
    case place(Coordinate)
    case trip
    case arrived
    case fence(Coordinate)
    case left
    case metrics(String)
  }

  public var time: Timestamp
  public var content: Content

  public init(_ content: Content, at time: Timestamp) {
    self.time = time
    self.content = content
  }
}

extension RecordingLine: CustomStringConvertible {
  /// The line, without an end of line. Commas and ends of lines in names become spaces.
  public var description: String {
    let fields: [String] =
      switch content {
      case .phone(let phone): ["phone", phone.name, phone.model, phone.system]
      case .range(let range):
        [
          "range", range.run, range.outing, range.day, range.isStationary ? "still" : "moving",
          range.accuracy?.rawValue ?? "off", range.distanceFilter.map { "\($0)" } ?? "",
        ]
      case .end: ["end"]
      case .again: ["again"]
      case .battery(let level): ["battery", "\(level)"]
      case .fix(let fix):
        [
          "fix", "\(fix.coordinate.latitude)", "\(fix.coordinate.longitude)", "\(fix.horizontalAccuracy)",
          "\(fix.time.seconds)",
        ]
      case .place(let place): ["place", "\(place.latitude)", "\(place.longitude)"]
      case .trip: ["trip"]
      case .arrived: ["arrived"]
      case .fence(let center): ["fence", "\(center.latitude)", "\(center.longitude)"]
      case .left: ["left"]
      // The last field, which may have commas.
      case .metrics(let text): ["metrics"] + [String(text.map { $0.isNewline ? " " : $0 })]
      }
    let isText = if case .metrics = content { true } else { false }
    let safe = isText ? fields : fields.map { String($0.map { $0.isNewline || $0 == "," ? " " : $0 }) }
    return (["\(time.seconds)"] + safe).joined(separator: ",")
  }

  /// Reads a line; nil for one that is none.
  public init?(_ line: Substring) {
    let fields = line.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count >= 2, let time = Self.time(fields[0]) else { return nil }
    func number(_ place: Int) -> Double? {
      guard place < fields.count, let number = Double(fields[place]), number.isFinite else { return nil }
      return number
    }
    func coordinate() -> Coordinate? {
      guard let latitude = number(2), let longitude = number(3) else { return nil }
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      return coordinate.isValid ? coordinate : nil
    }
    let content: Content?
    switch (fields[1], fields.count) {
    case ("phone", 5):
      content = .phone(
        RecordedPhone(name: String(fields[2]), model: String(fields[3]), system: String(fields[4])))
    case ("range", 8):
      content = Self.range(fields).map { .range($0) }
    case ("end", 2): content = .end
    case ("again", 2): content = .again
    case ("battery", 3):
      content = number(2).flatMap { (0...100).contains($0) ? .battery($0) : nil }
    case ("fix", 6):
      guard let place = coordinate(), let accuracy = number(4), let own = Self.time(fields[5]) else {
        return nil
      }
      content = .fix(Fix(time: own, coordinate: place, horizontalAccuracy: accuracy))
    case ("place", 4): content = coordinate().map { .place($0) }
    case ("trip", 2): content = .trip
    case ("arrived", 2): content = .arrived
    case ("fence", 4): content = coordinate().map { .fence($0) }
    case ("left", 2): content = .left
    case ("metrics", 3...): content = .metrics(fields[2...].joined(separator: ","))
    default: return nil
    }
    guard let content else { return nil }
    self.init(content, at: time)
  }

  private static func time(_ field: Substring) -> Timestamp? {
    guard let seconds = Double(field), seconds > 0, seconds < 1e11 else { return nil }
    return Timestamp(microseconds: Int64((seconds * 1e6).rounded()))
  }

  private static func range(_ fields: [Substring]) -> RecordedRange? {
    guard !fields[2].isEmpty, fields[5] == "still" || fields[5] == "moving" else { return nil }
    let accuracy = DesiredAccuracy(rawValue: String(fields[6]))
    guard accuracy != nil || fields[6] == "off" else { return nil }
    let filter = Double(fields[7])
    guard filter.map({ $0.isFinite }) ?? fields[7].isEmpty else { return nil }
    return RecordedRange(
      run: String(fields[2]), outing: String(fields[3]), day: String(fields[4]),
      isStationary: fields[5] == "still", accuracy: accuracy, distanceFilter: filter)
  }
}

/// What one phone has recorded: the lines of a file.
public struct PhoneRecording: Hashable, Sendable {
  public var lines: [RecordingLine]

  /// A line that is none: its number, from 1 on.
  public struct InvalidLine: Error, Hashable, Sendable {
    public var number: Int

    public init(number: Int) { self.number = number }
  }

  public init(lines: [RecordingLine] = []) { self.lines = lines }

  /// Reads a file's text. A last line without an end, which a process that was ended may have left, does not
  /// count.
  ///
  /// - Throws: ``InvalidLine``, also where the first line is not of a phone.
  public init(text: String) throws(InvalidLine) {
    lines = []
    var rows = text.split(separator: "\n", omittingEmptySubsequences: false)
    // What is behind the last end of line: nothing, or half a line.
    rows.removeLast()
    for (index, row) in rows.enumerated() where !row.isEmpty {
      guard let line = RecordingLine(row) else { throw InvalidLine(number: index + 1) }
      lines.append(line)
    }
    guard case .phone? = lines.first?.content else { throw InvalidLine(number: 1) }
  }
}
