package import Foundation
package import VicinityCrossings
internal import VicinityGeodesy

/// Real tracks beside the repository that developers have and users do not: `../shared/data/tracks`. The
/// least that reads them.
package enum SharedTracks {
  package static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("shared/data/tracks")

  package static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  package static func lines(_ path: String) throws -> [Substring] {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8).split(
      whereSeparator: \.isNewline)
  }

  package static func fix(_ seconds: Int64, _ latitude: Double, _ longitude: Double) -> Fix {
    Fix(
      time: Timestamp(microseconds: seconds * 1_000_000),
      coordinate: Coordinate(latitude: latitude, longitude: longitude))
  }

  /// The seconds of a date and a time of day, whatever separates their numbers.
  package static func seconds(_ numbers: [Int64]) -> Int64 {
    Timestamp.day(year: numbers[0], month: Int(numbers[1]), day: Int(numbers[2])) * 86_400 + numbers[3] * 3600
      + numbers[4] * 60 + (numbers.count > 5 ? numbers[5] : 0)
  }

  /// Storms, a fix every six hours.
  package static func storms() throws -> [[Fix]] {
    var result: [[Fix]] = []
    for line in try lines("hurdat2_nepac/hurdat2-nepac-1949-2016-041317.txt") {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      if fields.count < 6 {
        result.append([])
        continue
      }
      guard let date = Int64(fields[0]), let time = Int64(fields[1]),
        let latitude = Double(fields[4].dropLast()), let longitude = Double(fields[5].dropLast())
      else { continue }
      result[result.count - 1].append(
        fix(
          seconds([date / 10_000, date / 100 % 100, date % 100, time / 100, time % 100]),
          fields[4].hasSuffix("S") ? -latitude : latitude,
          fields[5].hasSuffix("W") ? -longitude : longitude))
    }
    return result
  }

  /// A bus line's vehicles, by trip.
  package static func buses() throws -> [[Fix]] {
    var tracks: [String: [Fix]] = [:]
    for line in try lines("bus_liverpool/route14_outbound.csv").dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: ["\""])
      }
      let numbers = fields[3].split(whereSeparator: { !$0.isNumber }).compactMap { Int64($0) }
      guard numbers.count == 6, let latitude = Double(fields[4]), let longitude = Double(fields[5]) else {
        continue
      }
      tracks["\(fields[1]) \(fields[2])", default: []].append(fix(seconds(numbers), latitude, longitude))
    }
    return tracks.keys.sorted().compactMap { tracks[$0] }
  }

  /// Taxi trips, a fix every fifteen seconds.
  package static func taxis() throws -> [[Fix]] {
    try lines("porto_taxi/train.1k.csv").dropFirst().map { line in
      let numbers = (line.range(of: "[[").map { line[$0.lowerBound...] } ?? "")
        .split(whereSeparator: { "[],\" ".contains($0) }).compactMap { Double($0) }
      return stride(from: 0, to: numbers.count - 1, by: 2).enumerated().map { i, k in
        fix(1_372_636_858 + 15 * Int64(i), numbers[k + 1], numbers[k])
      }
    }
    .filter { $0.count > 1 }
  }

  /// Flights from one of the files, unpacked by the system's gzip.
  package static func flights(_ name: String) throws -> [[Fix]] {
    struct Row: Decodable {
      var timestamp: Int64
      var latitude: Double?
      var longitude: Double?
      var flight: String?

      enum CodingKeys: String, CodingKey {
        case timestamp, latitude, longitude
        case flight = "flight_id"
      }
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", root.appendingPathComponent("adsb/\(name)").path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    var tracks: [String: [Fix]] = [:]
    for row in try JSONDecoder().decode([Row].self, from: data) {
      guard let latitude = row.latitude, let longitude = row.longitude else { continue }
      tracks[row.flight ?? "", default: []].append(
        Fix(
          time: Timestamp(microseconds: row.timestamp * 1000),
          coordinate: Coordinate(latitude: latitude, longitude: longitude)))
    }
    return tracks.keys.sorted().compactMap { tracks[$0]?.sorted { $0.time < $1.time } }
  }
}
