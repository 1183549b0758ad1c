import Foundation
import Synchronization
import Testing

@testable import VicinityCLI

/// `vicinity nearest` from the outside.
@Suite struct NearestCommandTests {
  private static let header = "query,rank,region,boundary_distance,centre_distance\n"
  private static let regions = """
    id,latitude,longitude,radius
    sydney,-33.9,151.2,100
    "say ""hi"", twice",-33.9,151.2,50
    שלום,48.2,16.4,0
    東京,35.7,139.7,1000

    """

  private let directory: TemporaryDirectory
  private let file: String

  init() throws {
    directory = try TemporaryDirectory()
    file = try directory.write(Self.regions, to: "regions.csv")
  }

  @Test(arguments: [["--at", "-33.9,151.2"], ["--at=-33.9,151.2"], ["--at", " -33.9 , 151.2 "]])
  func leadingMinus(position: [String]) throws {
    let run = try CommandRun(["nearest", file] + position + ["--count", "2", "--format", "csv"])
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    #expect(
      run.output == Self.header + """
        at,1,sydney,-100.000,0.000
        at,2,"say ""hi"", twice",-50.000,0.000

        """)
  }

  @Test func table() throws {
    let run = try CommandRun(["nearest", file, "--at", "-33.9,151.2", "--count", "2"])
    #expect(
      run.output == """
        rank  region           boundary (m)  centre (m)
           1  sydney               -100.000       0.000
           2  say "hi", twice       -50.000       0.000

        """)
  }

  @Test func pointsKeepTheirOrder() throws {
    let points = try directory.write(
      "id,latitude,longitude\nb,35.7,139.7\n\"a,1\",48.2,16.4\nb,-33.9,151.2\n", to: "points.csv")
    let arguments = ["nearest", file, "--points", points, "--count", "1", "--format", "csv"]
    let run = try CommandRun(arguments)
    let expected =
      Self.header + """
        b,1,東京,-1000.000,0.000
        "a,1",1,שלום,0.000,0.000
        b,1,sydney,-100.000,0.000

        """
    #expect(run.output == expected)
    let text = try String(contentsOfFile: points, encoding: .utf8)
    let piped = try CommandRun(["nearest", file, "--points", "-", "-c", "1", "-f", "csv"], input: text)
    #expect(piped.output == expected)
  }

  @Test func jsonAndGeoJSONReadBack() throws {
    let json = try CommandRun(["nearest", file, "--at", "-33.9,151.2", "--format", "json"])
    let queries = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    let neighbours = queries?.first?["neighbours"] as? [[String: Any]]
    #expect(queries?.first?["query"] as? String == "at")
    #expect(neighbours?.map { $0["rank"] as? Int } == [1, 2, 3, 4])
    #expect(neighbours?[2]["region"] as? String == "東京")
    let geojson = try CommandRun([
      "nearest", file, "--at", "-33.9,151.2", "--format", "geojson", "--outlines",
    ])
    let collection = try JSONSerialization.jsonObject(with: Data(geojson.output.utf8)) as? [String: Any]
    let features = collection?["features"] as? [[String: Any]]
    let geometry = features?.first?["geometry"] as? [String: Any]
    #expect(features?.count == 4)
    #expect(geometry?["coordinates"] as? [Double] == [151.2, -33.9])
  }

  @Test func distancesAndLimits() throws {
    func output(_ options: String...) throws -> String {
      try CommandRun(["nearest", file, "--at", "-33.9,151.2", "--format", "csv"] + options).output
    }
    #expect(try output("--precision", "0", "--count", "1") == Self.header + "at,1,sydney,-100,0\n")
    #expect(try output("--count", "0") == Self.header)
    #expect(try output("--max-distance", "0").split(separator: "\n").count == 3)
    #expect(try output("--max-distance", "-60") == Self.header + "at,1,sydney,-100.000,0.000\n")
    #expect(try output("--max-distance=-1e9") == Self.header)
    #expect(try output("--brute-force") == output())
    #expect(try output("--tier", "best", "--jobs", "3") == output("--jobs", "1"))
    #expect(try output("--tier", "nearest-ten-meters").split(separator: "\n").count == 5)
  }

  /// What a tier allows, and what the answer says of it.
  @Test func tiersSayHowFarOffDistancesAre() throws {
    func run(_ tier: String) throws -> CommandRun {
      try CommandRun(["nearest", file, "--at", "-33.9,151.2", "--format", "csv", "--tier", tier])
    }
    func distances(_ run: CommandRun) -> [Double] {
      run.output.split(separator: "\n").dropFirst().compactMap { row in
        Double(row.split(separator: ",", omittingEmptySubsequences: false)[3])
      }
    }
    let exact = try run("best")
    #expect(exact.errors.isEmpty)
    for tier in ["hundredMeters", "kilometer", "100"] {
      let coarse = try run(tier)
      let limit = tier == "kilometer" ? 1000.0 : 100
      #expect(coarse.status == 0 && distances(coarse).count == distances(exact).count)
      for (told, truth) in zip(distances(coarse), distances(exact)) {
        #expect(abs(told - truth) <= 2 * limit, "\(tier)")
      }
      guard coarse.output != exact.output else { continue }
      #expect(coarse.errors.contains("note: distances are within "), "\(coarse.errors)")
    }
    // The bound is told rounded up: here distances are half a millimetre off.
    let directory = try TemporaryDirectory()
    let close = try directory.write(
      "id,latitude,longitude,radius\na,1,1,100\nb,1.00001,1,50\n", to: "close.csv")
    let near = ["nearest", close, "--at", "1,1.0009", "--format", "csv", "--precision", "9", "--tier"]
    let (told, truth) = (try CommandRun(near + ["100"]), try CommandRun(near + ["best"]))
    let words = told.errors.split(separator: " ")
    let bound = try #require(words.firstIndex(of: "within").flatMap { Double(words[$0 + 1]) })
    let errors = zip(distances(told), distances(truth)).map { abs($0 - $1) }
    #expect(errors.count == 2 && errors.allSatisfy { $0 <= bound } && bound < 0.01, "\(errors)")
    #expect(errors.contains { $0 > 0.0004 })
    for tier in ["finest", "-1", "nan", "inf"] {
      let refused = try run(tier)
      #expect(refused.status == 64 && refused.errors.contains("--tier"), "\(refused.errors)")
    }
  }

  @Test func noRegionsIsNoError() throws {
    let empty = try directory.write("id,latitude,longitude,radius\n", to: "empty.csv")
    let run = try CommandRun(["nearest", empty, "--at", "1,2", "--format", "csv"])
    #expect(run.status == 0)
    #expect(run.output == Self.header)
    #expect(run.errors == "vicinity: note: no regions (\(empty))\n")
    let json = try CommandRun(["nearest", empty, "--at", "1,2", "--format", "json"])
    #expect(json.output.contains("\"neighbours\":[]"))
  }

  @Test func noPointsIsNoError() throws {
    let arguments = ["nearest", file, "--points", "-", "--format", "csv"]
    let run = try CommandRun(arguments, input: "id,latitude,longitude\n")
    #expect(run.status == 0)
    #expect(run.output == Self.header)
    #expect(run.errors == "vicinity: note: no points (standard input)\n")
    // Without a byte whatever was to write them has failed.
    let silent = try CommandRun(arguments, input: "")
    #expect(silent.status == 1 && silent.output.isEmpty)
    #expect(silent.errors.contains("the file is empty"), "\(silent.errors)")
  }

  @Test("Positions without a region within --max-distance are counted")
  func noneWithin() throws {
    let points = try directory.write(
      "id,latitude,longitude\na,-33.9,151.2\nb,0,0\nc,1,0\n", to: "some.csv")
    func errors(_ options: [String]) throws -> String {
      let run = try CommandRun(["nearest", file, "--points", points, "--format", "csv"] + options)
      #expect(run.status == 0)
      return run.errors
    }
    #expect(
      try errors(["--max-distance", "0"])
        == "vicinity: note: 2 of 3 positions are not within --max-distance of any region\n")
    #expect(try errors(["--max-distance", "3e7"]).isEmpty && errors([]).isEmpty)
  }

  @Test func badRowsStopOrAreSkipped() throws {
    let bad = try directory.write(
      "id,latitude,longitude,radius\na,1,2,3\nb,91,2,3\nc,1,2,nan\nd,1,2,3\n", to: "bad.csv")
    let stopped = try CommandRun(["nearest", bad, "--at", "1,2", "--format", "csv"])
    #expect(stopped.status == 1)
    #expect(stopped.output.isEmpty)
    #expect(stopped.errors.hasPrefix("vicinity: error: "))
    #expect(stopped.errors.contains("bad.csv:3") && stopped.errors.contains("91"))
    let skipped = try CommandRun(["nearest", bad, "--at", "1,2", "--format", "csv", "--skip-invalid"])
    #expect(skipped.status == 0)
    #expect(skipped.output == Self.header + "at,1,a,-3.000,0.000\nat,2,d,-3.000,0.000\n")
    #expect(skipped.errors.contains("skipped 2 bad rows"))
  }

  @Test func badPointsStopOrAreSkipped() throws {
    let points = "id,latitude,longitude\na,-33.9,151.2\nb,nan,2\n"
    let stopped = try CommandRun(["nearest", file, "--points", "-", "--format", "csv"], input: points)
    #expect(stopped.status == 1)
    #expect(stopped.output.isEmpty)
    #expect(stopped.errors.contains(":3"))
    let skipped = try CommandRun(
      ["nearest", file, "--points", "-", "-c", "1", "-f", "csv", "--skip-invalid"], input: points)
    #expect(skipped.output == Self.header + "a,1,sydney,-100.000,0.000\n")
    #expect(skipped.errors.contains("skipped 1 bad row or feature"))
  }

  @Test func duplicateIdentifiersAreNamed() throws {
    let twice = try directory.write("id,latitude,longitude,radius\na,1,2,3\na,4,5,6\n", to: "twice.csv")
    let run = try CommandRun(["nearest", twice, "--at", "1,2"])
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("vicinity: error: ") && run.errors.contains("\"a\""))
  }

  @Test func missingFilesAndDirectories() throws {
    let missing = try CommandRun(["nearest", directory.path("none.csv"), "--at", "1,2"])
    #expect(missing.status == 1)
    #expect(missing.errors == "vicinity: error: no such file (\(directory.path("none.csv")))\n")
    let points = try CommandRun(["nearest", file, "--points", directory.path("none.csv")])
    #expect(points.status == 1)
    #expect(points.errors == "vicinity: error: no such file (\(directory.path("none.csv")))\n")
    for path in [directory.url.path, directory.url.path + "/"] {
      let run = try CommandRun(["nearest", path, "--at", "1,2"])
      #expect(run.status == 1)
      #expect(run.output.isEmpty)
      #expect(run.errors.hasPrefix("vicinity: error: "))
    }
  }

  @Test func threadsDoNotChangeTheOutput() throws {
    var regions = "id,latitude,longitude,radius\n"
    for i in 0..<500 { regions += "r\(i),\(Double(i * 7919 % 18000) / 100 - 90),\(i * 104_729 % 360),\(i)\n" }
    var points = "id,latitude,longitude\n"
    for i in 0..<5000 { points += "p\(i),\(Double(i * 6007 % 17000) / 100 - 85),\(i * 31_337 % 360)\n" }
    let many = try directory.write(regions, to: "many.csv")
    let positions = try directory.write(points, to: "positions.csv")
    func output(_ options: String...) throws -> String {
      let run = try CommandRun(
        ["nearest", many, "--points", positions, "--count", "60", "--format", "csv"] + options)
      #expect(run.status == 0)
      return run.output
    }
    let one = try output("--jobs", "1")
    #expect(one.utf8.split(separator: UInt8(ascii: "\n")).count == 300_001)
    #expect(try output("--jobs", "4") == one)
    #expect(try output() == one)
  }

  @Test func pointsAreAnsweredWhileTheyAreRead() throws {
    // More than a batch and a block, and the input stays open: a reader that waited for its end would print
    // nothing.
    var rows = "id,latitude,longitude\np0,0,0\n"
    let long = String(repeating: "x", count: 200)
    for i in 1..<2 * NearestRun.maximumBatchQueries { rows += "p\(i)\(long),\(i % 90),\(i % 180)\n" }
    let process = try CommandRun.process(["nearest", file, "--points", "-", "-c", "1", "-f", "csv"])
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let answered = DispatchSemaphore(value: 0)
    let data = Mutex(Data())
    DispatchQueue.global().async {
      let first = output.fileHandleForReading.availableData
      data.withLock { $0 = first }
      answered.signal()
      let rest = output.fileHandleForReading.readDataToEndOfFile()
      data.withLock { $0 += rest }
      answered.signal()
    }
    try input.fileHandleForWriting.write(contentsOf: Data(rows.utf8))
    #expect(answered.wait(timeout: .now() + 120) == .success)
    #expect(data.withLock { String(decoding: $0, as: UTF8.self) }.hasPrefix(Self.header + "p0,1,"))
    try input.fileHandleForWriting.close()
    answered.wait()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let lines = data.withLock { $0.split(separator: UInt8(ascii: "\n")).count }
    #expect(lines == 2 * NearestRun.maximumBatchQueries + 1)
  }

  @Test func coordinatesOnRequest() throws {
    let points = "latitude,longitude\n35.7,139.7\n-33.9,151.25\n"
    let arguments = ["nearest", file, "--points", "-", "-c", "1", "-f"]
    let run = try CommandRun(arguments + ["csv", "--coordinates"], input: points)
    // Without an identifier column a query's name is its row's number.
    #expect(
      run.output == """
        query,rank,region,boundary_distance,centre_distance,latitude,longitude
        1,1,東京,-1000.000,0.000,35.7,139.7
        2,1,sydney,4524.645,4624.645,-33.9,151.25

        """)
    for format in ["table", "json", "geojson"] {
      let refused = try CommandRun(arguments + [format, "--coordinates"], input: points)
      #expect(refused.status == 64)
      #expect(refused.errors.contains("--coordinates is for --format csv"))
    }
  }

  @Test func outlinesOnRequest() throws {
    let polygons = try directory.write(
      "id,wkt\nsquare,\"POLYGON((16 48,17 48,17 49,16 49,16 48))\"\n", to: "square.csv")
    func features(_ path: String, _ options: String...) throws -> [[String: Any]] {
      let arguments = ["nearest", path, "--at", "48.5,16.5", "-c", "1", "-f", "geojson"] + options
      let run = try CommandRun(arguments)
      #expect(run.status == 0)
      let collection = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      return collection?["features"] as? [[String: Any]] ?? []
    }
    func geometry(_ features: [[String: Any]]) -> [String: Any] {
      features.first?["geometry"] as? [String: Any] ?? [:]
    }
    let point = try features(polygons)
    #expect(geometry(point)["type"] as? String == "Point")
    #expect(geometry(point)["coordinates"] as? [Double] == [16.5, 48.5])
    let outline = try features(polygons, "--outlines")
    #expect((geometry(outline)["type"] as? String)?.hasSuffix("LineString") == false)
    #expect(geometry(outline)["type"] as? String != "Point")
    let properties = [point, outline].map { $0.first?["properties"] as? [String: Any] ?? [:] }
    #expect(properties[0].keys.sorted() == properties[1].keys.sorted())
    // A point with a radius would be read as a circle around the query.
    let circles = [try features(file), try features(file, "--outlines")]
    #expect(circles.map { ($0.first?["properties"] as? [String: Any])?["radius"] as? Double } == [nil, 0])
    let refused = try CommandRun(["nearest", file, "--at", "1,2", "--outlines"])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("--outlines is for --format geojson"))
  }
}
