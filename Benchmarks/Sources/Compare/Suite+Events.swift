import Foundation
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

extension Suite {
  /// `vicinity events` from CSV on disk to CSV on disk: rows by device, and interleaved by time.
  ///
  /// The regions are an index file, opened as the program does by default, checksums included.
  func events() throws -> Section {
    var section = Section()
    guard let program, matches("crossings:events") else { return section }
    let n = min(largest, 100_000)
    let circles = inputs.circles(n)
    let directory = try TemporaryDirectory()
    let regions = directory.path("regions.vicinity")
    try Ours(circles).index.write(to: regions)
    let rows = effort.queries <= 1000 ? 1_000_000 : 10_000_000
    let devices = 1000
    var output: [String: Data] = [:]
    for order in ["by device", "by time"] {
      let tracks = directory.path("tracks.csv")
      progress.show("crossings:events \(order): writing \(rows) rows")
      let bytes = try write(rows, devices: devices, circles, to: tracks, byTime: order == "by time")
      var times: [Int: [Double]] = [:]
      var cpu: [Int: [Double]] = [:]
      for round in 0..<max(3, effort.repetitions / 4) {
        for jobs in [2, 1] {
          progress.show("crossings:events \(order): round \(round + 1), \(jobs) jobs")
          let events = directory.path("events.csv")
          let child = try Child.run(
            [program, "events", regions, "--tracks", tracks, "--output", events, "--jobs", "\(jobs)"],
            log: directory.path("log"))
          times[jobs, default: []].append(child.wall)
          cpu[jobs, default: []].append(child.cpu)
          let data = try Data(contentsOf: URL(fileURLWithPath: events))
          guard output["", default: data] == data else {
            throw Failure("events depend on the order of rows or on --jobs")
          }
          output[""] = data
        }
      }
      progress.clear()
      let rate = { (jobs: Int) in Double(rows) / (times[jobs] ?? []).percentile(0.5) / 1e6 }
      section.promise(
        "events \(n), CSV to CSV, \(rows) rows \(order), two cores: fixes a second", rate(2), atLeast: 3,
        unit: " M")
      section.add("events \(n), rows \(order), two cores", rate(2), "M fixes/s, elapsed")
      section.add("events \(n), rows \(order), one core", rate(1), "M fixes/s, elapsed")
      section.add(
        "events \(n), rows \(order), one core: CPU", (cpu[1] ?? []).percentile(0.5) / Double(rows) * 1e9,
        "ns a fix")
      section.add("events \(n), rows \(order): a row", Double(bytes) / Double(rows), "bytes")
    }
    let lines = output[""].map { $0.count { $0 == 10 } - 1 } ?? 0
    section.add("events \(n), of \(rows) fixes of \(devices) devices", Double(lines), "events")
    return section
  }

  /// The most memory `vicinity events` takes for a hundred million fixes of a hundred thousand devices,
  /// interleaved, against a million regions. The rows come through a pipe: they would take seven gigabytes.
  func eventsMemory() throws -> Section {
    var section = Section()
    guard let program, isFull || filter.contains("crossings:memory"), matches("crossings:memory") else {
      return section
    }
    let n = largest
    let (devices, rounds) = (100_000, 1000)
    let circles = inputs.circles(n)
    let directory = try TemporaryDirectory()
    let regions = directory.path("regions.vicinity")
    try Ours(circles).index.write(to: regions)
    let events = directory.path("events.csv")
    let child = try Child.run(
      [program, "events", regions, "--tracks", "-", "--output", events], log: directory.path("log")
    ) { descriptor in
      var rows = TrackWriter(descriptor)
      var travellers = inputs.travellers(devices, from: inputs.origins(circles, count: 10_000), salt: 19)
      for round in 0..<rounds {
        progress.show("crossings:memory: \(round) of \(rounds)")
        for device in travellers.indices {
          let (latitude, longitude) = travellers[device].rounded
          try rows.write(
            device: device, second: Traveller.start + round, latitude: latitude, longitude: longitude)
          travellers[device].move(seconds: 1)
        }
      }
      try rows.flush()
    }
    progress.clear()
    let label = "events \(n), \(devices * rounds) fixes of \(devices) devices by time"
    section.promise("\(label): most memory", child.peakMemory / 1e9, atMost: 1, unit: " GB")
    section.add("\(label): most memory", child.peakMemory / 1e6, "MB")
    section.add(
      "\(label), through a pipe from the generator", Double(devices * rounds) / child.wall / 1e6,
      "M fixes/s, elapsed")
    section.add("\(label): CPU", child.cpu * 1e9 / Double(devices * rounds), "ns a fix")
    let file = try FileManager.default.attributesOfItem(atPath: events)
    section.add("\(label): output", Double((file[.size] as? Int) ?? 0) / 1e6, "MB")
    return section
  }

  /// Writes tracks of 1 Hz, each device's rows together or second by second.
  ///
  /// - Returns: The bytes of the file.
  private func write(
    _ rows: Int, devices: Int, _ circles: Circles, to path: String, byTime: Bool
  ) throws -> Int {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else { throw Failure("cannot write \(path): errno \(errno)") }
    defer { close(descriptor) }
    var travellers = inputs.travellers(devices, from: inputs.origins(circles, count: devices), salt: 20)
    var writer = TrackWriter(descriptor)
    let rounds = rows / devices
    for outer in 0..<(byTime ? rounds : devices) {
      for inner in 0..<(byTime ? devices : rounds) {
        let (device, round) = byTime ? (inner, outer) : (outer, inner)
        let (latitude, longitude) = travellers[device].rounded
        try writer.write(
          device: device, second: Traveller.start + round, latitude: latitude, longitude: longitude)
        travellers[device].move(seconds: 1)
      }
    }
    try writer.flush()
    return Int(lseek(descriptor, 0, SEEK_CUR))
  }
}

/// A directory that goes when its owner does.
final class TemporaryDirectory {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "vicinity-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }
}
