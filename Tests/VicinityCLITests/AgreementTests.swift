import Foundation
import Testing

/// `vicinity simulate` and `vicinity compare` on the same input.
@Suite struct AgreementTests {
  /// Ten circles of 200 m along the equator, 1 km apart.
  private static let regions =
    "id,latitude,longitude,radius\n"
    + (1...10).map { "r\($0),0,\(degrees(1000 * Double($0))),200\n" }.joined()

  /// A phone that stands, is not heard of for two hours in which it passes all of them, and stands again.
  private static let track =
    "device,time,latitude,longitude\n"
    + [(0, 0.0), (600, 0), (7800, 11_000), (9600, 11_000)].map { second, east in
      "me,\(1_000_000 + second),0,\(degrees(east))\n"
    }.joined()

  private static func degrees(_ metres: Double) -> Double { metres / 111_319.490793 }

  @Test func bothCountTheSameCrossingsAcrossALongGap() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.regions, to: "stops.csv")
    let track = try directory.write(Self.track, to: "way.csv")
    func json(_ arguments: [String]) throws -> [String: Any] {
      let run = try CommandRun(arguments + ["--format", "json"], in: directory.url)
      #expect(run.status == 0, "\(run.errors)")
      return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }
    let run = try json(["simulate", regions, "--track", track, "--policy", "always-best"])
    let study = try json(["compare", regions, "--tracks", track, "--policies", "always-best", "--seeds", "1"])
    let policy = try #require((study["policies"] as? [[String: Any]])?.first)
    #expect(run["crossings"] as? Int == 20 && policy["crossings"] as? Int == 20)
    let headline = try #require(policy["headline"] as? [String: [String: Any]])
    let recall = try #require(headline["recall"]?["value"] as? Double)
    let reported = try #require(run["crossings_reported"] as? Int)
    #expect(abs(recall - Double(reported) / 20) < 1e-6)
  }
}
