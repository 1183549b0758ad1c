import Foundation
import Testing

@testable import VicinityFormats

@Suite struct TrackFilesTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["b", "b/inner", "a", "geolife/000/Trajectory", "geolife/001/Trajectory", "empty"] {
      try FileManager.default.createDirectory(atPath: directory.file(name), withIntermediateDirectories: true)
    }
    for name in [
      "z.csv", "B.gpx", "a.csv.gz", "README.md", ".hidden.csv", "b/x.csv", "b/inner/y.nmea", "a/x.csv",
      "geolife/001/Trajectory/2.plt", "geolife/000/Trajectory/1.plt", "geolife/000/Trajectory/2.plt",
    ] {
      _ = try directory.write("x", to: name)
    }
  }

  func names(_ paths: [String]) throws -> [String] {
    try TrackFiles(paths.map(directory.file)).paths.map { String($0.dropFirst(directory.path.count + 1)) }
  }

  @Test func listsFoldersInTheOrderOfBytes() throws {
    #expect(try names(["b"]) == ["b/inner/y.nmea", "b/x.csv"])
    #expect(
      try names([""]).map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 } == [
        "B.gpx", "a/x.csv", "a.csv.gz", "b/inner/y.nmea", "b/x.csv", "geolife/000/Trajectory/1.plt",
        "geolife/000/Trajectory/2.plt", "geolife/001/Trajectory/2.plt", "z.csv",
      ])
    let files = try TrackFiles([directory.path])
    #expect(files.warnings.map(\.message) == ["1 file of other kinds left out"])
    #expect(files.byteCount == 9)
  }

  @Test func expandsPatternsAndKeepsTheCallersOrder() throws {
    #expect(try names(["z.csv", "*.gpx", "b/*.csv"]) == ["z.csv", "B.gpx", "b/x.csv"])
    #expect(try names(["?", "z.csv"]) == ["a/x.csv", "b/inner/y.nmea", "b/x.csv", "z.csv"])
    for path in ["nothing*", "missing.csv", "empty"] {
      #expect(throws: FormatError.self, "\(path)") { try names([path]) }
    }
  }

  @Test func readsWhatIsNamedTwiceOnce() throws {
    let paths = ["b/x.csv", "b", "b/../b/x.csv", "b/inner"].map(directory.file)
    let files = try TrackFiles(paths)
    #expect(files.paths == [directory.file("b/x.csv"), directory.file("b/inner/y.nmea")])
    #expect(files.warnings.map(\.message) == Array(repeating: "named twice; read once", count: 3))
    #expect(files.warnings.first?.place.path == directory.file("b/x.csv"))
    // A link with a name of its own stands for a device of its own.
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("b/again.csv"), withDestinationPath: directory.file("b/x.csv"))
    #expect(try TrackFiles([directory.file("b")]).files.map(\.device) == ["again", "y", "x"])
  }

  @Test func namesDevices() throws {
    func devices(_ paths: [String]) throws -> [String] {
      try TrackFiles(paths.map(directory.file)).files.map(\.device)
    }
    #expect(try devices(["geolife"]) == ["000", "000", "001"])
    #expect(try devices(["z.csv", "a.csv.gz", "B.gpx"]) == ["z", "a", "B"])
    // Names that repeat are told apart by their folders.
    #expect(try devices(["a", "b"]) == [directory.file("a/x"), "y", directory.file("b/x")])
    #expect(try TrackFiles(["-"]).files.map(\.device) == ["stdin"])
  }
}
