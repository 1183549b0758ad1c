/// An Android phone's `power_profile.xml`: the currents of its components according to the manufacturer,
/// milliamperes.
///
///     <device name="Android">
///       <item name="battery.capacity">3220</item>
///       <array name="gps.signalqualitybased"> <value>30</value> <value>10</value> </array>
///     </device>
///
/// Names and meanings are those of *Android Open Source Project, Measuring power values*
/// (source.android.com/docs/core/power/values). As in Android, the later of two entries of a name holds.
/// Other elements within the device are ignored with their content.
///
/// The scanner is for this format only: it knows elements, attributes, comments and processing instructions.
/// Document types, and so entities, are refused; nothing outside the file is ever opened.
public struct PowerProfile: Hashable, Sendable {
  /// The greatest size of a file; those of known phones have some thirty thousand bytes.
  package static let maximumByteCount = 1 << 20
  package static let maximumValueCount = 10_000
  /// The greatest value; frequencies in kilohertz are among them.
  package static let maximumValue = 1e9

  /// The values by name; a single one for an item.
  public let values: [String: [Double]]

  ///
  /// - Throws: The first error, with its line.
  /// - Complexity: O(bytes)
  public init(xml: [UInt8]) throws(PowerProfileError) {
    guard xml.count <= Self.maximumByteCount else {
      throw .tooLarge(byteCount: xml.count, limit: Self.maximumByteCount)
    }
    var reader = PowerProfileReader(xml)
    values = try reader.read()
  }

  /// The value of an item; nil when there is none, and for arrays.
  public func item(_ name: String) -> Double? {
    guard let values = values[name], values.count == 1 else { return nil }
    return values[0]
  }
}

/// Reads the items and arrays of a power profile.
struct PowerProfileReader {
  private var scanner: XMLScanner
  private var values: [String: [Double]] = [:]
  private var count = 0
  /// The open item or array, and the text of the open value.
  private var name: String?
  private var array: [Double]?
  private var text: [UInt8] = []
  private var open: [ArraySlice<UInt8>] = []
  /// How many of the open elements are ignored.
  private var ignoredDepth = 0

  init(_ bytes: [UInt8]) { scanner = XMLScanner(bytes) }

  mutating func read() throws(PowerProfileError) -> [String: [Double]] {
    var isOver = false
    while let token = try scanner.next() {
      switch token {
      case .text(let bytes):
        if open.isEmpty {
          guard bytes.allSatisfy(XMLScanner.isSpace) else {
            throw scanner.malformed("text outside the device")
          }
        } else if ignoredDepth == 0, takesText {
          guard text.count + bytes.count <= 200 else { throw scanner.malformed("too long for a number") }
          text += bytes
        }
      case .start(let element, let attribute, let isEmpty):
        if open.isEmpty {
          guard !isOver, element.elementsEqual("device".utf8) else {
            throw scanner.malformed("the root is not one device")
          }
        }
        guard open.count < 32 else { throw scanner.tooMany("elements within one another", 32) }
        open.append(element)
        try begin(element, attribute)
        if isEmpty { try end() }
      case .end(let element):
        guard let last = open.last, last == element else {
          throw scanner.malformed("</\(String(decoding: element.prefix(40), as: UTF8.self))> closes nothing")
        }
        try end()
      }
      if open.isEmpty, case .text = token { continue }
      isOver = open.isEmpty
    }
    guard open.isEmpty else { throw scanner.malformed("the file ends within an element") }
    guard isOver else { throw scanner.malformed("no device") }
    return values
  }

  /// Whether text is part of a value: in an item, or in a value of an array.
  private var takesText: Bool { open.count == (array == nil ? 2 : 3) && name != nil }

  private mutating func begin(_ element: ArraySlice<UInt8>, _ attribute: ArraySlice<UInt8>?)
    throws(PowerProfileError)
  {
    if ignoredDepth > 0 {
      ignoredDepth += 1
      return
    }
    switch open.count {
    case 1: return
    case 2 where element.elementsEqual("item".utf8) || element.elementsEqual("array".utf8):
      guard let attribute, !attribute.isEmpty, attribute.count <= 200 else {
        throw scanner.malformed("an item or array without a name")
      }
      name = String(decoding: attribute, as: UTF8.self)
      array = element.elementsEqual("array".utf8) ? [] : nil
      text = []
    case 3 where array != nil && element.elementsEqual("value".utf8): text = []
    default: ignoredDepth = 1
    }
  }

  private mutating func end() throws(PowerProfileError) {
    defer { open.removeLast() }
    if ignoredDepth > 0 {
      ignoredDepth -= 1
      return
    }
    guard let name else { return }
    switch open.count {
    case 2:
      values[name] = if let array { array } else { [try number(name)] }
      self.name = nil
      array = nil
    case 3:
      let value = try number(name)
      array?.append(value)
    default: return
    }
  }

  private mutating func number(_ name: String) throws(PowerProfileError) -> Double {
    count += 1
    guard count <= PowerProfile.maximumValueCount else {
      throw scanner.tooMany("values", PowerProfile.maximumValueCount)
    }
    let trimmed = text.drop(while: XMLScanner.isSpace)
    let digits = trimmed.prefix { !XMLScanner.isSpace($0) }
    let string = String(decoding: digits, as: UTF8.self)
    let isNumber =
      !digits.isEmpty && trimmed.dropFirst(digits.count).allSatisfy(XMLScanner.isSpace)
      && digits.allSatisfy { "0123456789.+-eE".utf8.contains($0) }
    guard isNumber, let value = Double(string) else {
      throw .notANumber(
        line: scanner.line, name: name, text: String(decoding: text.prefix(40), as: UTF8.self))
    }
    guard (0...PowerProfile.maximumValue).contains(value) else {
      throw .outOfRange(line: scanner.line, name: name, value: value)
    }
    return value
  }
}
