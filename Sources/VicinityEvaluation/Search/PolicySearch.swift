internal import VicinityGeodesy
internal import VicinitySimulation

/// Looks for the cheapest policy, and its parameters, that meets a requirement.
///
/// Each policy's parameters have values to try (``PolicyParameter/choices``). Where all their combinations are few, all are
/// tried; where they are many, one parameter after another is set to its best value until none gets better, from the
/// policy's own setting and then from some drawn at random. All that is done on a part of the devices; the better third of
/// what was tried goes on to three times as many, and so on, and the last few are run on all. (Successive halving: K. Jamieson,
/// A. Talwalkar, *Non-stochastic Best Arm Identification and Hyperparameter Optimization*, AISTATS 2016.)
public struct PolicySearch: Sendable {
  /// What is compared: the policies, as they are set now, are where the search begins.
  public var study: Study
  /// What is to be met.
  public var requirement: Requirement
  /// What decides which devices come first and where the search begins anew.
  public var seed: UInt64
  /// The most combinations of a policy's parameters that are all tried.
  public var gridLimit = 32
  /// How many more times a policy with more combinations is searched, from settings drawn at random.
  public var restarts = 2
  /// How many settings are run on all devices at once; again as many, up to four times, while none of them meets the
  /// requirement.
  public var finalists = 6
  /// The fewest devices that anything is judged on, or all.
  public var leastDevices = 4

  /// A search.
  public init(_ study: Study, for requirement: Requirement, seed: UInt64 = 1) {
    self.study = study
    self.requirement = requirement
    self.seed = seed
  }

  /// The devices in the order in which they come in.
  func deviceOrder() -> [Int] {
    var random = RandomStream(seed: seed, "policy search")
    var order = Array(study.devices.indices)
    for last in order.indices.dropFirst().reversed() { order.swapAt(last, random.below(last + 1)) }
    return order
  }

  /// How many devices each round is on, ascending, all at last.
  func rungs() -> [Int] {
    let count = study.devices.count
    var rungs = [count]
    while let least = rungs.first, (least + 2) / 3 >= max(1, leastDevices), rungs.count < 3 {
      rungs.insert((least + 2) / 3, at: 0)
    }
    return rungs
  }
}

/// How far a search is.
public struct SearchProgress: Hashable, Sendable {
  /// Settings tried so far.
  public var tried: Int
  /// Runs done of the present round, and altogether.
  public var round: StudyProgress
}

/// What a search has found.
public struct SearchOutcome: Sendable {
  /// What was asked for.
  public var requirement: Requirement
  /// How many settings were tried, on part of the devices at least.
  public var tried: Int
  /// How many policies they were settings of.
  public var policies: Int
  /// The settings that were run on all devices, the best answer first.
  public var finalists: [ScoreCard]

  /// The cheapest setting that meets the requirement, if one does.
  public var best: ScoreCard? { finalists.first.flatMap { requirement.isMet(by: $0) ? $0 : nil } }

  /// The answer in a sentence or two.
  public var words: String {
    let field =
      "\(tried) \(tried == 1 ? "setting" : "settings") of \(policies) \(policies == 1 ? "policy" : "policies")"
    guard let first = finalists.first else { return "There was nothing to try." }
    let energy = first.headline[.energy] ?? Estimate(value: nil)
    var cost = Metric.energy.text(energy.value)
    if let interval = energy.interval {
      let decimals = Metric.energy.decimals
      cost +=
        " (\(interval.lowerBound.text(decimals: decimals)) to \(interval.upperBound.text(decimals: decimals)))"
    }
    guard requirement.isMet(by: first) else {
      let reached = requirement.bounds.filter { !$0.isMet(by: first.value($0.metric)) }.map { bound in
        "its \(bound.metric.rawValue) is \(bound.metric.text(first.value(bound.metric)))"
      }
      return "None of \(field) meets \(requirement.words). The nearest is \(first.policy): "
        + "\(reached.joined(separator: ", ")); it takes \(cost) of the battery."
    }
    let reached = requirement.bounds.filter { $0.metric != .energy }.map { bound in
      "\(bound.metric.rawValue) \(bound.metric.text(first.value(bound.metric)))"
    }
    return "\(first.policy) is the cheapest found among \(field) that meets \(requirement.words): "
      + "it takes \(cost) of the battery"
      + (reached.isEmpty ? "." : ", with \(reached.joined(separator: ", ")).")
  }
}
