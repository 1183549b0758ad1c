import VicinityCrossings
import VicinityIndex
import VicinityMonitor
import VicinityRuns

/// Checks plans against every crossing of the devices' paths, and reports the result.
final class PlanCheck {
  /// Checks one device's plans.
  private final class Follower {
    var verifier: PlanVerifier

    init(_ index: RegionIndex, _ maximumGap: Duration) throws {
      verifier = try PlanVerifier(index, maximumGap: maximumGap)
    }
  }

  private let index: RegionIndex
  private let maximumGap: Duration
  private var followers: [Int: Follower] = [:]

  /// The first entries that plans rule out, a sentence each.
  private(set) var violations: [String] = []

  static let maximumViolations = 20

  /// A check of plans for the regions of an index.
  ///
  /// - Parameter maximumGap: Across longer gaps between fixes, what has changed counts at their end.
  init(_ index: RegionIndex, maximumGap: Duration) {
    self.index = index
    self.maximumGap = maximumGap
  }

  /// The outcome of all devices' entries.
  var tally: PlanTally { followers.values.reduce(PlanTally()) { $0 + $1.verifier.tally } }

  /// Checks the plan in force against a device's path to its next fix.
  ///
  /// - Parameters:
  ///   - device: The device's number.
  ///   - name: The device's name.
  func advance(_ device: Int, _ name: String, to fix: Fix, under plan: Plan?) throws {
    let follower = try follower(of: device)
    let found = try follower.verifier.advance(to: fix, under: plan)
    for violation in found where violations.count < Self.maximumViolations {
      violations.append(
        "\(name) entered \(index.identifier(of: violation.crossing.region)), which is not registered, "
          + "at \(violation.crossing.time), \(DecimalText.string(violation.distance, decimals: 3)) m from the centre of "
          + "plan \(violation.plan)")
    }
  }

  private func follower(of device: Int) throws -> Follower {
    if let follower = followers[device] { return follower }
    let follower = try Follower(index, maximumGap)
    followers[device] = follower
    return follower
  }

  /// What was found, in one sentence.
  func summary(isCertified: Bool) -> String {
    let tally = tally
    var text =
      "\(DecimalText.grouped(tally.entries)) \(tally.entries == 1 ? "entry" : "entries"), "
      + "\(DecimalText.grouped(tally.noticed)) into registered regions"
    if isCertified {
      text +=
        "; of the others \(DecimalText.grouped(tally.announced)) under saturated plans, "
        + "\(DecimalText.grouped(tally.late)) between the vicinity's border and the next fix, "
        + "\(DecimalText.grouped(tally.violations)) against a certificate"
    } else {
      text += "; \(DecimalText.grouped(tally.missed)) missed"
    }
    return text
  }

  /// Prints what was found.
  ///
  /// - Throws: ``CommandFailure`` where a plan is wrong.
  func judge(isCertified: Bool, at track: String) throws {
    Notices.print("check", summary(isCertified: isCertified))
    for violation in violations { Notices.print("violation", violation) }
    let count = tally.violations
    guard count == 0 else {
      throw CommandFailure(
        "\(DecimalText.grouped(count)) \(count == 1 ? "entry" : "entries") that certificates rule out",
        at: track)
    }
  }
}
