internal import VicinityCrossings
public import VicinityIndex
public import VicinitySimulation

/// A position every so many seconds; every region is watched in software.
public struct FixedIntervalPolicy: AdjustablePolicy {
  /// Seconds between a position and the question for the next.
  public var interval: Double
  /// The tier.
  public var accuracy: DesiredAccuracy

  /// A policy; a position a minute, to a hundred metres.
  public init(interval: Double = 60, accuracy: DesiredAccuracy = .hundredMeters) {
    self.interval = interval
    self.accuracy = accuracy
  }

  public var name: String { "fixed-interval" }
  public var summary: String {
    "A position at \(accuracy.rawValue) every \(interval) s by an app that keeps itself alive; regions are decided from them."
  }
  public var source: String {
    "What apps do with a timer; kept alive as by the Radar SDK for iOS (RadarLocationManager.m)."
  }

  public static let adjustments: [PolicyAdjustment<FixedIntervalPolicy>] = [
    .number(
      "interval", \.interval, in: 1...86_400, unit: "s", "Time from a position to the question for the next.",
      tries: [15, 30, 60, 120, 300, 600]),
    .choice(
      "accuracy", \.accuracy, "The tier of the positions.", tries: [.best, .hundredMeters, .kilometer]),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    let interval = interval
    return SamplingApp(regions, accuracy) { _ in
      interval
    } withoutFix: {
      interval
    }
  }
}

/// Decides from single positions, each of which says when the next is wanted.
final class SamplingApp: PhoneApp {
  private let regions: RegionIndex
  private let next: (Fix) -> Double
  private let retry: () -> Double
  private var decisions: FixDecisions
  private var sampler: Sampler

  /// - Parameters:
  ///   - next: The seconds from a position to the question for the next.
  ///   - retry: The same where none came.
  init(
    _ regions: RegionIndex, _ accuracy: DesiredAccuracy, next: @escaping (Fix) -> Double,
    withoutFix retry: @escaping () -> Double
  ) {
    self.regions = regions
    self.next = next
    self.retry = retry
    decisions = FixDecisions(regions)
    sampler = Sampler(accuracy)
  }

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    if case .launched = event {
      decisions = FixDecisions(regions, resuming: phone.saved as? FixDecisions.Memory)
      return sampler.start(on: phone)
    }
    sampler.goesOn(with: event, on: phone)
    guard sampler.answers(event) else { return }
    var wait = retry()
    if case .locations(let fixes, _) = event {
      for fix in fixes { decisions.report(fix, on: phone) }
      if decisions.hasNews { phone.saved = decisions.memory() }
      if let fix = fixes.last, fix.horizontalAccuracy >= 0 { wait = next(fix) }
    }
    sampler.ask(phone, after: wait)
  }
}
