import Foundation
import Testing
import VicinityCrossings

@testable import VicinityFormats
@testable import VicinityText

/// The pages about formats name what the code knows, no more and no less.
@Suite struct FormatsPageTests {
  /// The pages, one after the other.
  static func page() throws -> String {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { url.deleteLastPathComponent() }
    return try ["Formats", "Columns", "TimesOfFixes"].map { name in
      try String(
        contentsOf: url.appendingPathComponent("Sources/VicinityFormats/VicinityFormats.docc/\(name).md"),
        encoding: .utf8)
    }.joined(separator: "\n\n")
  }

  /// What stands between backquotes.
  static func names(_ text: some StringProtocol) -> [String] {
    let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
    return stride(from: 1, to: pieces.count, by: 2).map { String(pieces[$0]) }
  }

  @Test func listsTheNamesOfColumns() throws {
    let page = try Self.page()
    var rows: [String: [String]] = [:]
    for line in page.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.count == 2 { rows[cells[0]] = Self.names(cells[1]) }
    }
    for (what, names) in [
      ("identifier of a region", FieldNames.identifier), ("identifier of a point", FieldNames.point),
      ("latitude", FieldNames.latitude), ("longitude", FieldNames.longitude), ("radius", FieldNames.radius),
      ("well-known text", FieldNames.wkt),
      ("well-known text in CSV without latitudes", FieldNames.geometryText), ("device", FieldNames.device),
      ("time", FieldNames.time),
      ("time in milliseconds", FieldNames.timeInMilliseconds),
      ("accuracy, metres", FieldNames.accuracy.names),
      ("units of accuracies", FieldNames.accuracy.units), ("speed, metres a second", FieldNames.speed.names),
      ("speed with its unit", FieldNames.speed.namesWithUnit), ("units of speeds", FieldNames.speed.units),
      ("course, degrees", FieldNames.course.names), ("units of courses", FieldNames.course.units),
    ] {
      #expect(rows[what] == names, "\(what)")
    }
  }

  @Test func listsOtherNames() throws {
    let paragraphs = try Self.page().components(separatedBy: "\n\n")
    func paragraph(_ words: String) throws -> [String] {
      Self.names(try #require(paragraphs.first { $0.contains(words) }, "\(words)"))
    }
    #expect(try paragraph("or a column without a name") == FieldNames.measurements.filter { !$0.isEmpty })
    #expect(try Set(paragraph("may mean other things").prefix(4)) == FieldNames.vagueDevice)
    #expect(try Set(paragraph("Of a folder of tracks")) == TrackFiles.extensions)
    #expect(try paragraph("These may open a file") == OGRDataset.drivers)
  }

  @Test("The table of formats has a row for each, and pages that list them list them all")
  func listsTheFormats() throws {
    let rows = try Self.page().split(separator: "\n").filter { $0.hasPrefix("| ") }
    let found = rows.map { $0.dropFirst(2) }.compactMap { row in
      InputKind.names(tracks: true, pipes: true).first { row.hasPrefix($0) }
    }
    // In its own order.
    #expect(Set(found) == Set(InputKind.names(tracks: true, pipes: true)))
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    for page in [
      "Vicinity/Vicinity.docc/CommandLine.md", "Vicinity/Vicinity.docc/Modules.md",
      "VicinityText/VicinityText.docc/VicinityText.md",
      "VicinityFormats/VicinityFormats.docc/VicinityFormats.md",
    ] {
      let text = try String(contentsOf: root.appendingPathComponent("Sources/\(page)"), encoding: .utf8)
      // In a sentence they go by their short names.
      for name in InputKind.names(tracks: true, pipes: true) {
        let short = name.replacingOccurrences(of: "GeoLife's ", with: "").replacingOccurrences(
          of: " 0183", with: "")
        #expect(text.contains(short), "\(page): \(name)")
      }
    }
  }

  @Test func listsTheWaysOfPacking() throws {
    let lines = try Self.page().split(separator: "\n")
    for compression in Compression.allCases {
      #expect(lines.contains { $0.hasPrefix("| \(compression.rawValue) | `\(compression.ending)` |") })
    }
    let limits = lines.joined(separator: "\n")
    #expect(limits.contains("a window of at most \(1 << (ZstdInflater.largestWindow - 20)) MiB"))
    #expect(limits.contains("at most \(XzInflater.memoryByteCount >> 20) MiB"))
    #expect(limits.contains("\(MemoryFile.mostBytes >> 30) GiB"))
    #expect(limits.contains("more than \(BlockReader.maximumRecordByteCount >> 20) MiB"))
    #expect(limits.contains("\(BlockReader.maximumTrackRowByteCount >> 20) MiB in tracks"))
  }

  @Test func listsTheUnitsOfTimesAndTheWordsForNothing() throws {
    let page = try Self.page()
    for unit in TimeUnit.allCases { #expect(page.contains("`\(unit.rawValue)`"), "\(unit)") }
    for word in OptionalMeasurement.absentWords where !word.isEmpty {
      #expect(page.contains("`\(word)`"), "\(word)")
    }
  }
}
