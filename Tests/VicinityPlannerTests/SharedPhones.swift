import Foundation
import VicinityCrossings
import VicinityGeodesy

@testable import VicinityTestSupport

/// Phones carried along known ways, beside the repository: `../shared/data/mobilitynet`.
enum SharedPhones {
  struct Ride {
    var run: String
    var fixes: [Fix]
  }

  static let root = SharedTracks.root.deletingLastPathComponent().appendingPathComponent("mobilitynet")

  static var isThere: Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent("reference.csv.gz").path)
  }

  private static func rows(_ path: URL) throws -> [[Substring]] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", path.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
  }

  /// What phones said of the first of their rides, and where they were, by run.
  static func rides(limit: Int) throws -> (rides: [Ride], truths: [String: [Fix]]) {
    var truths: [String: [Fix]] = [:]
    for row in try rows(root.appendingPathComponent("reference.csv.gz")) {
      guard row.count > 3, let seconds = Double(row[1]), let latitude = Double(row[2]),
        let longitude = Double(row[3]),
        let time = Timestamp(seconds: seconds)
      else { continue }
      let run = String(row[0])
      if let last = truths[run]?.last, last.time >= time { continue }
      truths[run, default: []].append(
        Fix(time: time, coordinate: Coordinate(latitude: latitude, longitude: longitude)))
    }
    var rides: [Ride] = []
    let folder = root.appendingPathComponent("fixes")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    where rides.count < limit {
      // timeline__phone__run.csv.gz
      let parts = name.dropLast(".csv.gz".count).components(separatedBy: "__")
      guard parts.count == 3, truths["\(parts[0])__\(parts[2])"] != nil else { continue }
      var fixes: [Fix] = []
      for row in try rows(folder.appendingPathComponent(name)) {
        let numbers = row.prefix(6).map { Double($0) ?? -1 }
        guard numbers.count == 6, let time = Timestamp(seconds: numbers[0]) else { continue }
        if let last = fixes.last, last.time > time { continue }
        fixes.append(
          Fix(
            time: time, coordinate: Coordinate(latitude: numbers[1], longitude: numbers[2]),
            horizontalAccuracy: numbers[3], speed: numbers[4], course: numbers[5]))
      }
      if !fixes.isEmpty { rides.append(Ride(run: "\(parts[0])__\(parts[2])", fixes: fixes)) }
    }
    return (rides, truths)
  }
}
