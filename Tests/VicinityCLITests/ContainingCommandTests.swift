import Foundation
import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCLI

/// `vicinity containing`, and what `nearest` lists and says where a distance limits the answer.
@Suite struct ContainingCommandTests {
  private static let header = "query,rank,region,boundary_distance,centre_distance\n"

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A file of circles, every digit of their numbers in it.
  private func write(_ regions: [Region], to name: String) throws -> String {
    var text = "id,latitude,longitude,radius\n"
    for region in regions {
      guard case .circle(let center, let radius) = region.shape else { continue }
      text += "\(region.identifier),\(center.latitude),\(center.longitude),\(radius)\n"
    }
    return try directory.write(text, to: name)
  }

  /// `count` circles around one place, the largest last, so that the answer from there runs backwards.
  private func nested(_ count: Int) throws -> String {
    try write(
      (0..<count).map {
        Region(
          identifier: "r\($0)", center: Coordinate(latitude: 0, longitude: 0), radius: Double(100 + $0))
      }, to: "nested.csv")
  }

  private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

  @Test("Sixty circles around a place are sixty rows, by either command, however they are found and stored")
  func sixtyCircles() throws {
    let file = try nested(60)
    let index = directory.path("nested.vicinity")
    #expect(try CommandRun(["index", file, "--output", index]).status == 0)
    let expected =
      Self.header
      + (0..<60).map { "at,\($0 + 1),r\(59 - $0),-\(159 - $0).000,0.000\n" }.joined()
    for regions in [file, index] {
      for question in [["containing"], ["nearest", "--max-distance", "0"]] {
        for more in [[], ["--brute-force"], ["--jobs", "1"]] {
          let run = try CommandRun(
            [question[0], regions, "--at", "0,0", "--format", "csv"] + question.dropFirst() + more)
          #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
          #expect(run.output == expected, "\(question) \(more)")
        }
      }
      let table = try CommandRun(["containing", regions, "--at", "0,0"])
      #expect(lines(table.output).count == 61)
      let geojson = try CommandRun(["containing", regions, "--at", "0,0", "-f", "geojson", "--outlines"])
      #expect(lines(geojson.output).count == 62)
    }
  }

  @Test("A count is obeyed; where it leaves out what a distance lets in, a note says so")
  func countsThatCut() throws {
    let file = try nested(60)
    let points = "id,latitude,longitude\na,0,0\nb,5,5\nc,0,0\n"
    func run(_ options: String...) throws -> (rows: Int, errors: String) {
      let run = try CommandRun(["nearest", file, "--points", "-", "-f", "csv"] + options, input: points)
      #expect(run.status == 0)
      return (lines(run.output).count - 1, run.errors)
    }
    let none = "vicinity: note: 1 of 3 positions is not within --max-distance of any region\n"
    let all = "vicinity: note: 2 of 3 positions are within --max-distance of more than"
    let cut = none + all
    #expect(
      try run("--count", "7", "--max-distance", "0") == (14, "\(cut) 7 regions: --count leaves some out\n"))
    #expect(
      try run("--count", "7", "--max-distance", "0", "--brute-force")
        == (14, "\(cut) 7 regions: --count leaves some out\n"))
    #expect(
      try run("--count", "0", "--max-distance", "0") == (0, "\(all) 0 regions: --count leaves some out\n"))
    #expect(
      try run("--count", "59", "--max-distance", "-100") == (
        118, "\(cut) 59 regions: --count leaves some out\n"
      ))
    // Nothing is left out.
    #expect(try run("--count", "59", "--max-distance", "-101") == (118, none))
    #expect(try run("--count", "60", "--max-distance", "0") == (120, none))
    #expect(try run("--count", "9223372036854775807", "--max-distance", "0") == (120, none))
    #expect(try run("--max-distance", "0") == (120, none))
    #expect(try run("--max-distance", "inf") == (180, ""))
    #expect(
      try run("--max-distance=-1e9") == (
        0, "vicinity: note: 3 of 3 positions are not within --max-distance of any region\n"
      ))
    // The nearest, as many as were asked for.
    #expect(try run("--count", "7") == (21, ""))
    let defaults = try run()
    #expect(defaults.rows == 60)
    #expect(
      defaults.errors
        == "vicinity: note: 2 of 3 positions are in more than 20 regions: --count N lists more of them, "
        + "vicinity containing all\n")
    let one = try CommandRun(["nearest", file, "--at", "0,0", "--count", "1", "--max-distance", "0"])
    #expect(
      one.errors.hasPrefix("vicinity: note: the position is within --max-distance of more than 1 region:"))
  }

  @Test("Points that would lie among the regions if latitude and longitude were swapped are told of")
  func swappedPoints() throws {
    let directory = try TemporaryDirectory()
    let regions = "id,latitude,longitude,radius\na,48.1,16.2,50\nb,48.3,16.5,50\n"
    let file = try directory.write(regions, to: "regions.csv")
    let note =
      "the first points are more than 500 km from every region, and with latitude and longitude swapped they are less than "
      + "100 km from one: they may be swapped in the points or in the regions\n"
    func errors(_ command: String, _ points: String, _ options: String...) throws -> String {
      let arguments = [command, file, "--points", "-"] + options
      return try CommandRun(arguments, input: "id,latitude,longitude\n" + points).errors
    }
    let swapped = "p,16.3,48.15\nq,16.4,48.25\n"
    #expect(try errors("nearest", swapped).hasSuffix(note))
    #expect(try errors("nearest", swapped, "--tier", "kilometer").contains(note))
    #expect(try errors("containing", swapped).contains(note))
    #expect(try errors("nearest", swapped, "--max-distance", "1000").contains(note))
    for command in ["nearest", "containing"] {
      let one = try CommandRun([command, file, "--at", "16.3,48.15"]).errors
      #expect(one.contains("note: the point is more than 500 km from every region, and with"))
      #expect(one.contains("swapped it is less than 100 km from one"))
    }
    // One that lies where the regions are, or not too far away, or nowhere near either way.
    #expect(try errors("nearest", "p,48.2,16.3\nq,16.4,48.25\n").isEmpty)
    #expect(try errors("nearest", "q,16.4,48.25\np,51,16.3\n").isEmpty)
    #expect(try !errors("containing", "q,16.4,48.25\np,51,16.3\n").contains("swapped"))
    #expect(try errors("nearest", "p,16.3,50\n").isEmpty)
    #expect(try errors("nearest", "p,16.3,148\n").isEmpty)
    #expect(try !errors("nearest", "").contains("swapped"))
  }

  @Test("A position in no region has no row, an empty list in JSON, and is counted")
  func positionsInNone() throws {
    let file = try nested(3)
    func run(_ format: String, _ options: String..., points: String? = nil) throws -> CommandRun {
      let position = points == nil ? ["--at", "5,5"] : ["--points", "-"]
      return try CommandRun(["containing", file, "-f", format] + position + options, input: points ?? "")
    }
    let at = try run("csv")
    #expect(at.status == 0 && at.output == Self.header)
    #expect(at.errors == "vicinity: note: the position is in no region\n")
    let some = try run("csv", "--coordinates", points: "id,latitude,longitude\nx,5,5\ny,0,0\nz,0,0.00125\n")
    #expect(
      some.output == """
        query,rank,region,boundary_distance,centre_distance,latitude,longitude
        y,1,r2,-102.000,0.000,0.0,0.0
        y,2,r1,-101.000,0.000,0.0,0.0
        y,3,r0,-100.000,0.000,0.0,0.0

        """)
    #expect(some.errors == "vicinity: note: 2 of 3 positions are in no region\n")
    let json = try run("json", points: "id,latitude,longitude\nx,5,5\n")
    let queries = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    #expect(queries?.count == 1 && (queries?.first?["neighbours"] as? [Any])?.isEmpty == true)
    #expect(try run("csv", points: "id,latitude,longitude\ny,0,0\n").errors.isEmpty)
  }

  @Test("No rows of points are no error; rows of which none is a point are one, and leave no output")
  func noPoints() throws {
    let file = try nested(3)
    for command in ["containing", "nearest"] {
      let run = try CommandRun(
        [command, file, "--points", "-", "-f", "csv"], input: "id,latitude,longitude\n")
      #expect(run.status == 0 && run.output == Self.header)
      #expect(run.errors == "vicinity: note: no points (standard input)\n")
      for format in ["csv", "json", "geojson", "table"] {
        let run = try CommandRun(
          [command, file, "--points", "-", "-f", format, "--skip-invalid", "-o", "out"],
          input: "id,latitude,longitude\na,95,1\nb,,\n", in: directory.url)
        #expect(run.status == 1)
        #expect(
          run.errors.hasPrefix(
            "vicinity: error: 2 rows were read, of which none makes a point (standard input)"),
          "\(run.errors)")
        #expect(directory.names == ["nested.csv"])
      }
    }
  }

  @Test("Odd names of points and regions come through, and both commands and both kinds of file agree")
  func oddNames() throws {
    let names = [
      "18446744073709551615", "-9223372036854775808", "007", "1.0", "a,b", "say \"hi\"", " padded ", "שלום",
      "👩‍👩‍👧",
      "line\nbreak", "nan", "null", "=1+1", "at", "0x1F", "e\u{301}",
    ]
    func quoted(_ name: String) -> String { "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\"" }
    let regions = try directory.write(
      "id,latitude,longitude,radius\n" + names.map { "\(quoted($0)),10,20,500\n" }.joined(), to: "odd.csv")
    let points = try directory.write(
      "id,latitude,longitude\n" + names.map { "\(quoted($0)),10,20\n" }.joined() + "10,10,380\n10,10,-340\n",
      to: "points.csv")
    let index = directory.path("odd.vicinity")
    #expect(try CommandRun(["index", regions, "-o", index]).status == 0)
    var outputs: Set<String> = []
    for file in [regions, index] {
      outputs.insert(try CommandRun(["containing", file, "--points", points, "-f", "json"]).output)
      outputs.insert(
        try CommandRun(["nearest", file, "--points", points, "-f", "json", "--max-distance", "0"]).output)
    }
    #expect(outputs.count == 1)
    let output = try #require(outputs.first)
    let queries = try #require(
      try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
    #expect(queries.compactMap { $0["query"] as? String } == names + ["10", "10"])
    for query in queries {
      let rows = query["neighbours"] as? [[String: Any]] ?? []
      #expect(rows.compactMap { $0["region"] as? String } == names)
    }
  }

  /// Circles by PROJ alone, every digit: the rows of every position, whether few regions contain it or so
  /// many that it is asked for more than once.
  @Test(arguments: RegionFamily.allCases)
  func agreesWithTheList(_ family: RegionFamily) throws {
    let seed: UInt64 = 4711
    // Files have longitudes of no more than one turn.
    func wrapped(_ place: Coordinate) -> Coordinate {
      Coordinate(latitude: place.latitude, longitude: place.longitude.remainder(dividingBy: 360))
    }
    let regions = family.circles(1300, seed: seed).map { region in
      guard case .circle(let center, let radius) = region.shape else { return region }
      return Region(identifier: region.identifier, center: wrapped(center), radius: radius)
    }
    let positions = family.positions(40, among: regions, seed: seed).map(wrapped)
    let file = try write(regions, to: "regions.csv")
    let points = try directory.write(
      "id,latitude,longitude\n"
        + positions.enumerated().map { "p\($0),\($1.latitude),\($1.longitude)\n" }.joined(), to: "points.csv")
    var expected: [String] = []
    var most = 0
    for (number, position) in positions.enumerated() {
      let inside = regions.enumerated().compactMap { ordinal, region -> (distance: Double, ordinal: Int)? in
        guard case .circle(let center, let radius) = region.shape else { return nil }
        let distance = PROJ.distance(position, center) - radius
        return distance <= 0 ? (distance, ordinal) : nil
      }.sorted { $0 < $1 }
      most = max(most, inside.count)
      for (rank, row) in inside.enumerated() {
        expected.append("p\(number),\(rank + 1),\(regions[row.ordinal].identifier)")
      }
    }
    if [.nested, .concentric, .duplicate].contains(family) { #expect(most > NearestRun.firstCount) }
    for more in [[], ["--brute-force"]] {
      let run = try CommandRun(["containing", file, "--points", points, "-f", "csv"] + more)
      #expect(run.status == 0)
      let found = lines(run.output).dropFirst().map { line in
        line.split(separator: ",").prefix(3).joined(separator: ",")
      }
      #expect(found == expected, "\(family), seed \(seed), \(more)")
    }
    // Other ways to ask, to the last digit that can be had.
    let digits = ["--points", points, "-f", "csv", "--precision", "9"]
    let whole = try CommandRun(["containing", file] + digits).output
    #expect(try CommandRun(["nearest", file, "--max-distance", "0"] + digits).output == whole)
    #expect(try CommandRun(["containing", file, "--jobs", "3"] + digits).output == whole)
  }

  @Test("More rows than a batch holds, in the order of the points, dense and sparse in turn")
  func manyRows() throws {
    let file = try nested(1200)
    var points = "id,latitude,longitude\n"
    for i in 0..<700 { points += "p\(i),\(i % 7 == 3 ? 0 : 40),0\n" }
    let run = try CommandRun(
      ["containing", file, "--points", "-", "-f", "csv", "--precision", "0"], input: points)
    #expect(run.errors == "vicinity: note: 600 of 700 positions are in no region\n")
    var expected = Self.header
    for i in stride(from: 3, to: 700, by: 7) {
      for rank in 1...1200 { expected += "p\(i),\(rank),r\(1200 - rank),-\(1300 - rank),0\n" }
    }
    #expect(run.output == expected)
  }

  @Test func polygons() throws {
    let file = try directory.write(
      """
      id,wkt
      outer,"POLYGON((10 40,20 40,20 50,10 50,10 40))"
      ring,"POLYGON((12 42,18 42,18 48,12 48,12 42),(14 44,16 44,16 46,14 46,14 44))"
      inner,"POLYGON((14.5 44.5,15.5 44.5,15.5 45.5,14.5 45.5,14.5 44.5))"
      """, to: "polygons.csv")
    func found(_ position: String) throws -> [String] {
      let run = try CommandRun(["containing", file, "--at", position, "-f", "csv"])
      #expect(run.status == 0)
      return lines(run.output).dropFirst().map { String($0.split(separator: ",")[2]) }
    }
    #expect(try found("45,15") == ["outer", "inner"])
    #expect(try found("43,15") == ["outer", "ring"])
    #expect(try found("41,15") == ["outer"])
    #expect(try found("39,15").isEmpty)
  }
}
