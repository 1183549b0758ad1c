/// One NMEA 0183 sentence: its address and fields, as ranges of the line.
struct NMEASentence {
  /// The sentences that carry a time or a position.
  enum Kind: Int {
    case gga, gns, rmc, gll, zda
  }

  enum Reading {
    /// A sentence of a kind that is read.
    case sentence(NMEASentence)
    /// Anything else: a comment, another sentence.
    case other
    /// A sentence of a kind that is read, with something wrong with it.
    case fault(String)
  }

  static let maximumFields = 24

  let kind: Kind
  /// Whether it has a checksum, which is then right.
  private(set) var isChecked = false
  /// The two letters that say what sent it.
  let talker: (UInt8, UInt8)
  private var starts = InlineArray<25, Int>(repeating: 0)
  private(set) var fieldCount = 0

  /// Reads a line: from its dollar to the checksum; what comes before and after is left alone.
  static func read(_ line: UnsafeBufferPointer<UInt8>, ignoresChecksums: Bool) -> Reading {
    guard let dollar = unsafe line.lastIndex(of: UInt8(ascii: "$")), line.count - dollar > 6,
      unsafe line[dollar + 6] == UInt8(ascii: ",")
    else { return .other }
    guard let kind = unsafe kind(line[dollar + 3], line[dollar + 4], line[dollar + 5]) else { return .other }
    let body = unsafe line[(dollar + 1)...]
    let end = unsafe body.firstIndex(of: UInt8(ascii: "*")) ?? line.endIndex
    if end < line.endIndex, !ignoresChecksums {
      let sum = unsafe body[..<end].reduce(UInt8(0), ^)
      guard end + 2 < line.endIndex, let high = unsafe hexadecimal(line[end + 1]),
        let low = unsafe hexadecimal(line[end + 2])
      else { return .fault("the checksum is incomplete") }
      let stated = high << 4 | low
      guard stated == sum else {
        return .fault("the checksum is \(shown(stated)), the sentence's \(shown(sum)): it is damaged")
      }
    }
    var sentence = NMEASentence(kind: kind, talker: unsafe (line[dollar + 1], line[dollar + 2]))
    sentence.isChecked = end < line.endIndex
    sentence.starts[0] = dollar + 7
    sentence.fieldCount = 1
    for i in (dollar + 7)..<max(end, dollar + 7) where unsafe line[i] == UInt8(ascii: ",") {
      guard sentence.fieldCount < maximumFields else { return .fault("more fields than a sentence can have") }
      sentence.starts[sentence.fieldCount] = i + 1
      sentence.fieldCount += 1
    }
    sentence.starts[sentence.fieldCount] = end + 1
    return .sentence(sentence)
  }

  private init(kind: Kind, talker: (UInt8, UInt8)) {
    self.kind = kind
    self.talker = talker
  }

  /// The bytes of field `index`, counted from 0 behind the address; empty where there is none.
  func field(_ index: Int, of line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard index >= 0, index < fieldCount else { return unsafe UnsafeBufferPointer(rebasing: line[0..<0]) }
    let end = min(max(starts[index + 1] - 1, starts[index]), line.count)
    let start = min(starts[index], end)
    return unsafe TextCheck.trimmed(
      UnsafeBufferPointer(rebasing: line[start..<end].prefix { $0 != CSVScanner.carriageReturn }))
  }

  private static func kind(_ a: UInt8, _ b: UInt8, _ c: UInt8) -> Kind? {
    switch (a, b, c) {
    case (UInt8(ascii: "G"), UInt8(ascii: "G"), UInt8(ascii: "A")): .gga
    case (UInt8(ascii: "G"), UInt8(ascii: "N"), UInt8(ascii: "S")): .gns
    case (UInt8(ascii: "R"), UInt8(ascii: "M"), UInt8(ascii: "C")): .rmc
    case (UInt8(ascii: "G"), UInt8(ascii: "L"), UInt8(ascii: "L")): .gll
    case (UInt8(ascii: "Z"), UInt8(ascii: "D"), UInt8(ascii: "A")): .zda
    default: nil
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func shown(_ sum: UInt8) -> String {
    let text = String(sum, radix: 16, uppercase: true)
    return text.utf8.count < 2 ? "0" + text : text
  }
}
