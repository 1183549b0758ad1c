import VicinityGeodesy

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is measured against the reference on every pair.
enum Quantity: Int, CaseIterable, Sendable {
  /// A bound less the reference, or the reference less it: metres by which the bound is broken.
  case chord, lower, upper, fastUpper
  /// A distance's error over the error it promises.
  case seriesRatio, inverseRatio, certifiedRatio
  /// A distance's error, metres.
  case series, inverse
}

/// The worst of each quantity over many pairs, by distance.
struct Sweep: Sendable {
  /// Upper ends of the distance bins, metres.
  static let edges: [Double] = [
    1, 1e2, 1e4, 5e4, 1e5, 2e5, 3e5, 4e5, 5e5, 5.4e5, 7e5, 1e6, 1.25e6, 1.5e6, 3e6, 6e6, 9e6, 1.2e7,
    1.5e7, 1.6e7, 1.7e7, 1.75e7, 1.99e7, 2.1e7,
  ]

  var count = 0
  /// Pairs that the solver for near points declined, and the nearest of them.
  var declined = 0
  var nearestDeclined = Double.infinity
  /// The nearest pair that has no certified distance.
  var nearestUncertified = Double.infinity
  /// The first quantity found that is no number where it must be one.
  var undefined: (quantity: Quantity, pair: Pair)?
  var worst = [[(value: Double, pair: Pair?)]](
    repeating: .init(repeating: (-.infinity, nil), count: Quantity.allCases.count),
    count: Sweep.edges.count)

  /// The worst of `quantity` over all distances.
  func worst(_ quantity: Quantity) -> (value: Double, pair: Pair?) {
    worst.map { $0[quantity.rawValue] }.max { $0.value < $1.value } ?? (-.infinity, nil)
  }

  /// `count` pairs from `seed`, the ends moved by `inputError` metres.
  static func run(seed: UInt64, count: Int, inputError: Double = 0) -> Sweep {
    var source = PairSource(seed: seed)
    var sweep = Sweep()
    for _ in 0..<count {
      sweep.add(source.next(), inputError: inputError, source: &source)
    }
    return sweep
  }

  mutating func add(_ pair: Pair, inputError: Double, source: inout PairSource) {
    add(Measured(pair, inputError: inputError, source: &source), of: pair)
  }

  /// What was measured on one pair. A number that is none fails the sweep: no comparison would notice it.
  mutating func add(_ values: Measured, of pair: Pair) {
    count += 1
    let isDeclined = values[.inverse].isNaN
    if isDeclined {
      declined += 1
      nearestDeclined = min(nearestDeclined, values.reference)
    }
    if values[.certifiedRatio] == -.infinity {
      nearestUncertified = min(nearestUncertified, values.reference)
    }
    let bin = Sweep.edges.firstIndex { values.reference < $0 } ?? Sweep.edges.count - 1
    for quantity in Quantity.allCases {
      let value = values[quantity]
      // Only the solver for near points may decline; of a reference that is no number nothing is known.
      let mayDecline = isDeclined && (quantity == .inverse || quantity == .inverseRatio)
      if value.isNaN, !mayDecline || values.reference.isNaN { undefined = undefined ?? (quantity, pair) }
      if value > worst[bin][quantity.rawValue].value {
        worst[bin][quantity.rawValue] = (value, pair)
      }
    }
  }

  mutating func merge(_ other: Sweep) {
    count += other.count
    declined += other.declined
    nearestDeclined = min(nearestDeclined, other.nearestDeclined)
    nearestUncertified = min(nearestUncertified, other.nearestUncertified)
    undefined = undefined ?? other.undefined
    for bin in worst.indices {
      for q in worst[bin].indices where other.worst[bin][q].value > worst[bin][q].value {
        worst[bin][q] = other.worst[bin][q]
      }
    }
  }

  /// Climbs from the worst pairs of `quantity` found so far, in every bin, to worse ones.
  mutating func climb(_ quantity: Quantity, steps: Int, source: inout PairSource) {
    for start in worst.map({ $0[quantity.rawValue] }) {
      guard var pair = start.pair else { continue }
      var best = start.value
      for step in 0..<steps {
        let candidate = source.neighbor(of: pair, reach: pow(10, -6 * Double(step) / Double(steps)))
        add(candidate, inputError: 0, source: &source)
        let value = Measured(candidate, inputError: 0, source: &source)[quantity]
        if value > best {
          best = value
          pair = candidate
        }
      }
    }
  }
}

/// Every quantity of one pair.
struct Measured {
  var reference: Double
  private var values = [Double](repeating: -.infinity, count: Quantity.allCases.count)

  subscript(_ quantity: Quantity) -> Double {
    get { values[quantity.rawValue] }
    set { values[quantity.rawValue] = newValue }
  }

  init(_ pair: Pair, inputError: Double, source: inout PairSource) {
    let (start, end) = (pair.start, pair.end)
    let s12 = Geodesic.uncheckedDistance(start, end)
    reference = s12
    var p = ECEF(unchecked: start)
    var q = ECEF(unchecked: end)
    if inputError > 0 {
      p = source.moved(p, by: inputError)
      q = source.moved(q, by: inputError)
    }
    let c = p.chord(to: q)
    func set(_ quantity: Quantity, _ value: Double) { values[quantity.rawValue] = value }

    set(.chord, c - s12)
    set(.lower, GeodesicBounds.lowerBound(chord: c) - s12)
    set(.upper, s12 - GeodesicBounds.upperBound(chord: c))
    set(.fastUpper, s12 - GeodesicBounds.fastUpperBound(chord: c))

    let seriesBound = ChordSeries.errorBound(chord: c, inputError: inputError)
    if seriesBound != .infinity {
      let error = abs(ChordSeries.distance(from: p, to: q) - s12)
      set(.series, error)
      set(.seriesRatio, error / seriesBound)
    }
    let inverse = abs(GeodesicSolver.nearDistance(from: p, to: q) - s12)
    set(.inverse, inverse)
    set(.inverseRatio, inverse / GeodesicSolver.errorBound(inputError: inputError))
    let certified = Geodesic.certifiedDistance(from: p, to: q, inputError: inputError)
    if certified.error != .infinity {
      set(.certifiedRatio, abs(certified.distance - s12) / certified.error)
    }
  }
}
