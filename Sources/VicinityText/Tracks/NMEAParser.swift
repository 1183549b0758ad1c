internal import VicinityCrossings
internal import VicinityGeodesy

/// Fixes of an NMEA 0183 log, from its lines in order.
///
/// The sentences of one time of day make one fix. Its coordinate comes from the first of GGA, GNS, RMC, GLL
/// that is present, and from several constellations together (GN) before a single one; speed and course come
/// from RMC. Its date is that of RMC or ZDA, or else the last one, plus one day where the clock falls back by
/// more than twelve hours. Dates are taken as they are written: a receiver whose week counter has rolled over
/// is off by 1024 weeks.
///
/// What the receiver itself calls no fix (quality 0, status V, mode N) is dropped and counted. NMEA states no
/// radius of uncertainty, so accuracy is 0, unknown.
struct NMEAParser: SequentialTrackParser {
  /// The sentences of one time of day.
  private struct Epoch {
    var time: Int64?
    var line = 0
    var rank = Int.max
    var coordinate: Coordinate?
    var coordinateFault: RowFault?
    var isInvalid = false
    var isNoPosition = false
    var hasPosition = false
    var date: Int64?
    var speed: MetersPerSecond = -1
    var course: Degrees = -1
    /// The kinds and talkers so far; when one of them repeats, the next epoch begins.
    var seen: [Int] = []
  }

  /// A knot in metres a second: 1852 m an hour.
  static let knot: MetersPerSecond = 1852.0 / 3600

  private let device: String
  private var epoch = Epoch()
  private var lastDate: Int64?
  private var lastTime: Int64 = 0

  private let ignoresChecksums: Bool
  /// Whether a sentence had a checksum: then a sentence without one is cut short.
  private var hasChecksums = false

  init(device: String, ignoresChecksums: Bool) {
    self.device = device
    self.ignoresChecksums = ignoresChecksums
  }

  static var takesWholeLines: Bool { true }

  var line = 1

  mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>, into rows: inout TrackRows) {
    unsafe CSVScanner.forEachLine(bytes) { text in
      unsafe parse(line: text, number: line - 1, into: &rows)
      line += 1
    }
  }

  /// Reads line `number`, counted from 0, and adds the fix that ends before it to `rows`.
  private mutating func parse(
    line: UnsafeBufferPointer<UInt8>, number: Int, into rows: inout TrackRows
  ) {
    switch unsafe NMEASentence.read(line, ignoresChecksums: ignoresChecksums) {
    case .other: return
    case .fault(let fault): rows.reject(number, RowFault(fault))
    case .sentence(let sentence):
      if hasChecksums, !sentence.isChecked, !ignoresChecksums {
        return rows.reject(number, "the checksum is missing where others have one: the sentence is cut short")
      }
      hasChecksums = hasChecksums || sentence.isChecked
      let timeText = unsafe sentence.field(sentence.kind == .gll ? 4 : 0, of: line)
      let time = unsafe NMEAFields.timeOfDay(timeText)
      if time == nil, !timeText.isEmpty {
        return rows.reject(number, "the time \(unsafe TextCheck.shown(timeText)) is not hhmmss")
      }
      let mark = (sentence.kind.rawValue << 16) | Int(sentence.talker.0) << 8 | Int(sentence.talker.1)
      if time != epoch.time || epoch.seen.contains(mark) { flush(into: &rows) }
      if epoch.seen.isEmpty {
        epoch.time = time
        epoch.line = number
      }
      epoch.seen.append(mark)
      unsafe read(sentence, line, number)
    }
  }

  mutating func finish(into rows: inout TrackRows) -> String? {
    flush(into: &rows)
    return nil
  }

  private mutating func read(_ sentence: NMEASentence, _ line: UnsafeBufferPointer<UInt8>, _ number: Int) {
    func field(_ index: Int) -> UnsafeBufferPointer<UInt8> { unsafe sentence.field(index, of: line) }
    switch sentence.kind {
    case .gga:
      let quality = unsafe field(5)
      if unsafe quality.isEmpty || quality.elementsEqual("0".utf8) { return invalidate(number) }
      unsafe readCoordinate(sentence, field(1), field(2), field(3), field(4), number)
    case .gns:
      let mode = unsafe field(5)
      if unsafe mode.allSatisfy({ $0 == UInt8(ascii: "N") }) { return invalidate(number) }
      unsafe readCoordinate(sentence, field(1), field(2), field(3), field(4), number)
    case .rmc:
      if let date = unsafe NMEAFields.date(field(8)) { epoch.date = epoch.date ?? date }
      let mode = unsafe field(11)
      guard unsafe field(1).elementsEqual("A".utf8), unsafe !mode.elementsEqual("N".utf8) else {
        return invalidate(number)
      }
      if let speed = unsafe NMEAFields.number(field(6)) { epoch.speed = speed * Self.knot }
      if let course = unsafe NMEAFields.number(field(7)) { epoch.course = course }
      unsafe readCoordinate(sentence, field(2), field(3), field(4), field(5), number)
    case .gll:
      guard unsafe field(5).elementsEqual("A".utf8) else { return invalidate(number) }
      unsafe readCoordinate(sentence, field(0), field(1), field(2), field(3), number)
    case .zda:
      if let date = unsafe NMEAFields.date(field(1), field(2), field(3)) { epoch.date = date }
    }
  }

  private mutating func invalidate(_ number: Int) {
    epoch.isInvalid = true
    if !epoch.hasPosition { epoch.line = number }
    epoch.hasPosition = true
  }

  private mutating func readCoordinate(
    _ sentence: NMEASentence, _ latitude: UnsafeBufferPointer<UInt8>,
    _ northSouth: UnsafeBufferPointer<UInt8>,
    _ longitude: UnsafeBufferPointer<UInt8>, _ eastWest: UnsafeBufferPointer<UInt8>, _ number: Int
  ) {
    let isCombined = sentence.talker == (UInt8(ascii: "G"), UInt8(ascii: "N"))
    let rank = sentence.kind.rawValue * 2 + (isCombined ? 0 : 1)
    guard rank < epoch.rank else { return }
    if !epoch.hasPosition { epoch.line = number }
    epoch.hasPosition = true
    let lat = unsafe NMEAFields.angle(
      latitude, northSouth, positive: UInt8(ascii: "N"), negative: UInt8(ascii: "S"))
    let lon = unsafe NMEAFields.angle(
      longitude, eastWest, positive: UInt8(ascii: "E"), negative: UInt8(ascii: "W"))
    guard let lat, let lon else {
      epoch.coordinateFault = "the sentence's latitude or longitude is missing or not ddmm.mmm"
      return
    }
    let coordinate = Coordinate(latitude: lat, longitude: lon)
    if OptionalMeasurement.isNoPosition(coordinate) {
      epoch.isNoPosition = true
      return
    }
    if let fault = CoordinateLimits.fault(coordinate) {
      epoch.coordinateFault = RowFault(fault)
      return
    }
    epoch.rank = rank
    epoch.coordinate = coordinate
  }

  private mutating func flush(into rows: inout TrackRows) {
    let epoch = self.epoch
    self.epoch = Epoch()
    self.epoch.seen = epoch.seen
    self.epoch.seen.removeAll(keepingCapacity: true)
    guard !epoch.seen.isEmpty else { return }
    var date = epoch.date
    if let time = epoch.time {
      if date == nil, let last = lastDate {
        date = lastTime - time > 43_200_000_000 ? last + 1 : last
      }
      lastDate = date
      lastTime = time
    }
    guard epoch.hasPosition else { return }
    if epoch.isInvalid {
      rows.invalidCount += 1
      return
    }
    if epoch.isNoPosition, epoch.coordinate == nil { return rows.dropPosition() }
    guard let coordinate = epoch.coordinate else {
      return rows.reject(epoch.line, epoch.coordinateFault ?? "the fix has no place")
    }
    guard let time = epoch.time else { return rows.reject(epoch.line, "the fix has no time") }
    guard let date else {
      return rows.reject(epoch.line, "the fix has a time but no date: no RMC or ZDA has come so far")
    }
    var fix = Fix(time: Timestamp(microseconds: date * 86_400_000_000 + time), coordinate: coordinate)
    rows.set(speed: epoch.speed, course: epoch.course, of: &fix)
    rows.append(fix, device: rows.number(of: device), number: epoch.line)
  }
}
