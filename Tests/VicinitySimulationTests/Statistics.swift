import VicinityTestSupport

@testable import VicinitySimulation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What tests of distributions ask of numbers.
enum Statistics {
  /// The greatest distance between the numbers' distribution and one that they are to have (A.
  /// Kolmogorov, 1933).
  static func kolmogorovSmirnov(_ numbers: [Double], _ distribution: (Double) -> Double) -> Double {
    // Of no numbers nothing is known: no comparison with this holds.
    guard !numbers.isEmpty else { return .nan }
    let sorted = numbers.sorted()
    let count = Double(sorted.count)
    var greatest = 0.0
    for (index, number) in sorted.enumerated() {
      let expected = distribution(number)
      greatest = largerOrNaN(greatest, expected - Double(index) / count)
      greatest = largerOrNaN(greatest, Double(index + 1) / count - expected)
    }
    return greatest
  }

  /// What that distance stays below in 999 of 1000 samples of independent numbers: the limit's 0.1 %
  /// point, 1.949 / √n.
  static func kolmogorovSmirnovBound(_ count: Int) -> Double { 1.949 / Double(count).squareRoot() }

  static func mean(_ numbers: [Double]) -> Double { numbers.reduce(0, +) / Double(numbers.count) }

  static func correlation(_ a: [Double], _ b: [Double]) -> Double {
    let (meanA, meanB) = (mean(a), mean(b))
    var (ab, aa, bb) = (0.0, 0.0, 0.0)
    for (x, y) in zip(a, b) {
      ab += (x - meanA) * (y - meanB)
      aa += (x - meanA) * (x - meanA)
      bb += (y - meanB) * (y - meanB)
    }
    return ab / (aa * bb).squareRoot()
  }

  /// A Rayleigh distribution by 1000 of its quantiles: the length of a vector of two normal numbers.
  static func rayleigh() -> Quantiles {
    var points: [Quantiles.Point] = []
    for index in 0..<1000 {
      let p = Double(index) / 1000
      points.append(.init(p, (-2 * log(1 - p)).squareRoot()))
    }
    points.append(.init(1, 5))
    return Quantiles(points, basis: .assumed, source: "test") ?? SampleProfile.nothing
  }
}

extension Double {
  var sine: Double { sin(self) }
  var cosine: Double { cos(self) }
}
