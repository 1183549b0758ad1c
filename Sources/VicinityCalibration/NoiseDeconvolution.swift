internal import VicinityGeodesy

/// Takes the truth's own noise out of measured errors.
///
/// A measured error is the difference of two vectors, the phone's and the truth's, taken to be independent and without
/// preferred direction. Of two normal vectors the squares of the lengths' quantiles add up; sought are therefore the quantiles
/// √(m² - k n²) of the measured m and the noise's n. k is 1 of normal vectors; of others it is the one with which sought and
/// noise together, laid out on a grid of quantiles and angles as √(a² + b² + 2ab cos θ), have the measured median. One number
/// cannot follow the noise of a sample as a quantile each would. Where the noise is nearly as long as what was measured,
/// nothing is known but that the sought length is less: it goes no lower than a third of the measured.
struct NoiseDeconvolution {
  /// Steps of the grids, and of the bisection: beyond these, fits of Rayleigh noise of 4 m change by less than 1 %.
  private static let errorSteps = 200
  private static let noiseSteps = 24
  private static let angleSteps = 12
  private static let rounds = 16
  private static let median = 6

  /// The lengths of the truth's noise, metres, at even probabilities, and at ``Sample/probabilities``.
  private let noise: [Double]
  private let profile: [Double]

  /// The noise of a truth; none for an empty sample.
  init(_ sample: Sample) {
    noise = (0..<Self.noiseSteps).compactMap {
      sample.quantile((Double($0) + 0.5) / Double(Self.noiseSteps))
    }
    profile = sample.profile
  }

  /// The distribution, at ``Sample/probabilities``, of what together with the noise has the measured distribution.
  func deconvolved(_ measured: [Double]) -> [Double] {
    guard !noise.isEmpty else { return measured }
    var low = 0.0
    var high = 2.0
    for _ in 0..<Self.rounds {
      let middle = (low + high) / 2
      let median = combined(sought(measured, middle))[Self.median]
      if median > measured[Self.median] { low = middle } else { high = middle }
    }
    return sought(measured, (low + high) / 2)
  }

  private func sought(_ measured: [Double], _ share: Double) -> [Double] {
    var last = 0.0
    return zip(measured, profile).map { measured, noise in
      let square = max(measured * measured - share * noise * noise, measured * measured / 9)
      last = max(last, square.squareRoot())
      return last
    }
  }

  /// The distribution of lengths combined with the noise.
  func combined(_ profile: [Double]) -> [Double] {
    guard !noise.isEmpty else { return profile }
    var lengths: [Double] = []
    lengths.reserveCapacity(Self.errorSteps * Self.noiseSteps * Self.angleSteps)
    let cosines = (0..<Self.angleSteps).map {
      CalibrationMath.cosine((Double($0) + 0.5) * .pi / Double(Self.angleSteps))
    }
    for i in 0..<Self.errorSteps {
      let a = Self.value(profile, at: (Double(i) + 0.5) / Double(Self.errorSteps))
      for b in noise {
        for k in 0..<Self.angleSteps {
          let square = a * a + b * b + 2 * a * b * cosines[k]
          lengths.append(max(0, square).squareRoot())
        }
      }
    }
    return Sample(lengths).profile
  }

  private static func value(_ profile: [Double], at probability: Double) -> Double {
    let probabilities = Sample.probabilities
    var i = 0
    while i + 2 < probabilities.count, probabilities[i + 1] < probability { i += 1 }
    let share = (probability - probabilities[i]) / (probabilities[i + 1] - probabilities[i])
    return profile[i] + (profile[i + 1] - profile[i]) * share
  }
}
