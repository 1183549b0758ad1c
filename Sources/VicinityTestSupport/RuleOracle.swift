internal import CMath
package import VicinityCrossings
package import VicinityGeodesy
package import VicinityIndex
internal import VicinityPolygon

/// What the rules' definitions say, region by region and fix by fix: no index, nothing passed over.
package struct RuleOracle {
  /// A region as definitions know it.
  package struct Target {
    package var distance: (Coordinate) -> Double
    /// nil for a polygon.
    package var radius: Double?
    /// The radius of the largest circle in it.
    package var inradius: Double
  }

  /// Where the device stands with a region.
  package struct Entry {
    package var isKnown = false
    var isInside = false
    /// When the first fix beyond the cushion was.
    package var since: Int64?
    package var entered: Int64 = 0
    package var hasDwelt = false
  }

  package static func targets(_ regions: [Region], inradius: (Int) -> Double = { _ in .nan }) -> [Target] {
    regions.enumerated().map { i, region in
      switch region.shape {
      case .circle(let center, let radius):
        Target(
          distance: { Geodesic.uncheckedDistance($0, center) - radius }, radius: radius, inradius: radius)
      case .polygon(let polygon):
        Target(
          distance: { (try? polygon.bruteForceSignedBoundaryDistance(from: $0)) ?? .nan }, radius: nil,
          inradius: inradius(i))
      }
    }
  }

  /// The share of a disc that lies in a region, by Simpson's rule over rings around the fix.
  package static func share(_ d: Double, _ a: Double, _ radius: Double?) -> Double {
    if a == 0 { return d <= 0 ? 1 : 0 }
    if d >= a { return 0 }
    if d <= -a { return 1 }
    guard let r = radius else {
      let t = a == .infinity ? 0 : d / a
      return (acos(t) - t * (1 - t * t).squareRoot()) / .pi
    }
    if a == .infinity { return 0 }
    let c = r + d
    // Of the ring of radius s the part nearer to the region's centre than r.
    func part(_ s: Double) -> Double {
      if s <= r - c { return 1 }
      if s >= r + c || s <= c - r { return 0 }
      return acos(min(1, max(-1, (s * s + d * (r + c)) / (2 * s * c)))) / .pi
    }
    // Between the radii at which rings begin and end to be cut, with steps that get finer towards those.
    let kinks = [0, abs(r - c), r + c, a].filter { $0 <= a }.sorted()
    var area = 0.0
    for (low, high) in zip(kinks, kinks.dropFirst()) where high > low {
      let n = 2000
      func value(_ i: Int) -> Double {
        // s = low + w (1 − cos θ)/2 and ds = w sin θ/2 dθ take the square roots at both ends away.
        let theta = .pi * Double(i) / Double(n)
        let s = low + (high - low) * 0.5 * (1 - cos(theta))
        return s * part(s) * (high - low) * 0.5 * sin(theta)
      }
      var sum = value(0) + value(n)
      for i in 1..<n { sum += value(i) * (i % 2 == 1 ? 4 : 2) }
      area += sum * (.pi / Double(n)) / 3
    }
    return 2 * area / (a * a)
  }

  package static func crossings(
    _ fixes: [Fix], _ targets: [Target], _ options: CrossingOptions
  ) -> [Crossing] {
    var entries = Array(repeating: Entry(), count: targets.count)
    var result: [Crossing] = []
    var last: Fix?
    var hasBegun = false
    let usesAccuracy =
      switch options.rule {
      case .coreLocation, .overlap: true
      default: false
      }
    let gap = options.maximumGap.components.seconds * 1_000_000
    for fix in fixes where fix.horizontalAccuracy >= 0 {
      if let last, last.time == fix.time { continue }
      defer { last = fix }
      let isGap = last.map { fix.time.microseconds - $0.time.microseconds > gap } ?? false
      let time = fix.time.microseconds
      let distances = targets.map { $0.distance(fix.coordinate) }
      if !hasBegun {
        let open = zip(distances, targets).count { d, target in
          isOpen(options.rule, d, fix.horizontalAccuracy, target)
        }
        if usesAccuracy, fix.horizontalAccuracy > 20_000 || open > 1000 { continue }
        hasBegun = true
      }
      for (region, target) in targets.enumerated() {
        func add(_ kind: Crossing.Kind) {
          let chosen =
            switch kind {
            case .enter: options.notifyOnEntry.contains(region)
            case .exit: options.notifyOnExit.contains(region)
            case .dwell: true
            }
          guard chosen, let last else { return }
          result.append(
            Crossing(
              region: region, kind: kind, time: fix.time, coordinate: fix.coordinate,
              inferred: isGap ? last.time...fix.time : nil))
        }
        let wasKnown = entries[region].isKnown
        let wasInside = entries[region].isInside
        if isGap { entries[region].since = nil }
        step(&entries[region], options.rule, distances[region], fix.horizontalAccuracy, time, target)
        let entry = entries[region]
        if entry.isInside != wasInside {
          if wasKnown { add(entry.isInside ? .enter : .exit) }
          entries[region].entered = time
          entries[region].hasDwelt = false
        }
        if let dwell = options.dwell, entries[region].isInside, !entries[region].hasDwelt,
          time - entries[region].entered >= dwell.components.seconds * 1_000_000
        {
          entries[region].hasDwelt = true
          add(.dwell)
        }
      }
    }
    return result
  }

  /// Whether a first fix would leave a region open.
  private static func isOpen(_ rule: CrossingRule, _ d: Double, _ a: Double, _ target: Target) -> Bool {
    switch rule {
    case .coreLocation: return abs(d) < a
    case .overlap(let enter, let exit):
      guard abs(d) < a else { return false }
      let share = share(d, a, target.radius)
      return share > exit && share < enter
    default: return false
    }
  }

  /// Takes a fix for one region.
  package static func step(
    _ entry: inout Entry, _ rule: CrossingRule, _ d: Double, _ a: Double, _ time: Int64, _ target: Target
  ) {
    switch rule {
    case .geometric: break
    case .naive:
      entry.isInside = d <= 0
      entry.isKnown = true
    case .exitMargin(let fraction, let minimum):
      if d <= 0 { entry.isInside = true }
      if d > max(fraction * target.inradius, minimum) { entry.isInside = false }
      entry.isKnown = true
    case .overlap(let enter, let exit):
      let share = share(d, a, target.radius)
      if share >= enter { (entry.isKnown, entry.isInside) = (true, true) }
      if share <= exit { (entry.isKnown, entry.isInside) = (true, false) }
    case .coreLocation(let p):
      if abs(d) < a { return }
      guard entry.isKnown else {
        (entry.isKnown, entry.isInside) = (true, d <= 0)
        return
      }
      let isBeyond =
        entry.isInside
        ? d > 0 && d >= p.cushion : d <= 0 && -d >= min(p.cushion, p.inwardShare * target.inradius)
      guard isBeyond else {
        entry.since = nil
        return
      }
      let since = entry.since ?? time
      entry.since = since
      if time - since >= p.timeToRemain.components.seconds * 1_000_000 {
        entry.isInside.toggle()
        entry.since = nil
      }
    }
  }
}
