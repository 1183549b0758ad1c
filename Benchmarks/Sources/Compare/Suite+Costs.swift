import Foundation
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// What is no query: building, opening and bulk, each with the targets it decides.
extension Suite {
  /// The largest size asked for: targets are stated for a million.
  var largest: Int { sizes.max() ?? 0 }

  private var rounds: Int { max(3, effort.repetitions / 3) }

  /// Building, in turns: ours with one thread and with all, nanoflann, Boost.
  func building() throws -> Section {
    var section = Section()
    guard matches("build") else { return section }
    let n = largest
    let circles = inputs.circles(n)
    let set = try Ours.set(circles)
    var one: [Cost] = []
    var all: [Cost] = []
    var nanoflann: [Cost] = []
    var boost: [Cost] = []
    for round in 0..<rounds {
      progress.show("build: round \(round + 1)")
      one.append(try Cost.of { try RegionIndex(set, threads: 1).count }.1)
      all.append(try Cost.of { try RegionIndex(set).count }.1)
      if let cost = try library.build("nanoflann-plain", circles).buildCost { nanoflann.append(cost) }
      if let cost = try library.build("boost-ecef-plain", circles).buildCost { boost.append(cost) }
    }
    progress.clear()
    let peers = [("nanoflann-plain", nanoflann), ("boost-ecef-plain", boost)]
    for (name, costs) in [("vicinity, one thread", one), ("vicinity, all cores", all)] + peers {
      section.add("build \(n), \(name): elapsed", costs.map(\.wall).percentile(0.5) * 1e3, "ms")
      section.add("build \(n), \(name): CPU", costs.map(\.cpu).percentile(0.5) * 1e3, "ms")
    }
    section.promise(
      "build \(n), one thread: against nanoflann (CPU)",
      one.map(\.cpu).percentile(0.5) / nanoflann.map(\.cpu).percentile(0.5), atMost: 1)
    section.promise(
      "build \(n), all cores: against nanoflann (elapsed)",
      all.map(\.wall).percentile(0.5) / nanoflann.map(\.wall).percentile(0.5), atMost: 1)
    return section
  }

  /// The index file: written, opened with and without verification; and its size.
  func opening() throws -> Section {
    var section = Section()
    guard matches("open") else { return section }
    let n = largest
    let ours = try Ours(inputs.circles(n))
    let directory = FileManager.default.temporaryDirectory
    let path = directory.appending(path: "vicinity-bench-\(ProcessInfo.processInfo.processIdentifier)")
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    progress.show("open: writing")
    let (_, writing) = try Cost.of { try ours.index.write(to: path) }
    var unverified: [Double] = []
    var verified: [Double] = []
    for _ in 0..<max(5, rounds) {
      unverified.append(
        try Cost.of { try RegionIndex(contentsOf: path, verifying: false).count }.1.wall * 1e3)
      verified.append(
        try Cost.of { try RegionIndex(contentsOf: path, verifying: true).count }.1.wall * 1e3)
    }
    progress.clear()
    section.add("write \(n) and sync", writing.wall * 1e3, "ms")
    section.add("file of \(n)", Double(ours.index.byteCount), "bytes")
    section.add("bytes a circle, identifiers left out", ours.bytes / Double(n), "bytes")
    section.promise(
      "open \(n), mapped, unverified", unverified.percentile(0.5), atMost: 5, unit: " ms")
    section.promise("open \(n), verified", verified.percentile(0.5), atMost: 100, unit: " ms")
    section.promise(
      "bytes a circle, identifiers left out, \(n)", ours.bytes / Double(n), atMost: 64, unit: " B")
    return section
  }

  /// Queries among a million circles at two places, at one, within a metre, and in a country far away,
  /// against queries among spread ones: CPU a query.
  func ties() throws -> Section {
    var section = Section()
    guard matches("ties") else { return section }
    let n = largest
    let spread = inputs.circles(n)
    let positions = inputs.near(spread, count: 200).coordinates
    let (a, b) = (Coordinate(latitude: 48.2, longitude: 16.3), Coordinate(latitude: 52.5, longitude: 13.4))
    let around = positions.indices.map { i in
      Coordinate(latitude: 49 + 0.01 * Double(i), longitude: 15 - 0.01 * Double(i))
    }
    func index(
      _ center: (Int) -> Coordinate, radius: (Int) -> Meters = { _ in 100 }, count: Int? = nil
    ) throws -> RegionIndex {
      var set = RegionSet()
      for i in 0..<(count ?? n) {
        try set.append(Region(identifier: "\(i)", center: center(i), radius: radius(i)))
      }
      return try RegionIndex(set)
    }
    var random = SplitMix64(seed: 12)
    let mixed = (0..<n).map { _ in exp(Double.random(in: 0...log(1e5), using: &random)) }
    let nested = try index({ _ in a }, radius: { mixed[$0] })
    let country = try index { _ in
      Coordinate(
        latitude: Double.random(in: 45...55, using: &random),
        longitude: Double.random(in: 5...20, using: &random))
    }
    func away(_ distance: Meters) throws -> [Coordinate] {
      try positions.indices.map { i in
        try Geodesic.direct(from: a, azimuth: 1.8 * Double(i), distance: distance).coordinate
      }
    }
    let places = try index { $0 % 2 == 0 ? a : b }
    let narrow = try index({ _ in a }, radius: { 100 + mixed[$0] / 1e5 })
    let around10 = try index(
      { _ in
        Coordinate(
          latitude: a.latitude + Double.random(in: -0.05...0.05, using: &random),
          longitude: a.longitude + Double.random(in: -0.05...0.05, using: &random))
      }, radius: { _ in Double.random(in: 1e4...1e5, using: &random) }, count: 10_000)
    let atCenter = [Coordinate](repeating: a, count: 200)
    let entries: [(name: String, index: RegionIndex, positions: [Coordinate])] = [
      ("spread", try Ours(spread).index, positions),
      ("two places", places, around),
      ("one place, radii within a metre", narrow, around),
      ("one place, radii from 1 m to 100 km", nested, around),
      ("the same, at its centre", nested, atCenter),
      ("10,000 that contain the position", around10, atCenter),
      ("a country, from 10,000 km", country, try away(1e7)),
      ("a country, from 19,000 km", country, try away(1.9e7)),
      (
        "within a metre",
        try index {
          Coordinate(latitude: a.latitude + 1e-5 * Double($0) / Double(n), longitude: a.longitude)
        },
        Array(around.prefix(5))
      ),
    ]
    // With a limit, beyond everything, each query is answered by the tree alone.
    let far = QueryOptions(maximumDistance: 3e7)
    var scratch = QueryScratch()
    var found: [Neighbor] = []
    for k in [k, 1] {
      var costs = [[Double]](repeating: [], count: entries.count)
      for round in 0..<rounds {
        progress.show("ties: \(k) nearest, round \(round + 1)")
        for (i, entry) in entries.enumerated() {
          let cost = try Cost.of {
            for position in entry.positions {
              try entry.index.nearest(k, to: position, options: far, scratch: &scratch, into: &found)
            }
            return found.count
          }.1
          costs[i].append(cost.cpu / Double(entry.positions.count) * 1e6)
        }
      }
      progress.clear()
      let medians = costs.map { $0.percentile(0.5) }
      let ending = k == 1 ? ", the nearest alone" : ""
      for (entry, cost) in zip(entries, medians) {
        section.add("ties \(n), \(entry.name)\(ending): CPU", cost, "us a query")
      }
      for i in 1...5 {
        section.promise(
          "ties \(n), \(entries[i].name)\(ending): against spread", medians[i] / medians[0], atMost: 10)
      }
    }
    return section
  }

  /// Many positions in one call, on one core and on two: elapsed time.
  func bulk() throws -> Section {
    var section = Section()
    guard matches("bulk") else { return section }
    let n = largest
    let circles = inputs.circles(n)
    let ours = try Ours(circles)
    let positions = inputs.near(circles, count: effort.queries * 10).coordinates
    var one: [Double] = []
    var two: [Double] = []
    let alone = try ours.index.nearest(k, toEach: positions, threads: 1)
    let together = try ours.index.nearest(k, toEach: positions, threads: 2)
    guard positions.indices.allSatisfy({ alone[$0] == together[$0] }) else {
      throw Failure("bulk answers depend on the number of threads")
    }
    // Elapsed times of a tenth of a second: what else the machine does shows in them.
    for round in 0..<effort.repetitions {
      progress.show("bulk: round \(round + 1)")
      let single = try Cost.of { try ours.index.nearest(k, toEach: positions, threads: 1).count }.1
      let double = try Cost.of { try ours.index.nearest(k, toEach: positions, threads: 2).count }.1
      one.append(single.wall)
      two.append(double.wall)
    }
    progress.clear()
    let perQuery = 1e6 / Double(positions.count)
    section.add("bulk \(n), one core", one.percentile(0.5) * perQuery, "us a query, elapsed")
    section.add("bulk \(n), two cores", two.percentile(0.5) * perQuery, "us a query, elapsed")
    section.promise(
      "bulk \(n): two cores against one", one.percentile(0.5) / two.percentile(0.5), atLeast: 1.8)
    return section
  }
}

/// Measurements and promises of one part of the suite.
struct Section {
  var measurements: [Report.Measurement] = []
  var targets: [Target] = []

  mutating func add(_ name: String, _ value: Double, _ unit: String) {
    measurements.append(.init(name: name, value: value, unit: unit))
  }

  mutating func promise(_ text: String, _ measured: Double, atMost limit: Double, unit: String = "") {
    targets.append(Target(text: text, measured: measured, limit: limit, unit: unit))
  }

  mutating func promise(_ text: String, _ measured: Double, atLeast limit: Double, unit: String = "") {
    targets.append(
      Target(text: text, measured: measured, limit: limit, isUpperLimit: false, unit: unit))
  }
}
