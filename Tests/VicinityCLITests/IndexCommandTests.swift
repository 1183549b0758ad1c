import Foundation
import Testing
import VicinityTestSupport

@testable import VicinityCLI

/// `vicinity index` and `vicinity info`, and queries of what they make.
@Suite struct IndexCommandTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    var regions = "id,latitude,longitude,radius\n"
    for i in 0..<300 { regions += "r\(i),\(Double(i * 7919 % 18000) / 100 - 90),\(i * 104_729 % 360),\(i)\n" }
    try directory.write(regions, to: "regions.csv")
  }

  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun(arguments, in: directory.url)
  }

  @Test func indexAnswersAsItsFile() throws {
    let built = try run("index", "regions.csv", "--output", "regions.vicinity")
    #expect(built.status == 0)
    #expect(built.output.isEmpty)
    #expect(built.errors.hasPrefix("vicinity: note: wrote regions.vicinity: 300 regions, "))
    #expect(directory.names == ["regions.csv", "regions.vicinity"])
    let direct = try run("nearest", "regions.csv", "--at", "10,20", "--format", "csv")
    let indexed = try run("nearest", "regions.vicinity", "--at", "10,20", "--format", "csv")
    #expect(indexed.status == 0)
    #expect(indexed.output == direct.output)
    #expect(
      try run("nearest", "regions.vicinity", "--at", "10,20", "-f", "csv", "--no-verify").output
        == direct.output)
    let geojson = try run("nearest", "regions.vicinity", "--at", "10,20", "-f", "geojson")
    _ = try JSONSerialization.jsonObject(with: Data(geojson.output.utf8))
  }

  @Test func sameInputSameBytes() throws {
    #expect(try run("index", "regions.csv", "-o", "a.vicinity", "--jobs", "1").status == 0)
    #expect(try run("index", "regions.csv", "-o", "b.vicinity", "--jobs", "3").status == 0)
    let a = try Data(contentsOf: directory.url.appendingPathComponent("a.vicinity"))
    #expect(try a == Data(contentsOf: directory.url.appendingPathComponent("b.vicinity")))
    // An index is a file of regions too.
    #expect(try run("index", "a.vicinity", "-o", "c.vicinity").status == 0)
    #expect(try a == Data(contentsOf: directory.url.appendingPathComponent("c.vicinity")))
    let itself = try run("index", "a.vicinity", "-o", "a.vicinity")
    #expect(itself.status == 1 && itself.errors.contains("overwrite"))
  }

  @Test func infoDescribes() throws {
    _ = try run("index", "regions.csv", "-o", "regions.vicinity")
    let table = try run("info", "regions.vicinity", "--verify")
    #expect(table.status == 0)
    for line in [
      "regions                  300", "radius, largest          299.000 m",
      "checksums                verified",
    ] {
      #expect(table.output.contains(line), "\(table.output)")
    }
    let json = try run("info", "regions.vicinity", "--no-verify", "--format", "json")
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(object?["circles"] as? Int == 300)
    #expect(object?["checksums"] as? String == "not checked")
  }

  @Test func emptyIndex() throws {
    try directory.write("id,latitude,longitude,radius\n", to: "empty.csv")
    let built = try run("index", "empty.csv", "-o", "empty.vicinity")
    #expect(built.status == 0)
    #expect(built.errors.contains("no regions (empty.csv)") && built.errors.contains(": 0 regions"))
    #expect(try run("info", "empty.vicinity").status == 0)
    let nearest = try run("nearest", "empty.vicinity", "--at", "1,2", "-f", "csv")
    #expect(nearest.status == 0)
    #expect(nearest.output == "query,rank,region,boundary_distance,centre_distance\n")
  }

  @Test func damageIsFound() throws {
    _ = try run("index", "regions.csv", "-o", "regions.vicinity")
    let whole = try Data(contentsOf: directory.url.appendingPathComponent("regions.vicinity"))
    let damaged = directory.url.appendingPathComponent("damaged.vicinity")
    for place in [whole.count / 3, whole.count / 2, whole.count - 1] {
      var bytes = whole
      bytes[place] ^= 0x10
      try bytes.write(to: damaged)
      for arguments in [["nearest", "damaged.vicinity", "--at", "1,2"], ["info", "damaged.vicinity"]] {
        let run = try CommandRun(arguments, in: directory.url)
        #expect(run.status == 1, "byte \(place)")
        #expect(run.errors.hasPrefix("vicinity: error: ") && run.errors.contains("damaged.vicinity"))
      }
    }
    for length in [9, 64, whole.count / 2, whole.count - 1] {
      try whole.prefix(length).write(to: damaged)
      for arguments in [
        ["nearest", "damaged.vicinity", "--at", "1,2", "--no-verify"], ["info", "damaged.vicinity"],
      ] {
        let run = try CommandRun(arguments, in: directory.url)
        #expect(run.status == 1, "length \(length)")
        #expect(run.output.isEmpty && run.errors.hasPrefix("vicinity: error: "))
      }
    }
  }

  /// Contents that no checksum finds: `info` does not call them verified, no command believes them, and
  /// without verification every command ends in its own way.
  @Test func hostileContentsAreFound() throws {
    try directory.write(
      "device,time,latitude,longitude\n"
        + (0..<30).map {
          "a,2024-05-01T08:\($0 + 10):00Z,\(Double($0) / 100 - 0.1),\(Double($0) / 50 - 0.3)\n"
        }.joined(),
      to: "track.csv")
    _ = try run("index", "regions.csv", "-o", "regions.vicinity")
    let whole = [UInt8](try Data(contentsOf: directory.url.appendingPathComponent("regions.vicinity")))
    let commands = [
      ["nearest", "hostile.vicinity", "--at", "1,2"],
      ["events", "hostile.vicinity", "--tracks", "track.csv", "--max-gap", "3600"],
      ["plan", "hostile.vicinity", "--track", "track.csv"],
      ["simulate", "hostile.vicinity", "--track", "track.csv", "--policy", "monitor-slots"],
      ["index", "hostile.vicinity", "--output", "copy.vicinity"],
    ]
    // The half extents in z of the root's boxes, and the largest radii below.
    for (row, value) in [(320, Float(3.4e38)), (384, .infinity)] {
      var bytes = whole
      for lane in 0..<16 where bytes[1024 + 448 + 4 * lane + 3] != 0xFF {
        for i in 0..<4 {
          bytes[1024 + row + 4 * lane + i] = UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(8 * i))
        }
      }
      IndexBytes.reseal(&bytes)
      try directory.write(bytes, to: "hostile.vicinity")
      let info = try run("info", "hostile.vicinity")
      #expect(info.status == 1)
      #expect(info.output.contains("checksums                damaged: "), "\(info.output)")
      for arguments in commands {
        let refused = try CommandRun(arguments, in: directory.url)
        #expect(refused.status == 1, "\(arguments)")
        #expect(
          refused.errors.hasPrefix("vicinity: error: damaged index: ")
            && refused.errors.hasSuffix(" (hostile.vicinity)\n"), "\(refused.errors)")
        let unverified = try CommandRun(arguments + ["--no-verify"], in: directory.url)
        #expect(unverified.reason == .exit, "\(arguments): \(unverified.status)")
        #expect([0, 1].contains(unverified.status), "\(arguments): \(unverified.errors)")
      }
    }
  }

  /// A file that is cut short while it is mapped ends the command by a sentence, and not by a signal.
  @Test func aFileCutShortIsAnError() throws {
    var regions = "id,latitude,longitude,radius\n"
    for i in 0..<2000 { regions += "r\(i),\(Double(i % 50) / 100),\(Double(i / 50) / 100),300\n" }
    try directory.write(regions, to: "many.csv")
    _ = try run("index", "many.csv", "-o", "many.vicinity")
    for length in [0, 4096] as [UInt64] {
      try? FileManager.default.removeItem(atPath: directory.path("cut.vicinity"))
      try FileManager.default.copyItem(
        atPath: directory.path("many.vicinity"), toPath: directory.path("cut.vicinity"))
      let process = try CommandRun.process(
        ["events", "cut.vicinity", "--tracks", "-", "--follow"], in: directory.url)
      let (input, output, errors) = (Pipe(), Pipe(), Pipe())
      process.standardInput = input
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      // Into a region: once the event is there, the index is open.
      func fix(_ second: Int, _ latitude: Double) -> Data {
        Data("a,\(1_700_000_000 + second),\(latitude),0.2\n".utf8)
      }
      try input.fileHandleForWriting.write(
        contentsOf: Data("device,time,latitude,longitude\n".utf8) + fix(0, 0.0999) + fix(10, 0.104)
          + fix(20, 0.11))
      var text = ""
      while text.split(separator: "\n").count < 2 {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
      }
      let file = try FileHandle(forWritingTo: directory.url.appendingPathComponent("cut.vicinity"))
      try file.truncate(atOffset: length)
      try file.close()
      for i in 1..<40 {
        try? input.fileHandleForWriting.write(contentsOf: fix(20 + 10 * i, 0.11 + 0.009 * Double(i)))
      }
      try? input.fileHandleForWriting.close()
      let messages = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      #expect(
        process.terminationReason == .exit && process.terminationStatus == 1, "\(process.terminationStatus)")
      #expect(
        messages.hasSuffix(
          "vicinity: error: the index file was cut short while it was read (cut.vicinity)\n"),
        "\(messages)")
    }
  }

  @Test func wrongFiles() throws {
    let text = try run("info", "regions.csv")
    #expect(text.status == 1)
    #expect(text.errors == "vicinity: error: not an index file; vicinity index makes one (regions.csv)\n")
    #expect(try run("info", "none.vicinity").errors == "vicinity: error: no such file (none.vicinity)\n")
    #expect(try run("info", ".").status == 1)
    _ = try run("index", "regions.csv", "-o", "regions.vicinity")
    let layer = try run("nearest", "regions.vicinity", "--at", "1,2", "--layer", "x")
    #expect(layer.status == 64)
    #expect(layer.errors.contains("--layer has no effect on a finished index"))
  }
}
