import Testing
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation

/// A policy with parameters whose best values are known: the standard service, of a tier and a filter.
private struct Adjusted: AdjustablePolicy {
  var accuracy = DesiredAccuracy.best
  var filter = 0.0
  var color = 0

  static let adjustments: [PolicyAdjustment<Adjusted>] = [
    .choice("accuracy", \.accuracy, "The tier.", tries: [.best, .hundredMeters, .kilometer]),
    .number("filter", \.filter, in: 0...1000, unit: "m", "The filter.", tries: [0, 20, 100, 500]),
    .count("color", \.color, in: 0...9, "Nothing at all.", tries: [0, 1, 2, 3]),
  ]

  var name: String { "adjusted" }
  var summary: String { "The standard service." }

  func makeApp(watching regions: RegionIndex) -> any PhoneApp { App(regions, self) }

  private final class App: PhoneApp {
    private let policy: Adjusted
    private var decisions: FixDecisions

    init(_ regions: RegionIndex, _ policy: Adjusted) {
      self.policy = policy
      decisions = FixDecisions(regions)
    }

    func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
      switch event {
      case .launched:
        phone.locationSettings = LocationSettings(
          desiredAccuracy: policy.accuracy, distanceFilter: policy.filter > 0 ? policy.filter : nil,
          pausesAutomatically: false, allowsBackgroundUpdates: true)
        phone.startUpdatingLocation()
      case .locations(let fixes, _):
        for fix in fixes {
          decisions.handle(fix, on: phone) { region, isInside, time in
            phone.report(entry: isInside, region: region, at: time)
          }
        }
      default: break
      }
    }
  }
}

@Suite("Policy search")
struct PolicySearchTests {
  private func search(_ text: String, devices: Int = 3) throws -> PolicySearch {
    let study = Study(
      of: [Adjusted(), CommonRecipePolicy()],
      watching: try MadeResult.regions((0..<12).map { "region \($0)" }), on: MadeResult.devices(devices),
      profile: try DeviceProfile.named("iphone-6"))
    var search = PolicySearch(study, for: try Requirement.parse(text))
    // Counted here are the settings of the grid.
    search.refinements = 0
    return search
  }

  /// Everything there is, on all devices.
  private func best(_ search: PolicySearch) throws -> ScoreCard {
    var study = search.study
    study.policies = []
    for accuracy in ["best", "hundredMeters", "kilometer"] {
      for filter in ["0", "20", "100", "500"] {
        study.policies.append(
          try Adjusted().setting("accuracy", to: accuracy).setting("filter", to: filter))
      }
    }
    study.resampling.count = 0
    return try #require(
      try study.run().cards.min { search.requirement.isBetter($0, than: $1) })
  }

  @Test("A full grid finds the cheapest; a climb finds one as cheap", arguments: [1000, 4])
  func finds(gridLimit: Int) throws {
    for text in ["recall>=0.9,p95-latency<=120s", "recall>=0.3,p95-latency<=1h"] {
      var search = try search(text)
      search.gridLimit = gridLimit
      search.leastDevices = 3
      let outcome = try search.run()
      let expected = try best(search)
      // Three tiers, four filters, four colours, and what the other policy has.
      let others = CommonRecipePolicy().parameters.reduce(1) { $0 * $1.choices.count }
      #expect(gridLimit == 1000 ? outcome.tried == 48 + others : outcome.tried <= 48 + others)
      let cost: Double = outcome.best?.value(.energy) ?? .infinity
      let least: Double = expected.value(.energy) ?? 0
      #expect(
        cost <= least * 1.000001,
        "\(text): \(outcome.words), \(expected.policy)")
      #expect(search.requirement.isMet(by: expected) == (outcome.best != nil))
      #expect(outcome.words.contains("is the cheapest found among"))
    }
  }

  @Test("Where nothing will do, the nearest is named")
  func none() throws {
    var search = try search("recall>=1,p95-latency<=0.001s")
    search.gridLimit = 4
    let outcome = try search.run()
    #expect(outcome.best == nil)
    #expect(outcome.words.contains("none of"))
    #expect(!outcome.finalists.isEmpty)
  }

  @Test("The same search finds the same, whatever the threads; another seed may go another way")
  func deterministic() throws {
    var search = try search("recall>=0.8", devices: 13)
    search.gridLimit = 4
    search.leastDevices = 2
    // Of thirteen devices seven choose.
    #expect(search.rungs() == [3, 7])
    let one = try search.run(threads: 1)
    let three = try search.run(threads: 3)
    #expect(one.words == three.words && one.tried == three.tried)
    #expect(one.finalists.map(\.policy) == three.finalists.map(\.policy))
    #expect(one.finalists.map(\.headline) == three.finalists.map(\.headline))
    #expect(search.deviceOrder().sorted() == Array(0..<13))
    let order = search.deviceOrder()
    search.seed = 2
    #expect(search.deviceOrder() != order)
  }

  @Test("A search can be stopped")
  func stopped() throws {
    let search = try search("recall>=0.8")
    #expect(throws: StudyError.cancelled) { try search.run { $0.round.done < 3 } }
  }
}
