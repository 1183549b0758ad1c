import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityPlanner

@Suite struct NamedOptionsTests {
  /// For each option of plans: what it needs, a value, what it makes of the usual options, and values that
  /// are refused.
  static let plans: [(name: String, needs: [String: String], value: String, PlanOptions, refused: [String])] =
    [
      ("followed", [:], "yes", .followed, ["true", ""]),
      ("capacity", [:], "7", PlanOptions(capacity: 7), ["-1", "10001", "7.0", "x", ""]),
      ("reserve", [:], "3", PlanOptions(reserved: 3), ["-1", "10001", "nan"]),
      ("spare-slot", [:], "yes", PlanOptions(swapPolicy: .spareSlot), ["1"]),
      ("strategy", [:], "visits", PlanOptions(strategy: .visits()), ["luck", "Visits", ""]),
      (
        "radius", ["strategy": "constant-radius"], "500", PlanOptions(strategy: .constantRadius(500)),
        ["0", "-1", "inf", "nan"]
      ),
      (
        "turn-margin", ["strategy": "boundary-ahead"], "0.5",
        PlanOptions(strategy: .boundaryAhead(turnMargin: 0.5)), ["0", "1.1", "nan"]
      ),
      ("max-speed", [:], "30", PlanOptions(maximumSpeed: 30), ["0", "-1", "inf", "nan", "fast"]),
      ("latency", [:], "5", PlanOptions(latency: .seconds(5)), ["-1", "1e11", "nan"]),
      ("overshoot", [:], "5", PlanOptions(overshoot: 5), ["-1", "inf", "nan"]),
      ("sentinel-error", [:], "5", PlanOptions(sentinelError: 5), ["-1", "inf", "nan"]),
      ("min-radius", [:], "5", PlanOptions(minimumReliableRadius: 5), ["-1", "inf", "nan"]),
      ("max-radius", [:], "500", PlanOptions(maximumRadius: 500), ["0", "-1", "nan", "99"]),
      ("max-region-radius", [:], "500", PlanOptions(maximumRegionRadius: 500), ["-1", "nan"]),
      ("error-factor", [:], "2", PlanOptions(errorFactor: 2), ["-1", "inf", "nan"]),
      ("acquisition", [:], "5", PlanOptions(acquisitionTime: .seconds(5)), ["-1", "1e11"]),
      ("tier", [:], "hundredMeters", PlanOptions(tolerance: 100), ["good", "-1", "inf"]),
      ("pin", [:], "a", PlanOptions(pinned: ["a"]), []),
    ]

  static func options(_ given: [String: String]) throws(OptionFault) -> PlanOptions {
    try PlanOptions(named: { name in given[name].map { [$0] } ?? [] })
  }

  @Test("Each option of plans sets what it says, and refuses what that cannot be")
  func eachOption() throws {
    #expect(Self.plans.map(\.name) == PlanOptions.named.map(\.name))
    for (name, needs, value, expected, refused) in Self.plans {
      #expect(try Self.options(needs.merging([name: value]) { $1 }) == expected, "\(name)")
      for text in refused {
        let fault = #expect(throws: OptionFault.self, "\(name) \(text)") {
          _ = try Self.options(needs.merging([name: text]) { $1 })
        }
        guard case .value(name, _, _)? = fault else {
          Issue.record("\(name) \(text): \(fault as Any)")
          continue
        }
      }
    }
  }

  @Test("What belongs to one strategy is refused with another, and says what it needs")
  func needs() throws {
    #expect(throws: OptionFault.needs(option: "radius", other: "strategy", value: "constant-radius")) {
      _ = try Self.options(["radius": "5"])
    }
    #expect(throws: OptionFault.needs(option: "turn-margin", other: "strategy", value: "boundary-ahead")) {
      _ = try Self.options(["turn-margin": "0.5", "strategy": "constant-radius"])
    }
  }

  @Test("Pinned names are regions', are refused where they are ignored, and told where they get no slot")
  func pins() throws {
    for name in PlanStrategy.names {
      let given = ["pin": "a", "strategy": name]
      if PlanStrategy(name: name)?.isCertified == true {
        #expect(try Self.options(given).pinned == ["a"])
        continue
      }
      #expect(
        throws: OptionFault.needs(option: "pin", other: "strategy", value: "boundary or boundary-ahead")
      ) { _ = try Self.options(given) }
    }
    let center = Coordinate(latitude: 1, longitude: 2)
    let index = try RegionIndex([
      Region(identifier: "a", center: center, radius: 100),
      Region(identifier: "b", center: center, radius: 900),
    ])
    #expect(try PlanOptions(pinned: ["a", "b"]).checkPins(in: index) == nil)
    // Of one text in two spellings, neither is lost; the same one twice is one.
    let spellings = ["caf\u{E9}", "cafe\u{301}"]
    for pins in [spellings, spellings.reversed(), spellings + spellings] {
      let options = try PlanOptions(named: { $0 == "pin" ? pins : [] })
      #expect(Set(options.allPins.map { Array($0.utf8) }) == Set(spellings.map { Array($0.utf8) }))
      #expect(options.allPins.count == 2)
    }
    #expect(
      try PlanOptions(maximumRegionRadius: 500, pinned: ["a", "b"]).checkPins(in: index)
        == "\"b\" is pinned, but larger than max-region-radius, 500.0 m: it never gets a slot")
    #expect(
      throws: OptionFault.value(
        option: "pin", expected: "the identifier of a region, such as \"a\"", found: "c")
    ) { _ = try PlanOptions(pinned: ["a", "c"]).checkPins(in: index) }
  }

  @Test("What is given counts in whatever order, and of a position that is followed too")
  func together() throws {
    let given = ["latency": "7", "followed": "yes", "radius": "300", "strategy": "constant-radius"]
    var expected = PlanOptions.followed
    expected.latency = .seconds(7)
    expected.strategy = .constantRadius(300)
    #expect(try Self.options(given) == expected)
    #expect(
      throws: OptionFault.value(option: "reserve", expected: "no more than capacity, 4", found: "5")
    ) {
      _ = try Self.options(["capacity": "4", "reserve": "5"])
    }
    #expect(try Self.options(["capacity": "4", "reserve": "4"]).slots == 0)
    #expect(
      throws: OptionFault.value(option: "max-radius", expected: "no less than min-radius", found: "400.0")
    ) {
      _ = try Self.options(["min-radius": "500", "max-radius": "400"])
    }
  }

  @Test("Whatever is accepted is what a planner takes")
  func acceptedIsValid() throws {
    let seed: UInt64 = 0x0971_0115
    var random = SplitMix64(seed: seed)
    let values = [
      "0", "-0", "1", "0.5", "-1", "1e9", "1e308", "1e-320", "inf", "-inf", "nan", "0x10", "yes", "no",
      "best",
      "boundary-ahead", "constant-radius", "visits", "", " 1", "20",
    ]
    var accepted = 0
    for i in 0..<20_000 {
      var given: [String: String] = [:]
      for option in PlanOptions.named where random.next() % 8 == 0 {
        given[option.name] = values.randomElement(using: &random)
      }
      guard let options = try? Self.options(given) else { continue }
      accepted += 1
      #expect(throws: Never.self, "seed \(seed), case \(i): \(given)") { try options.validated() }
    }
    #expect(accepted > 1000)
  }

  @Test("Each option of crossings sets what it says, and refuses what that cannot be")
  func crossings() throws {
    func options(_ given: [String: String]) throws(OptionFault) -> CrossingOptions {
      var options = CrossingOptions()
      try CrossingOptions.named.apply(to: &options) { name in given[name].map { [$0] } ?? [] }
      return options
    }
    let core = ["rule": "core-location"]
    let cases: [(name: String, needs: [String: String], value: String, CrossingOptions, refused: [String])] =
      [
        ("rule", [:], "overlap", CrossingOptions(rule: .overlap()), ["guess", ""]),
        (
          "cushion", core, "5", CrossingOptions(rule: .coreLocation(CoreLocationParameters(cushion: 5))),
          ["-1", "inf", "nan"]
        ),
        (
          "remain", core, "5",
          CrossingOptions(rule: .coreLocation(CoreLocationParameters(timeToRemain: .seconds(5)))),
          ["-1", "1e11"]
        ),
        ("max-gap", [:], "5", CrossingOptions(maximumGap: .seconds(5)), ["-1", "1e11", "nan"]),
        ("dwell", [:], "5", CrossingOptions(dwell: .seconds(5)), ["0", "-1", "1e11", "nan"]),
      ]
    #expect(cases.map(\.name) == CrossingOptions.named.map(\.name))
    for (name, needs, value, expected, refused) in cases {
      let made = try options(needs.merging([name: value]) { $1 })
      #expect(try made == expected.validated(), "\(name)")
      for text in refused {
        #expect(throws: OptionFault.self, "\(name) \(text)") {
          _ = try options(needs.merging([name: text]) { $1 })
        }
      }
    }
    for name in ["cushion", "remain"] {
      #expect(throws: OptionFault.needs(option: name, other: "rule", value: "core-location")) {
        _ = try options([name: "5"])
      }
    }
  }
}
