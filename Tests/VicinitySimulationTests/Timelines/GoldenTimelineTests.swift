import Foundation
import Testing
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

/// Whole runs, kept as text in `Golden`: what was checked once stays as it is until somebody changes it on
/// purpose.
///
/// With `VICINITY_WRITE_GOLDEN=1` the files are written instead of compared; the change is then read before
/// it is kept, and the statements beside it (`GoldenStatement`) must hold of it.
@Suite("Golden timelines")
struct GoldenTimelineTests {
  static var folder: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Golden")
  }

  @Test("Each scenario's timeline is the one that was checked", arguments: GoldenScenario.all.map(\.name))
  func isUnchanged(name: String) throws {
    let scenario = try #require(GoldenScenario.all.first { $0.name == name })
    let text = TimelineText.text(of: try scenario.run())
    let file = Self.folder.appendingPathComponent("\(name).txt")
    if ProcessInfo.processInfo.environment["VICINITY_WRITE_GOLDEN"] == "1" {
      try Data(text.utf8).write(to: file)
      return
    }
    let kept = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    let (old, new) = (kept.split(separator: "\n"), text.split(separator: "\n"))
    if let first = zip(old, new).enumerated().first(where: { $1.0 != $1.1 }) {
      Issue.record("\(name), line \(first.offset + 1): was \"\(first.element.0)\", is \"\(first.element.1)\"")
    }
    #expect(old.count == new.count, "\(name): \(old.count) lines before, \(new.count) now")
  }

  @Test("Every file belongs to a scenario")
  func files() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    #expect(names == GoldenScenario.all.map { $0.name + ".txt" }.sorted())
  }
}
