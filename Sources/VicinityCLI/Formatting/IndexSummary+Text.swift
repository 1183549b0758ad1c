import VicinityFormats
import VicinityGeodesy

extension IndexSummary {
  /// Two columns: what, and how much.
  func table(style: TerminalStyle) -> [UInt8] {
    var lines: [(String, String)] = [
      ("file", DisplayText.visible(path)),
      ("format version", String(formatVersion)),
      ("size", "\(DecimalText.grouped(byteCount)) bytes"),
      ("regions", DecimalText.grouped(regionCount)),
      ("circles", DecimalText.grouped(circleCount)),
      ("polygons", DecimalText.grouped(polygonCount)),
    ]
    if let bounds {
      lines.append(
        ("centres, south to north", "\(Self.degrees(bounds.south)) to \(Self.degrees(bounds.north))"))
      lines.append(("centres, west to east", "\(Self.degrees(bounds.west)) to \(Self.degrees(bounds.east))"))
    }
    if let radii {
      lines.append(("radius, smallest", Self.meters(radii.smallest)))
      lines.append(("radius, median", Self.meters(radii.median)))
      lines.append(("radius, 90th percentile", Self.meters(radii.ninetiethPercentile)))
      lines.append(("radius, largest", Self.meters(radii.largest)))
    }
    for section in sections {
      lines.append(("section \(section.name)", "\(DecimalText.grouped(section.byteCount)) bytes"))
    }
    lines.append(("checksums", checksumText))
    let width = lines.map { DisplayText.width($0.0) }.max() ?? 0
    var text: [UInt8] = []
    for (name, value) in lines {
      let padding = String(repeating: " ", count: width - DisplayText.width(name) + 2)
      let (on, off) = style.usesColor ? ("\u{1B}[1m", "\u{1B}[0m") : ("", "")
      text.append(contentsOf: "\(on)\(name)\(off)\(padding)\(value)\n".utf8)
    }
    return text
  }

  /// One object; sizes in bytes, angles in degrees, radii in metres.
  func json() -> [UInt8] {
    var text: [UInt8] = []
    func key(_ name: String, first: Bool = false) {
      text.append(contentsOf: (first ? "{\n  \"" : ",\n  \"").utf8)
      text.append(contentsOf: "\(name)\": ".utf8)
    }
    func object(_ members: [(String, Double)]) {
      for (position, member) in members.enumerated() {
        text.append(contentsOf: "\(position == 0 ? "{" : ", ")\"\(member.0)\": ".utf8)
        JSONText.append(exactly: member.1, to: &text)
      }
      text.append(contentsOf: "}".utf8)
    }
    key("file", first: true)
    JSONText.append(path, to: &text)
    let numbers = [
      ("format_version", formatVersion), ("bytes", byteCount), ("regions", regionCount),
      ("circles", circleCount), ("polygons", polygonCount),
    ]
    for (name, value) in numbers {
      key(name)
      DecimalText.append(value, to: &text)
    }
    key("centres")
    if let bounds {
      object([
        ("south", bounds.south), ("west", bounds.west), ("north", bounds.north), ("east", bounds.east),
      ])
    } else {
      text.append(contentsOf: "null".utf8)
    }
    key("radius")
    if let radii {
      object([
        ("smallest", radii.smallest), ("median", radii.median),
        ("percentile_90", radii.ninetiethPercentile), ("largest", radii.largest),
      ])
    } else {
      text.append(contentsOf: "null".utf8)
    }
    key("sections")
    text.append(UInt8(ascii: "["))
    for (position, section) in sections.enumerated() {
      text.append(contentsOf: "\(position == 0 ? "" : ", "){\"name\": ".utf8)
      JSONText.append(section.name, to: &text)
      text.append(contentsOf: ", \"bytes\": \(section.byteCount)}".utf8)
    }
    text.append(UInt8(ascii: "]"))
    key("checksums")
    JSONText.append(checksumText, to: &text)
    text.append(contentsOf: "\n}\n".utf8)
    return text
  }

  private var checksumText: String {
    switch checksums {
    case .verified: "verified"
    case .notChecked: "not checked"
    case .damaged(let reason): "damaged: \(reason)"
    }
  }

  private static func degrees(_ value: Degrees) -> String { DecimalText.string(value, decimals: 6) }
  private static func meters(_ value: Meters) -> String { "\(DecimalText.string(value, decimals: 3)) m" }
}
