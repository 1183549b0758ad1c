import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityIndex

/// What `info` says about an index file.
struct IndexDescription {
  enum Checksums: Equatable {
    case verified, notChecked
    case damaged(String)
  }

  let path: String
  let details: RegionIndex.Details
  let checksums: Checksums

  /// A table of two columns, for people.
  func table(style: TerminalStyle) -> [UInt8] {
    var lines: [(String, String)] = [
      ("file", VisibleText.of(path)),
      ("format version", String(details.formatVersion)),
      ("size", "\(DecimalText.grouped(details.byteCount)) bytes"),
      ("regions", DecimalText.grouped(details.regionCount)),
      ("circles", DecimalText.grouped(details.circleCount)),
      ("polygons", DecimalText.grouped(details.polygonCount)),
    ]
    if let bounds = details.bounds {
      lines.append(
        ("centres, south to north", "\(Self.degrees(bounds.south)) to \(Self.degrees(bounds.north))"))
      lines.append(("centres, west to east", "\(Self.degrees(bounds.west)) to \(Self.degrees(bounds.east))"))
    }
    if let radii = details.radii {
      lines.append(("radius, smallest", Self.meters(radii.smallest)))
      lines.append(("radius, median", Self.meters(radii.median)))
      lines.append(("radius, 90th percentile", Self.meters(radii.percentile90)))
      lines.append(("radius, largest", Self.meters(radii.largest)))
    }
    for section in details.sections {
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

  /// An object with a member per line; sizes in bytes, angles in degrees, radii in metres.
  func json() -> [UInt8] {
    func object(_ members: [(String, Double)]?) -> String {
      members.map { JSONText.object($0.map { ($0, JSONText.literal($1)) }) } ?? "null"
    }
    let bounds = details.bounds.map {
      [("south", $0.south), ("west", $0.west), ("north", $0.north), ("east", $0.east)]
    }
    let radii = details.radii.map {
      [
        ("smallest", $0.smallest), ("median", $0.median), ("percentile_90", $0.percentile90),
        ("largest", $0.largest),
      ]
    }
    let sections = details.sections.map {
      JSONText.object([("name", JSONText.literal($0.name)), ("bytes", "\($0.byteCount)")])
    }
    let members = [
      ("file", JSONText.literal(path)), ("format_version", "\(details.formatVersion)"),
      ("bytes", "\(details.byteCount)"),
      ("regions", "\(details.regionCount)"), ("circles", "\(details.circleCount)"),
      ("polygons", "\(details.polygonCount)"), ("centres", object(bounds)), ("radius", object(radii)),
      ("sections", "[\(sections.joined(separator: ", "))]"), ("checksums", JSONText.literal(checksumText)),
    ]
    let lines = members.map { "  \"\($0)\": \($1)" }
    return Array("{\n\(lines.joined(separator: ",\n"))\n}\n".utf8)
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
