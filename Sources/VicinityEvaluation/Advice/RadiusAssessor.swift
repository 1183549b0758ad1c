internal import VicinityGeodesy
internal import VicinityIndex

/// What is to be thought of a region, from its passes.
struct RadiusAssessor {
  let detection: RadiusDetection
  let share: Double

  func row(_ region: Int, of regions: RegionIndex, _ passes: [TrackPass]) -> RadiusAdvice.Row {
    let radius = RegionCircle(region, of: regions).radius
    let lengths = detection.lengths
    let expected = expected(passes, radius, lengths)
    let crowded = passes.count { $0.isCrowded }
    let reach = detection.reach(of: radius) + detection.accuracy
    // Here without the accuracy: errors may by chance help.
    let possible = passes.count {
      $0.profile.duration(within: reach, lengths: lengths).map { $0 >= detection.timeToRemain } ?? false
    }
    let durations = passes.map(\.duration).sorted()
    let isEnough = expected >= share
    let verdict: RadiusAdvice.Verdict
    if possible == 0 {
      verdict = .undetectable
    } else if !isEnough {
      verdict = .unreliable
    } else {
      verdict = 2 * crowded > passes.count ? .crowded : .fine
    }
    return RadiusAdvice.Row(
      region: region, identifier: regions.identifier(of: region), radius: radius, passes: passes.count,
      possible: possible, expected: expected, crowded: crowded,
      medianDuration: durations.isEmpty ? 0 : durations[(durations.count - 1) / 2], verdict: verdict,
      advisedRadius: isEnough ? radius : leastRadius(passes, above: radius, lengths),
      passesAtAdvisedRadius: nil)
  }

  /// The share of passes that is expected to be reported at a radius.
  private func expected(_ passes: [TrackPass], _ radius: Meters, _ lengths: [Double]) -> Double {
    let reach = detection.reach(of: radius)
    let sum = passes.reduce(0.0) { sum, pass in
      let duration = pass.profile.duration(within: reach, lengths: lengths)
      return sum + (duration.map(detection.share(noticedWithin:)) ?? 0)
    }
    return passes.isEmpty ? 0 : sum / Double(passes.count)
  }

  /// The least whole radius at which enough is expected to be reported; nil where none up to the largest does.
  ///
  /// By bisection: the share does not fall as the radius grows.
  private func leastRadius(_ passes: [TrackPass], above present: Meters, _ lengths: [Double]) -> Meters? {
    var low = Int(min(present, detection.maximumRadius).rounded(.down))
    var high = Int(detection.maximumRadius)
    guard high > low, expected(passes, Meters(high), lengths) >= share else { return nil }
    while high - low > 1 {
      let middle = (low + high) / 2
      if expected(passes, Meters(middle), lengths) >= share { high = middle } else { low = middle }
    }
    return Meters(high)
  }
}

extension RadiusAdvice.Verdict {
  /// The worst first.
  var rank: Int {
    switch self {
    case .undetectable: 0
    case .unreliable: 1
    case .crowded: 2
    case .fine: 3
    }
  }
}
