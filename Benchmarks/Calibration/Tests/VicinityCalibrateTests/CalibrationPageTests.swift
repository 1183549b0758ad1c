import Foundation
import Testing

@testable import VicinityCalibrate

/// The page for people who calibrate phones of their own names what the command reads, no more and no less.
@Suite struct CalibrationPageTests {
  @Test func namesFilesAndColumns() throws {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let page = try String(
      contentsOf: root.appending(
        path: "Sources/VicinityCalibration/VicinityCalibration.docc/MeasurementFiles.md"), encoding: .utf8)
    func names(_ text: some StringProtocol) -> [String] {
      let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
      return stride(from: 1, to: pieces.count, by: 2).map { String(pieces[$0]) }
    }
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(names)
    #expect(rows == MeasurementFolder.Table.allCases.map { [$0.rawValue] + $0.columns })
    let list = try #require(page.components(separatedBy: "\n\n").first { $0.hasPrefix("- `ranges.csv`") })
    let said = Set(names(list))
    let known = MeasurementFolder.Table.allCases.flatMap { $0.columns + [$0.rawValue] }
    let values = ["ios", "android", "calibration", "manual", "trip", "section", "mode", "woke"]
    let truths = ["reference", "ios_control", "android_control", "site"]
    let wanted = MeasurementFolder.begins.union(MeasurementFolder.ends).union(truths).union(values)
      .union(MeasurementFolder.accuracies.keys).union(MeasurementFolder.ways.keys)
    #expect(wanted.subtracting(said).isEmpty)
    #expect(said.subtracting(wanted).subtracting(known).isEmpty)
  }
}
