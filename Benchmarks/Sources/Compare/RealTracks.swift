import Foundation
import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// Real tracks: the rides that are shipped, and those beside the repository where they are.
///
/// All but those of phones are cut where two positions are farther apart than ``cadence``, or a device would
/// have been faster than ``topSpeed``: what these devices promise of themselves holds on every track.
struct RealTracks {
  var name: String
  /// The longest time between two fixes, seconds.
  var cadence: Int
  var topSpeed: MetersPerSecond
  /// What devices say, and where they were at those times, or at others.
  var tracks: [(fixes: [Fix], truth: [Fix])]

  var hours: Double {
    tracks.reduce(0) { sum, track in
      guard let first = track.truth.first, let last = track.truth.last else { return sum }
      return sum + last.time.seconds(since: first.time) / 3600
    }
  }

  /// - Parameter data: `Data` of the repository.
  /// - Parameter shared: The folder of tracks beside it.
  static func all(data: URL, shared: URL) throws -> [RealTracks] {
    var all = [try rides(data.appending(path: "rides"))]
    let porto = shared.appending(path: "tracks/porto_taxi/train.1k.csv")
    if exists(porto) { all.append(try taxis(porto)) }
    let adsb = shared.appending(path: "tracks/adsb")
    if exists(adsb) { all.append(try flights(adsb)) }
    let phones = shared.appending(path: "mobilitynet")
    if exists(phones) { all.append(try Self.phones(phones)) }
    return all
  }

  private static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  /// What a reader makes of files, device after device.
  private static func read(_ paths: [String], _ options: ReadingOptions) throws -> [[Fix]] {
    var options = options
    options.skipInvalid = true
    let reader = try TrackReader(paths, options: options)
    var tracks: [[Fix]] = []
    while let batch = try reader.next() {
      for run in batch.runs {
        while tracks.count <= run.device { tracks.append([]) }
        tracks[run.device] += batch.fixes[run.range]
      }
    }
    return tracks.filter { $0.count > 1 }
  }

  private static func rides(_ folder: URL) throws -> RealTracks {
    let tracks = try read([folder.appending(path: "*.gpx.gz").path], ReadingOptions())
    return RealTracks(
      name: "rides, a fix a second", cadence: 5, topSpeed: 25, tracks: parts(tracks, cadence: 5, topSpeed: 25)
    )
  }

  /// Trips as lists of places, 15 s apart.
  private static func taxis(_ file: URL) throws -> RealTracks {
    var tracks: [[Fix]] = []
    let text = try String(contentsOf: file, encoding: .utf8)
    for line in text.split(whereSeparator: \.isNewline).dropFirst() {
      guard let start = line.range(of: "[[") else { continue }
      let numbers = line[start.lowerBound...].split { "[],\" ".contains($0) }.compactMap { Double($0) }
      let fixes = stride(from: 0, to: numbers.count - 1, by: 2).map { i in
        Fix(
          time: Timestamp(microseconds: (1_372_636_858 + Int64(i) / 2 * 15) * 1_000_000),
          coordinate: Coordinate(latitude: numbers[i + 1], longitude: numbers[i]))
      }
      tracks.append(fixes)
    }
    return RealTracks(
      name: "taxis, a fix per 15 s", cadence: 15, topSpeed: 40,
      tracks: parts(tracks, cadence: 15, topSpeed: 40))
  }

  private static func unzipped(_ file: URL) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", file.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return data
  }

  private static func flights(_ folder: URL) throws -> RealTracks {
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
    var tracks: [[Fix]] = []
    for name in ["noumea", "kiruna"] {
      let file = folder.appending(path: "\(name).json.gz")
      guard exists(file) else { continue }
      var flights: [String: [Fix]] = [:]
      for row in try JSONDecoder().decode([Row].self, from: unzipped(file)) {
        guard let latitude = row.latitude, let longitude = row.longitude else { continue }
        flights["\(name) \(row.flight ?? "")", default: []].append(
          Fix(
            time: Timestamp(microseconds: row.timestamp * 1000),
            coordinate: Coordinate(latitude: latitude, longitude: longitude)))
      }
      for key in flights.keys.sorted() {
        tracks.append(increasing((flights[key] ?? []).sorted { $0.time < $1.time }))
      }
    }
    return RealTracks(
      name: "flights, a fix per 5 s", cadence: 5, topSpeed: 320,
      tracks: parts(tracks, cadence: 5, topSpeed: 320))
  }

  /// What phones said, and the known ways they were carried along.
  private static func phones(_ folder: URL) throws -> RealTracks {
    var truths: [String: [Fix]] = [:]
    for row in rows(try unzipped(folder.appending(path: "reference.csv.gz"))) {
      guard row.count > 3, let seconds = Double(row[1]), let time = Timestamp(seconds: seconds),
        let latitude = Double(row[2]), let longitude = Double(row[3])
      else { continue }
      truths[String(row[0]), default: []].append(
        Fix(time: time, coordinate: Coordinate(latitude: latitude, longitude: longitude)))
    }
    var tracks: [(fixes: [Fix], truth: [Fix])] = []
    let fixes = folder.appending(path: "fixes")
    for name in try FileManager.default.contentsOfDirectory(atPath: fixes.path).sorted() {
      let parts = name.dropLast(".csv.gz".count).components(separatedBy: "__")
      guard parts.count == 3, let truth = truths["\(parts[0])__\(parts[2])"] else { continue }
      let said = rows(try unzipped(fixes.appending(path: name))).compactMap { row -> Fix? in
        let numbers = row.prefix(6).map { Double($0) ?? -1 }
        guard numbers.count == 6, let time = Timestamp(seconds: numbers[0]) else { return nil }
        return Fix(
          time: time, coordinate: Coordinate(latitude: numbers[1], longitude: numbers[2]),
          horizontalAccuracy: numbers[3], speed: numbers[4], course: numbers[5])
      }
      // Phones on the road with high accuracy: others have next to no fixes to plan by.
      if said.count > 2000 { tracks.append((increasing(said), increasing(truth))) }
    }
    return RealTracks(name: "phones against their reference", cadence: 10, topSpeed: 40, tracks: tracks)
  }

  private static func rows(_ data: Data) -> [[Substring]] {
    String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
  }

  /// What can follow one another.
  private static func increasing(_ fixes: [Fix]) -> [Fix] {
    var result: [Fix] = []
    for fix in fixes where result.last.map({ $0.time < fix.time }) ?? true { result.append(fix) }
    return result
  }

  /// Tracks cut where what devices promise fails.
  private static func parts(
    _ tracks: [[Fix]], cadence: Int, topSpeed: MetersPerSecond
  ) -> [(fixes: [Fix], truth: [Fix])] {
    var parts: [[Fix]] = []
    for track in tracks {
      var part: [Fix] = []
      for fix in track {
        if let last = part.last {
          let seconds = fix.time.seconds(since: last.time)
          let way = (try? Geodesic.distance(from: last.coordinate, to: fix.coordinate)) ?? .infinity
          if seconds > Double(cadence) || way > topSpeed * seconds {
            parts.append(part)
            part = []
          }
        }
        part.append(fix)
      }
      parts.append(part)
    }
    return parts.filter { $0.count > 1 }.map { (withMotion($0), $0) }
  }

  /// Fixes with the speed and course since the one before, as receivers state them.
  private static func withMotion(_ fixes: [Fix]) -> [Fix] {
    var result = fixes
    for i in fixes.indices.dropFirst() {
      let seconds = fixes[i].time.seconds(since: fixes[i - 1].time)
      guard seconds > 0, seconds < 60, fixes[i].speed < 0 || fixes[i].course < 0,
        let way = try? Geodesic.inverse(from: fixes[i - 1].coordinate, to: fixes[i].coordinate),
        way.distance > 1
      else { continue }
      result[i].speed = way.distance / seconds
      result[i].course = way.azimuth2 < 0 ? way.azimuth2 + 360 : way.azimuth2
    }
    return result
  }
}
