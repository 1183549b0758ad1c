internal import VicinityCrossings
internal import VicinityGeodesy

/// The track points of GPX 1.0 and 1.1, from bytes that arrive in pieces of any size.
///
/// Elements are recognised by their names without prefixes. Of a point these are read: latitude, longitude,
/// its `time`, and `speed` and `course` at any depth below it. Elements must be closed in order; the contents
/// of a DTD are ignored.
///
/// A segment (`trkseg`) is an unbroken span of points; between two of them, and between tracks, reception was
/// lost or the receiver was off. So the first fix of each but the first of a device's is marked as one that
/// follows a break.
struct GPXParser: SequentialTrackParser {
  private enum State {
    case text
    case tag
    case comment
    case characterData
    case instruction
    case declaration
  }

  private struct Point {
    var line: Int
    var depth: Int
    var latitude: [UInt8]?
    var longitude: [UInt8]?
    var time: [UInt8]?
    var speed: [UInt8]?
    var course: [UInt8]?
  }

  private static let maximumDepth = 256
  private static let longestTag = 1 << 20

  var line = 1
  private var lastByte: UInt8 = 0
  private let path: String
  private let device: String
  private let tracksAreDevices: Bool
  private var times: TimeParser
  private var state = State.text
  private var tag: [UInt8] = []
  private var quote: UInt8 = 0
  private var brackets = 0
  private var open: [[UInt8]] = []
  private var point: Point?
  private var text: [UInt8] = []
  private var keepsText = false
  private var tracks = 0
  /// Whether the current device has a fix, and whether a segment or track began behind its last one.
  private var hasFix = false
  private var isAfterBreak = false
  private var waypoints = 0
  private var routePoints = 0
  private var isClosed = false

  init(_ input: TrackInput) {
    path = input.path
    device = input.fallbackDevice
    tracksAreDevices = input.options.tracksAreDevices
    times = TimeParser(unit: input.options.timeUnit ?? .seconds, zone: input.options.zone)
  }

  static var takesWholeLines: Bool { false }

  /// - Throws: ``FormatError/library(_:message:)`` for elements that are not closed in order.
  mutating func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, into rows: inout TrackRows
  ) throws(FormatError) {
    for i in 0..<bytes.count {
      let byte = unsafe bytes[i]
      if byte == CSVScanner.carriageReturn
        || byte == CSVScanner.lineFeed && lastByte != CSVScanner.carriageReturn
      {
        line += 1
      }
      lastByte = byte
      switch state {
      case .text:
        if byte == UInt8(ascii: "<") {
          state = .tag
          tag.removeAll(keepingCapacity: true)
          quote = 0
        } else if keepsText {
          if text.count < 256 { text.append(byte) }
        }
      case .tag: try takeTag(byte, &rows)
      case .comment: if ends(byte, "--") { state = .text }
      case .characterData: if ends(byte, "]]") { state = .text }
      case .instruction: if ends(byte, "?") { state = .text }
      case .declaration:
        if byte == UInt8(ascii: "[") { brackets += 1 }
        if byte == UInt8(ascii: "]") { brackets -= 1 }
        if byte == UInt8(ascii: ">"), brackets <= 0 { state = .text }
      }
    }
  }

  /// - Throws: ``FormatError/library(_:message:)`` for a file that ends too early.
  func finish(into rows: inout TrackRows) throws(FormatError) -> String? {
    guard isClosed, open.isEmpty, state == .text else {
      throw fault("the file ends before its last element does")
    }
    let left = [
      (waypoints, "waypoint", "waypoints"), (routePoints, "point of a route", "points of routes"),
    ].filter { $0.0 > 0 }
    guard !left.isEmpty else { return nil }
    let words = left.map { DecimalText.count($0.0, $0.1, $0.2) }.joined(separator: " and ")
    return "\(words) \(waypoints + routePoints == 1 ? "is" : "are") not read; only tracks are"
  }

  private func fault(_ message: String) -> FormatError {
    .library(Diagnostic.Place(path: path, line: line), message: message)
  }

  /// Whether `byte` is the `>` that follows `mark` and so ends a comment or the like; `tag` holds the last
  /// bytes.
  private mutating func ends(_ byte: UInt8, _ mark: StaticString) -> Bool {
    let count = mark.utf8CodeUnitCount
    if byte == UInt8(ascii: ">"), tag.count == count {
      tag.removeAll(keepingCapacity: true)
      return true
    }
    let wanted = UInt8(ascii: count == 1 ? "?" : (state == .comment ? "-" : "]"))
    if byte != wanted {
      tag.removeAll(keepingCapacity: true)
    } else if tag.count < count {
      tag.append(byte)
    }
    return false
  }

  private mutating func takeTag(_ byte: UInt8, _ rows: inout TrackRows) throws(FormatError) {
    if quote != 0 {
      if byte == quote { quote = 0 }
      tag.append(byte)
    } else if byte == UInt8(ascii: ">") {
      state = .text
      try endTag(&rows)
    } else {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
      tag.append(byte)
      switch tag.count {
      case 1 where byte == UInt8(ascii: "?"): enter(.instruction)
      case 2 where tag[0] == UInt8(ascii: "!") && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "["):
        brackets = 0
        enter(.declaration)
      case 3 where tag.elementsEqual("!--".utf8): enter(.comment)
      case 8 where tag.elementsEqual("![CDATA[".utf8): enter(.characterData)
      default: break
      }
    }
    if tag.count > Self.longestTag { throw fault("an element of more bytes than can be right") }
  }

  private mutating func enter(_ state: State) {
    self.state = state
    tag.removeAll(keepingCapacity: true)
    quote = 0
  }

  private mutating func endTag(_ rows: inout TrackRows) throws(FormatError) {
    if tag.first == UInt8(ascii: "/") {
      try close(Array(tag.dropFirst().prefix { $0 > 0x20 }), &rows)
      return
    }
    let isEmpty = tag.last == UInt8(ascii: "/")
    let name = Array(tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") })
    guard !name.isEmpty, open.count < Self.maximumDepth, !(isClosed && open.isEmpty) else {
      throw fault("an element that cannot be here")
    }
    open.append(name)
    begin(Self.local(name))
    if isEmpty { try close(name, &rows) }
  }

  private static func local(_ name: [UInt8]) -> ArraySlice<UInt8> {
    (name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] }) ?? name[...]
  }

  private mutating func begin(_ name: ArraySlice<UInt8>) {
    keepsText = false
    if point != nil {
      keepsText =
        name.elementsEqual("time".utf8) || name.elementsEqual("speed".utf8)
        || name.elementsEqual("course".utf8)
      text.removeAll(keepingCapacity: true)
    } else if name.elementsEqual("trkpt".utf8) {
      point = Point(line: line, depth: open.count, latitude: attribute("lat"), longitude: attribute("lon"))
    } else if name.elementsEqual("trk".utf8) {
      tracks += 1
      isAfterBreak = true
      if tracksAreDevices { hasFix = false }
    } else if name.elementsEqual("trkseg".utf8) {
      isAfterBreak = true
    } else if name.elementsEqual("wpt".utf8) {
      waypoints += 1
    } else if name.elementsEqual("rtept".utf8) {
      routePoints += 1
    }
  }

  private mutating func close(_ name: [UInt8], _ rows: inout TrackRows) throws(FormatError) {
    guard open.last == name else {
      throw fault("</\(String(decoding: name.prefix(40), as: UTF8.self))> closes what is not open")
    }
    let depth = open.count
    if let point, depth == point.depth {
      finish(point, &rows)
      self.point = nil
    } else if keepsText, let point {
      let local = Self.local(name)
      if local.elementsEqual("time".utf8) {
        if depth == point.depth + 1 { self.point?.time = text }
      } else if local.elementsEqual("speed".utf8) {
        self.point?.speed = text
      } else {
        self.point?.course = text
      }
    }
    keepsText = false
    open.removeLast()
    if open.isEmpty { isClosed = true }
  }

  /// The value of an attribute of the current tag.
  private func attribute(_ name: String) -> [UInt8]? {
    let name = Array(name.utf8)
    var i = 0
    while i < tag.count, tag[i] > 0x20 { i += 1 }
    while i < tag.count {
      while i < tag.count, tag[i] <= 0x20 { i += 1 }
      let start = i
      while i < tag.count, tag[i] > 0x20, tag[i] != UInt8(ascii: "=") { i += 1 }
      let isWanted = tag[start..<i].elementsEqual(name)
      while i < tag.count, tag[i] != UInt8(ascii: "\""), tag[i] != UInt8(ascii: "'") { i += 1 }
      guard i < tag.count else { return nil }
      let quote = tag[i]
      i += 1
      let value = i
      while i < tag.count, tag[i] != quote { i += 1 }
      if isWanted { return Array(tag[value..<i]) }
      i += 1
    }
    return nil
  }

  private mutating func finish(_ point: Point, _ rows: inout TrackRows) {
    // Rows are counted from 0, lines from 1, and the chunk's first is the file's.
    let number = point.line - 1
    let coordinate = Coordinate(
      latitude: Self.number(point.latitude), longitude: Self.number(point.longitude))
    if OptionalMeasurement.isNoPosition(coordinate) { return rows.dropPosition() }
    if let fault = CoordinateLimits.fault(coordinate) {
      let isMissing = coordinate.latitude.isNaN || coordinate.longitude.isNaN
      return rows.reject(
        number, isMissing ? "the point's latitude or longitude is missing or no number" : RowFault(fault))
    }
    guard let text = point.time else { return rows.reject(number, "the point has no time") }
    let time = unsafe text.withUnsafeBufferPointer { unsafe times.parse(Self.trimmed($0)) }
    switch time {
    case .fault(let fault): rows.reject(number, fault)
    case .value(let time):
      var fix = Fix(time: time, coordinate: coordinate)
      rows.set(speed: Self.optional(point.speed), course: Self.optional(point.course), of: &fix)
      let name = rows.number(of: tracksAreDevices ? "\(device)/\(tracks)" : device)
      if isAfterBreak, hasFix {
        rows.appendAfterBreak(fix, device: name, number: number)
      } else {
        rows.append(fix, device: name, number: number)
      }
      hasFix = true
      isAfterBreak = false
    }
  }

  private static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    var start = 0
    var end = bytes.count
    while start < end, unsafe bytes[start] <= 0x20 { start += 1 }
    while end > start, unsafe bytes[end - 1] <= 0x20 { end -= 1 }
    return unsafe UnsafeBufferPointer(rebasing: bytes[start..<end])
  }

  /// A number that may be missing; infinite where it is no number.
  private static func optional(_ text: [UInt8]?) -> Double? {
    guard let text else { return nil }
    return unsafe text.withUnsafeBufferPointer { unsafe NumberScanner.optional(trimmed($0)) }
  }

  private static func number(_ text: [UInt8]?) -> Double {
    guard let text else { return .nan }
    return unsafe text.withUnsafeBufferPointer { unsafe NumberScanner.number(trimmed($0)) }
  }
}
