import Testing
import VicinityGeodesy

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `VICINITY_LONG_TESTS=1` asks for the sweeps whose results `Bounds.md` states.
let longTests = ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] == "1"

/// Every bound and every promised error against the reference, on random and on hostile pairs.
@Suite struct SweepTests {
  static let seed: UInt64 = 20_240_607

  @Test("200 000 pairs")
  func short() {
    check(Sweep.run(seed: Self.seed, count: 200_000), inputError: 0)
  }

  @Test("ends off by 1e-8 m, as stored in two Float32", arguments: [1e-8])
  func movedEnds(error: Double) {
    check(Sweep.run(seed: Self.seed &+ 1, count: 100_000, inputError: error), inputError: error)
  }

  @Test("ends off by a metre: the input term alone carries the bound", arguments: [1e-3, 1])
  func farMovedEnds(error: Double) {
    check(Sweep.run(seed: Self.seed &+ 2, count: 20_000, inputError: error), inputError: error)
  }

  @Test("climbing from the worst pairs")
  func climbed() {
    var source = PairSource(seed: Self.seed &+ 3)
    var sweep = Sweep.run(seed: Self.seed &+ 3, count: 20_000)
    for quantity in Quantity.allCases { sweep.climb(quantity, steps: 150, source: &source) }
    check(sweep, inputError: 0)
  }

  /// 10^8 pairs, then 1.08 million steps uphill (9 quantities, 24 bins, 5000 steps): two to six minutes.
  @Test("10^8 pairs", .enabled(if: longTests, "set VICINITY_LONG_TESTS=1 for the 10^8-pair sweep"))
  func long() async {
    let chunks = 100
    var total = await withTaskGroup(of: Sweep.self) { group in
      for chunk in 0..<chunks {
        group.addTask { Sweep.run(seed: Self.seed &+ 1000 &+ UInt64(chunk), count: 1_000_000) }
      }
      var total = Sweep()
      for await sweep in group {
        total.merge(sweep)
        if total.count % 10_000_000 == 0 { print("\(total.count) pairs") }
      }
      return total
    }
    check(total, inputError: 0)
    print(total.table)
    var source = PairSource(seed: Self.seed &+ 999)
    for quantity in Quantity.allCases { total.climb(quantity, steps: 5000, source: &source) }
    check(total, inputError: 0)
    print("after climbing:\n" + total.table)
  }

  /// A sweep in which one number is none is no sweep that passes, wherever the number stands.
  @Test("NaN fails a sweep")
  func noticesNaN() {
    var source = PairSource(seed: Self.seed)
    var pairs: [Pair] = []
    while pairs.count < 50 {
      let pair = source.next()
      if pair.length < 1e7 { pairs.append(pair) }
    }
    #expect(fault(Sweep.of(pairs), inputError: 0) == nil)
    for quantity in Quantity.allCases {
      for place in [0, 25, 49] {
        var sweep = Sweep()
        for (i, pair) in pairs.enumerated() {
          var measured = Measured(pair, inputError: 0, source: &source)
          if i == place { measured[quantity] = .nan }
          sweep.add(measured, of: pair)
        }
        #expect(fault(sweep, inputError: 0) != nil, "\(quantity)")
        var merged = Sweep.of(pairs)
        merged.merge(sweep)
        #expect(fault(merged, inputError: 0) != nil, "\(quantity), merged")
      }
    }
    var sweep = Sweep.of(pairs)
    var measured = Measured(pairs[0], inputError: 0, source: &source)
    measured.reference = .nan
    for quantity in Quantity.allCases { measured[quantity] = .nan }
    sweep.add(measured, of: pairs[0])
    #expect(fault(sweep, inputError: 0) != nil, "no reference")
  }

  /// A number just above its limit fails, too.
  @Test("a broken bound fails a sweep")
  func noticesBrokenBounds() {
    var source = PairSource(seed: Self.seed)
    var pair = source.next()
    while pair.length > 1e5 { pair = source.next() }
    #expect(fault(Sweep.of([pair]), inputError: 0) == nil)
    for quantity in Quantity.allCases where quantity != .series && quantity != .inverse {
      var measured = Measured(pair, inputError: 0, source: &source)
      measured[quantity] = [.seriesRatio, .inverseRatio, .certifiedRatio].contains(quantity) ? 1.001 : 3.1e-8
      var sweep = Sweep()
      sweep.add(measured, of: pair)
      #expect(fault(sweep, inputError: 0) != nil, "\(quantity)")
    }
  }

  private func check(
    _ sweep: Sweep, inputError: Double, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(sweep.count > 10_000, sourceLocation: sourceLocation)
    let fault = fault(sweep, inputError: inputError)
    #expect(fault == nil, sourceLocation: sourceLocation)
  }

  /// What is wrong with a sweep; nil when every bound and every promise held on every pair.
  private func fault(_ sweep: Sweep, inputError: Double) -> String? {
    if let (quantity, pair) = sweep.undefined { return "\(quantity) is no number: \(pair)" }
    let slack = GeodesicBounds.referenceSlack(inputError: inputError)
    for quantity in Quantity.allCases {
      let (value, pair) = sweep.worst(quantity)
      let limit: Double =
        switch quantity {
        case .seriesRatio, .inverseRatio, .certifiedRatio: 1
        case .series, .inverse: .infinity
        default: slack
        }
      guard let pair else { return "\(quantity) was measured of no pair" }
      guard value <= limit else { return "\(quantity) is \(value) with a limit of \(limit): \(pair)" }
    }
    // 158 degrees of the auxiliary sphere are at least b times that.
    for nearest in [sweep.nearestDeclined, sweep.nearestUncertified] where !(nearest > 17_510_000) {
      return "no distance at \(nearest) m"
    }
    return nil
  }
}

extension Sweep {
  /// The sweep of these pairs.
  static func of(_ pairs: [Pair]) -> Sweep {
    var (source, sweep) = (PairSource(seed: 1), Sweep())
    for pair in pairs { sweep.add(pair, inputError: 0, source: &source) }
    return sweep
  }

  /// The worst of each quantity per distance bin, as text.
  var table: String {
    var lines = ["pairs \(count), declined \(declined), the nearest at \(nearestDeclined) m"]
    for quantity in Quantity.allCases {
      lines.append("\(quantity):")
      for (edge, row) in zip(Sweep.edges, worst) {
        let (value, pair) = row[quantity.rawValue]
        guard let pair else { continue }
        lines.append("  < \(edge) m: \(value)  \(pair)")
      }
    }
    return lines.joined(separator: "\n")
  }
}
