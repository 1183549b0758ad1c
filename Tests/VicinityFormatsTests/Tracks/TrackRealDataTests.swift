import Testing
import VicinityGeodesy
import VicinityMonitor

@testable import VicinityFormats

/// The real files in ../shared/data, where they are.
@Suite(.enabled(if: SharedData.isPresent))
struct TrackRealDataTests {
  struct Reading {
    var fixes: [(device: String, fix: Fix)] = []
    var summary = TrackSummary()
  }

  static func read(
    _ paths: [String], _ change: (inout TrackReader.Options) -> Void = { _ in }
  ) throws -> Reading {
    var options = TrackReader.Options()
    change(&options)
    let reader = try TrackReader(paths.map(SharedData.path), options: options)
    var reading = Reading()
    while let batch = try reader.next() {
      for run in batch.runs {
        for i in run.range { reading.fixes.append((reader.devices[run.device], batch.fixes[i])) }
      }
    }
    reading.summary = reader.summary
    return reading
  }

  @Test func dump() throws {
    for (path, zone) in [
      ("tracks/gpx_gpxpy", nil), ("tracks/bus_liverpool", 0), ("tracks/nmea_gpsd/*.log", nil),
      ("tracks/gnss_google/*.nmea", nil), ("tracks/gnss_google/*.gga", nil),
      ("tracks/gnss_android/*.nmea", nil),
      ("product/rides/*.gpx", nil), ("tracks/hurdat2_nepac", nil), ("tracks/adsb", nil), ("tracks/fit", nil),
      ("tracks/porto_taxi", nil),
    ] as [(String, Int?)] {
      for file in try TrackFiles([SharedData.path(path)]).paths {
        do {
          let reading = try Self.read([String(file.dropFirst(SharedData.root.count + 1))]) {
            $0.skipInvalid = true
            $0.zone = zone
            $0.maximumDiagnostics = 3
          }
          print(
            file.split(separator: "/").last ?? "", Set(reading.fixes.map(\.device)).count, reading.summary)
        } catch { print(file, "ERROR", error) }
      }
    }
  }
}
