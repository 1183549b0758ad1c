import Foundation
import Testing

/// `vicinity plan` as a process: rows, formats, checks, strategies, refusals.
@Suite struct PlanCommandTests {
  /// Thirty circles of 100 m along the equator, 1 km apart, the first boundary 900 m east of 0, and a device
  /// that goes east at 20 m/s, a fix each 10 s.
  static let regions =
    "id,latitude,longitude,radius\n"
    + (1...30).map { "r\($0),0,\(degrees(1000 * Double($0))),100\n" }.joined()

  static func track(_ fixes: Int, device: String = "bus", accuracy: Int = 0) -> String {
    "device,time,latitude,longitude,accuracy\n"
      + (0..<fixes).map { "\(device),\(1_000_000 + 10 * $0),0,\(degrees(200 * Double($0))),\(accuracy)\n" }
      .joined()
  }

  private static func degrees(_ metres: Double) -> Double { metres / 111_319.490793 }

  private func run(
    _ arguments: [String], track: String = Self.track(60), regions: String = Self.regions
  ) throws -> CommandRun {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(regions, to: "stops.csv")
    let track = try directory.write(track, to: "bus.csv")
    return try CommandRun(["plan", regions, "--track", track] + arguments)
  }

  static let header =
    "device,time,latitude,longitude,error,registered,vicinity_latitude,vicinity_longitude,vicinity_radius,"
    + "certificate,saturated,left_out,unprovable_exits,next_fix_due,slots_in_use,sentinel_gap,regions,register,unregister"

  @Test func aRowAPlan() throws {
    let run = try run(["--followed", "--capacity", "4"])
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.first == Self.header)
    // Three circles; the fourth's boundary is 3900 m away, and again 200 m behind the last, and so on.
    #expect(
      lines[1]
        == "bus,1970-01-12T13:46:40.000Z,0.00000000,0.00000000,0.000,3,0.00000000,0.00000000,3899.999,3899.999,"
        + ",0,0,,4,false,r1;r2;r3,r1;r2;r3,")
    // 4 km on, 100 m beyond the disc: the fix at 4000 m lies in r4.
    #expect(
      lines[2]
        == "bus,1970-01-12T13:50:00.000Z,0.00000000,0.03593261,0.000,3,0.00000000,0.03593261,1899.999,1899.999,"
        + ",0,0,,4,false,r4;r3;r5,r4;r5,r2;r1")
    #expect(run.errors.contains("60 fixes of 1 device, "))
    let single = try self.run([], track: Self.track(1))
    #expect(single.errors.contains("done: 1 fix of 1 device, 1 plan (0 saturated) in "), "\(single.errors)")
    #expect(!run.errors.contains("check"))
  }

  @Test func swappedFixesAreToldOf() throws {
    let regions = "id,latitude,longitude,radius\nvienna,48.2,16.4,500\n"
    func errors(_ first: Double, _ second: Double) throws -> String {
      let rows = (0..<3).map { "tram,\(1_700_000_000 + 60 * $0),\(first),\(second)\n" }.joined()
      return try run([], track: "device,time,latitude,longitude\n" + rows, regions: regions).errors
    }
    #expect(try errors(16.4, 48.2).contains("they may be swapped in the points or in the regions"))
    #expect(try !errors(48.2, 16.4).contains("swapped") && !errors(60.2, 24.9).contains("swapped"))
  }

  @Test func aMapIsDrawnBesideTheRows() throws {
    let directory = try TemporaryDirectory()
    let map = directory.url.appendingPathComponent("map.html").path
    let plain = try run(["--followed", "--capacity", "4"])
    let drawn = try run(["--followed", "--capacity", "4", "--map", map])
    #expect(drawn.status == 0 && drawn.output == plain.output)
    let page = try String(contentsOfFile: map, encoding: .utf8)
    #expect(page.hasPrefix("<!doctype html>") && page.contains("<title>Plans along bus.csv</title>"))
    #expect(page.contains("\"name\":\"bus\"") && page.components(separatedBy: "\"registered\":[").count > 3)
    // The rows and the map need a place each, and no input is overwritten.
    let same = try run(["--map", "-"])
    #expect(same.status == 64 && same.errors.contains("--map and --output need a place each"))
    #expect(try run(["--map", ""]).status == 64)
    let nowhere = try run(["--map", directory.url.appendingPathComponent("none/map.html").path])
    #expect(nowhere.status == 1 && nowhere.output.isEmpty && nowhere.errors.contains("none/map.html"))
    // A track that cannot be read leaves no page behind.
    let broken = directory.url.appendingPathComponent("broken.html").path
    #expect(try run(["--map", broken], track: "device,time,latitude,longitude\nbus,1,95,0\n").status == 1)
    #expect(!FileManager.default.fileExists(atPath: broken))
  }

  @Test func jsonHoldsTheListsWhole() throws {
    let run = try run(["--capacity", "4", "--format", "json"])
    #expect(run.status == 0)
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let plans = try #require(json as? [[String: Any]])
    let first = try #require(plans.first)
    #expect(first["certificate"] as? Double == 3899.999)
    let vicinity = try #require(first["vicinity"] as? [String: Any])
    #expect(vicinity["radius"] as? Double == 2799.999)
    let registrations = try #require(first["registrations"] as? [[String: Any]])
    #expect(registrations.map { $0["region"] as? String } == ["r1", "r2", "r3"])
    #expect(registrations.map { $0["boundary_distance"] as? Double } == [900, 1900, 2900])
    let steps = try #require(first["steps"] as? [[String: Any]])
    #expect(steps.first?["sentinel"] as? String == "vicinity-a")
    #expect(steps.count == 4)
    // Between the circles a phone's margins leave no vicinity where one fits.
    let tight = try self.run(["--capacity", "2", "--format", "json"])
    let tightPlans = try JSONSerialization.jsonObject(with: Data(tight.output.utf8)) as? [[String: Any]] ?? []
    let saturated = tightPlans.compactMap { $0["saturated"] as? [String: Any] }
    #expect(saturated.first?["reason"] as? String == "radiusTooSmall")
    #expect((saturated.first?["left_out"] as? [[String: Any]])?.isEmpty == false)
    #expect(tightPlans.contains { $0["next_fix_due"] is String })
    let all = try self.run(["--capacity", "40", "--format", "json"])
    let everything = try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [[String: Any]]
    #expect(everything?.count == 1)
    #expect(everything?.first?["all_registered"] as? Bool == true)
    #expect(everything?.first?["certificate"] is NSNull)
    let none = try self.run(["--format", "json"], track: "device,time,latitude,longitude\n")
    #expect(none.output == "[\n]\n" || none.status == 1)
  }

  @Test func certificatesHoldAndOthersMiss() throws {
    for strategy in ["boundary", "boundary-ahead"] {
      for margins in [["--followed"], []] {
        let run = try run(
          ["--capacity", "3", "--check", "--strategy", strategy] + margins, track: Self.track(150))
        #expect(run.status == 0)
        #expect(run.errors.contains("29 entries, "))
        #expect(run.errors.contains(" 0 against a certificate"))
        // Each entry has become something.
        let check = try #require(run.errors.split(separator: "\n").first { $0.contains("vicinity: check: ") })
        let counts = check.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        #expect(counts.count == 5 && counts.dropFirst().reduce(0, +) == 29, "\(check)")
        #expect(counts[1] >= 10, "\(check)")
      }
    }
    let constant = try run(
      ["--capacity", "3", "--check", "--strategy", "constant-radius", "--radius", "5000"],
      track: Self.track(150))
    #expect(constant.status == 0)
    #expect(constant.errors.contains(" missed"))
    #expect(!constant.errors.contains("; 0 missed"))
  }

  @Test func devicesAreFollowedOnTheirOwn() throws {
    let one = Self.track(60)
    let other =
      Self.track(60, device: "tram").split(separator: "\n").dropFirst().joined(separator: "\n") + "\n"
    let together = try run(["--followed", "--capacity", "4"], track: one + other)
    let alone = try run(["--followed", "--capacity", "4"], track: one)
    let lines = together.output.split(separator: "\n")
    #expect(lines.count > 4)
    #expect(lines.filter { $0.hasPrefix("bus") }.count * 2 + 1 == lines.count)
    #expect(together.output.hasPrefix(alone.output))
    #expect(
      lines.filter { $0.hasPrefix("tram") }.map { $0.dropFirst(4) }
        == lines.filter { $0.hasPrefix("bus") }.map {
          $0.dropFirst(3)
        })
  }

  @Test func errorsCountThreefold() throws {
    let exact = try run(["--followed", "--capacity", "4"])
    let rough = try run(["--followed", "--capacity", "4"], track: Self.track(60, accuracy: 50))
    let factor = try run(
      ["--followed", "--capacity", "4", "--error-factor", "0"], track: Self.track(60, accuracy: 50))
    #expect(rough.output.contains(",150.000,3,"))
    #expect(rough.output.split(separator: "\n").count > exact.output.split(separator: "\n").count)
    #expect(factor.output == exact.output)
  }

  @Test func pinsReservesAndLargeRegions() throws {
    let pinned = try run(["--followed", "--capacity", "4", "--pin", "r30", "--pin", "r1"])
    #expect(pinned.output.contains(",r1;r2;r30,r1;r2;r30,"))
    let reserved = try run(["--followed", "--capacity", "4", "--reserve", "2"])
    #expect(reserved.output.contains(",2,false,r1,r1,"))
    let spare = try run(["--followed", "--capacity", "4", "--spare-slot"])
    #expect(spare.output.contains(",3,false,r1;r2,r1;r2,"))
    let large = try run(["--followed", "--capacity", "4", "--max-region-radius", "50"])
    #expect(large.output.contains(",0.000,0,0.00000000,0.00000000,899.999,899.999,,0,0,,1,false,,,"))
  }

  @Test func outputIsWholeAndBadInputIsNamed() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.regions, to: "stops.csv")
    let track = try directory.write(Self.track(30), to: "bus.csv")
    let output = directory.url.appendingPathComponent("plans.csv").path
    let run = try CommandRun(["plan", regions, "--track", track, "--followed", "--output", output])
    #expect(run.status == 0 && run.output.isEmpty)
    #expect(try String(contentsOfFile: output, encoding: .utf8).hasPrefix(Self.header))
    let bad = try directory.write(
      "device,time,latitude,longitude\nbus,20,0,0\nbus,10,0,0\nbus,30,0,0\n", to: "bad.csv")
    let other = directory.url.appendingPathComponent("other.csv").path
    let refused = try CommandRun(["plan", regions, "--track", bad, "--output", other])
    #expect(refused.status == 1)
    #expect(refused.errors.contains("bad.csv:3"))
    #expect(!directory.names.contains("other.csv"))
    let skipped = try CommandRun(["plan", regions, "--track", bad, "--skip-invalid"])
    #expect(skipped.status == 0)
    let sorted = try CommandRun(["plan", regions, "--track", bad, "--sort"])
    #expect(sorted.status == 0)
    #expect(sorted.output.contains("1970-01-01T00:00:10.000Z"))
    let missing = try CommandRun([
      "plan", regions, "--track", directory.url.appendingPathComponent("none.csv").path,
    ])
    #expect(missing.status == 1)
    #expect(missing.errors.contains("no such file"))
    #expect(try CommandRun(["plan", regions, "--track", track, "--output", track]).status == 1)
    let piped = try CommandRun(["plan", regions, "--track", "-", "--followed"], input: Self.track(30))
    #expect(piped.output.split(separator: "\n").count == 2)
  }

  @Test(arguments: [
    ["--capacity", "-1"], ["--strategy", "luck"], ["--radius", "5"], ["--turn-margin", "0.5"],
    ["--strategy", "boundary-ahead", "--turn-margin", "0"], ["--max-speed", "0"], ["--latency", "nan"],
    ["--overshoot", "-3"], ["--min-radius", "500", "--max-radius", "400"], ["--acquisition", "1e300"],
    ["--max-gap", "-1"], ["--format", "xml"],
  ])
  func refusedUsage(_ arguments: [String]) throws {
    let run = try run(arguments)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(
      run.errors.contains(
        arguments.contains("--turn-margin") ? "turn-margin" : arguments[arguments.count - 2]))
  }

  @Test func pinsAreRegions() throws {
    let unknown = try run(["--pin", "r99"])
    #expect(unknown.status == 1 && unknown.output.isEmpty)
    #expect(
      unknown.errors.contains(
        "--pin must be the identifier of a region, such as \"r1\"; found \"r99\" (")
        && unknown.errors.contains("stops.csv)"),
      "\(unknown.errors)")
    let far = try run(["--pin", "r30", "--capacity", "4"])
    #expect(far.status == 0 && far.output.contains("r30") && !far.errors.contains("pinned"))
    let large = try run(["--pin", "r30", "--capacity", "4", "--max-region-radius", "50"])
    #expect(
      large.status == 0 && large.errors.contains("\"r30\" is pinned, but larger than max-region-radius"))
    let ignored = try run(["--pin", "r30", "--strategy", "visits"])
    #expect(
      ignored.status == 64 && ignored.errors.contains("--pin needs --strategy boundary or boundary-ahead"))
    let reserved = try run(["--reserve", "30"])
    #expect(reserved.status == 64 && reserved.errors.contains("--reserve must be no more than capacity, 20"))
  }

  @Test func theOutputDoesNotDependOnThreads() throws {
    let one = try run(["--followed", "--jobs", "1"])
    let two = try run(["--followed", "--jobs", "2"])
    #expect(one.status == 0 && one.output.split(separator: "\n").count > 1)
    #expect(one.output == two.output)
  }
}
