import Foundation
import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

extension Suite {
  /// Which polygons contain each of many points, against GeoPandas: `sjoin`, which asks Shapely's STRtree,
  /// whose geometries GEOS compares.
  ///
  /// Both read the same file and the same points, off the clock, and run in turns, on one thread, in CPU
  /// time. Ours answers point after point, and says how deep each lies. Pairs may differ where edges,
  /// straight in degrees to GEOS, have been divided: by one in ten thousand.
  func containment(_ specification: String) throws -> Section {
    var section = Section()
    let file = specification.split(separator: ":").map(String.init)[0]
    let label = "containment:" + (file.split(separator: "/").last.map(String.init) ?? file)
    guard matches(label) || matches("polygons"), specification == file else { return section }
    let count = isFull ? 1_000_000 : 200_000
    progress.show("\(label): reading")
    var options = ReadingOptions()
    options.identifierField = "FID"
    let index = try RegionIndex(RegionReader.read(file, options: options).content)
    var random = SplitMix64(seed: inputs.seed &* 1000 &+ 9)
    let points = (0..<count).map { _ in
      Coordinate(latitude: 24 + 26 * random.unit(), longitude: -125 + 59 * random.unit())
    }

    let folder = FileManager.default.temporaryDirectory.appending(path: "vicinity-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let positions = folder.appending(path: "points.f64").path
    let numbers = points.flatMap { [$0.longitude, $0.latitude] }
    try Data(numbers.flatMap { unsafe withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) })
      .write(to: URL(fileURLWithPath: positions))

    var ours: [Double] = []
    var theirs: [Double] = []
    var pairs = (ours: 0, theirs: 0)
    var scratch = QueryScratch()
    var found: [Neighbor] = []
    for round in 0..<3 {
      progress.show("\(label): round \(round + 1)")
      pairs.ours = 0
      let start = Clock.thread
      for point in points {
        try index.within(0, of: point, scratch: &scratch, into: &found)
        pairs.ours += found.count
      }
      ours.append((Clock.thread - start) / 1e9)
      guard let python, let repository else { continue }
      let script = repository + "/Benchmarks/Peers/containment.py"
      let answer = folder.appending(path: "answer").path
      _ = try Child.run(
        [python, script, file, positions], output: answer, log: folder.appending(path: "log").path)
      let words = try String(contentsOfFile: answer, encoding: .utf8).split(whereSeparator: \.isWhitespace)
      guard words.count == 2, let seconds = Double(words[0]), let number = Int(words[1]) else {
        throw Failure("\(script): said \(words.joined(separator: " "))")
      }
      theirs.append(seconds)
      pairs.theirs = number
    }
    progress.clear()
    let perPoint = 1e9 / Double(count)
    section.add(
      "\(label), \(count) points: vicinity, one thread", ours.percentile(0.5) * perPoint, "ns a point")
    guard !theirs.isEmpty else { return section }
    section.add(
      "\(label), \(count) points: geopandas sjoin, one thread", theirs.percentile(0.5) * perPoint,
      "ns a point")
    section.promise(
      "\(label), \(count) points: against geopandas sjoin", ours.percentile(0.5) / theirs.percentile(0.5),
      atMost: 1)
    section.promise(
      "\(label), \(count) points: pairs that differ, share",
      Double(abs(pairs.ours - pairs.theirs)) / Double(max(1, pairs.theirs)), atMost: 1e-4)
    return section
  }
}
