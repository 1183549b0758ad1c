import Testing
import VicinityCrossings
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation

@Suite("Policies and their parameters")
struct PolicyParameterTests {
  @Test("Every policy has a name of its own, says where it is from, and is found by its name")
  func names() {
    #expect(Set(Policies.names).count == Policies.all.count)
    for policy in Policies.all {
      #expect(Policies.named(policy.name)?.summary == policy.summary)
      #expect(!policy.source.isEmpty && !policy.summary.isEmpty, "\(policy.name)")
      #expect(policy.label == policy.name)
    }
  }

  @Test("A label names what differs from the defaults, and is read back as it was written")
  func labels() throws {
    for policy in Policies.all {
      try policy.check()
      for parameter in policy.parameters {
        #expect(parameter.choices.contains(parameter.value), "\(policy.name): \(parameter.name)")
        #expect(!parameter.allowed.isEmpty && !parameter.meaning.isEmpty)
        for choice in parameter.choices {
          let other = try policy.setting(parameter.name, to: choice)
          let isDefault = choice == parameter.value
          #expect(other.label == (isDefault ? policy.name : "\(policy.name):\(parameter.name)=\(choice)"))
          let read = try Policies.parse(other.label)
          #expect(read.label == other.label && read.parameters == other.parameters)
          #expect(read.parameters.first { $0.name == parameter.name }?.value == choice)
        }
      }
    }
    let label = "fixed-interval:interval=0.1e2:accuracy=kilometer"
    #expect(try Policies.parse(label).label == "fixed-interval:interval=10:accuracy=kilometer")
    #expect(try Policies.parse("always-best:filter=none").label == "always-best:filter=none")
    let own = ConstantSentinelPolicy().setting(\.radius, to: 300)
    #expect(own.label == "constant-sentinel:radius=300")
  }

  @Test("What the user is shown is for the one who ships to decide: no search changes it")
  func presenceStays() throws {
    var found = 0
    for policy in Policies.all {
      for presence in Presence.allCases {
        guard let policy = try? policy.setting("presence", to: presence.rawValue) else { continue }
        found += 1
        let choices = policy.parameters.first { $0.name == "presence" }?.choices
        #expect(policy.presence == presence && choices == [presence.rawValue], "\(policy.name)")
      }
    }
    #expect(found == 6)
  }

  @Test("What is wrong with a label is said: which policy, which parameter, which value, and what may be")
  func errors() {
    func error(_ label: String) -> PolicyError? {
      do throws(PolicyError) {
        _ = try Policies.parse(label)
        return nil
      } catch { return error }
    }
    #expect(error("best") == .unknownPolicy("best", known: Policies.names))
    #expect(error("") == .unknownPolicy("", known: Policies.names))
    #expect(error("always-best:") == .malformed("", policy: "always-best"))
    #expect(error("always-best:filter") == .malformed("filter", policy: "always-best"))
    #expect(error("always-best:=3") == .malformed("=3", policy: "always-best"))
    #expect(
      error("always-best:speed=3")
        == .unknownParameter("speed", policy: "always-best", known: ["filter", "decision"]))
    #expect(
      error("always-best:filter=3:filter=4") == .repeatedParameter("filter", policy: "always-best"))
    for bad in ["nan", "-nan", "inf", "-1", "0", "1e300", "", "x", "3=4", " 60", "60 s", "60m", "25h", "s"] {
      #expect(
        error("fixed-interval:interval=\(bad)")
          == .invalidValue(
            bad, parameter: "interval", policy: "fixed-interval", allowed: "a number, 1 to 86400 s"))
    }
    for bad in ["1.5", "0", "-3", "99999999999999999999", "nan"] {
      #expect(
        error("significant-change:count=\(bad)")
          == .invalidValue(
            bad, parameter: "count", policy: "significant-change", allowed: "a whole number, 1 to 1000"))
    }
    guard case .invalidValue(_, _, _, let allowed)? = error("fixed-interval:accuracy=good") else {
      Issue.record("an accuracy that is none")
      return
    }
    #expect(allowed.contains("hundredMeters"))
    #expect(
      error("fixed-interval:interval=0")?.description.contains("interval cannot be 0; it can be a number")
        == true)
  }

  @Test("A number may have a unit, and a label names it without one")
  func units() throws {
    for (text, label) in [
      ("fixed-interval:interval=2min", "fixed-interval:interval=120"),
      ("fixed-interval:interval=120s", "fixed-interval:interval=120"),
      ("fixed-interval:interval=0.5h", "fixed-interval:interval=1800"),
      ("always-best:filter=1.5km", "always-best:filter=1500"),
      ("rate-adaptive:threshold=250m", "rate-adaptive:threshold=250"),
    ] {
      #expect(try Policies.parse(text).label == label)
    }
  }

  @Test(
    "A parameter that was set in code to what it cannot be is found, and traps nothing",
    arguments: [
      Double.nan, -1, .infinity, 1e300, 0,
    ])
  func unchecked(value: Double) throws {
    #expect(throws: PolicyError.self) { try FixedIntervalPolicy().setting(\.interval, to: value).check() }
    #expect(throws: PolicyError.self) { try CommonRecipePolicy().setting(\.count, to: -1).check() }
    var stage = PolicyStage()
    stage.stand(for: 20)
    stage.go(toEast: 500)
    let regions = [PolicyStage.circle("a", 300, radius: 100), PolicyStage.circle("b", 900, radius: 100)]
    let wrong: [any MonitoringPolicy] = [
      CommonRecipePolicy().setting(\.count, to: -1), CommonRecipePolicy().setting(\.count, to: .max),
      VisitsPolicy().setting(\.count, to: .min),
      ConstantSentinelPolicy().setting(\.radius, to: value),
      ConstantSentinelPolicy().setting(\.capacity, to: -1),
      DutyCycledPolicy().setting(\.distanceFilter, to: value).setting(\.radius, to: value).setting(
        \.stopAfter, to: max(1, value)),
      CustomerIOPolicy().setting(\.radius, to: value).setting(\.cache, to: -1).setting(\.refetch, to: value)
        .setting(\.cooldown, to: value),
      KlaviyoPolicy().setting(\.count, to: -1).setting(\.cooldown, to: value),
      GeoMonitorPolicy().setting(\.radius, to: value).setting(\.cooldown, to: value),
      HomeAssistantPolicy().setting(\.count, to: -1).setting(\.smallest, to: value),
      TransistorsoftPolicy().setting(\.distanceFilter, to: value).setting(\.elasticity, to: value).setting(
        \.fence, to: value
      ).setting(\.proximity, to: value),
      DistanceToBoundaryPolicy().setting(\.speed, to: value).setting(\.maximum, to: value),
      RateAdaptivePolicy().setting(\.threshold, to: value).setting(\.margin, to: value).setting(
        \.slowest, to: value),
    ]
    for policy in wrong { _ = try stage.play(policy, regions) }
  }

  @Test("A policy needs a name, a summary and an app")
  func own() throws {
    let policy = HourlyPolicy()
    #expect(policy.label == "hourly" && policy.parameters.isEmpty)
    #expect(throws: PolicyError.unknownParameter("pause", policy: "hourly", known: [])) {
      try policy.setting("pause", to: "1")
    }
    #expect(try Policies.parse("hourly", among: [policy]).name == "hourly")
    var stage = PolicyStage()
    stage.stand(for: 60)
    #expect(try stage.play(policy, [PolicyStage.circle("home", 0, radius: 100)]).reports == ["+home"])
  }
}
