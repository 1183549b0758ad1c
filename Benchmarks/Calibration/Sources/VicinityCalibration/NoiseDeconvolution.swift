internal import CMath

/// Removes the reference's own error from measured errors.
///
/// A measured error is the difference of two vectors, the phone's error and the reference's. They are taken
/// to be independent and without preferred direction. For two normal vectors the squares of the quantiles of
/// their lengths add up. So the result has the quantiles √(m² - k n²), with m measured and n those of the
/// reference. For normal vectors k is 1. In general k is chosen so that result and noise, combined on a grid
/// of quantiles and angles as √(a² + b² + 2ab cos θ), have the measured median: a single number cannot follow
/// the noise of a sample as one for each quantile would. Where the noise is nearly as long as what was
/// measured, all that is known is that the result is shorter; it is at least a third of the measured length.
struct NoiseDeconvolution {
  /// The sizes of the grids, and the steps of the bisection. Finer ones change fits of Rayleigh noise of 4 m
  /// by less than 1 %.
  private static let errorSteps = 200
  private static let noiseSteps = 24
  private static let angleSteps = 12
  private static let rounds = 16
  private static let median = 6

  /// The lengths of the noise, metres, at even probabilities and at ``Sample/probabilities``.
  private let noise: [Double]
  private let profile: [Double]

  /// An empty sample means no noise.
  init(_ sample: Sample) {
    noise = (0..<Self.noiseSteps).compactMap {
      sample.quantile((Double($0) + 0.5) / Double(Self.noiseSteps))
    }
    profile = sample.profile
  }

  /// The distribution, at ``Sample/probabilities``, that combined with the noise gives the measured one.
  func deconvolved(_ measured: [Double]) -> [Double] {
    guard !noise.isEmpty else { return measured }
    var low = 0.0
    var high = 2.0
    for _ in 0..<Self.rounds {
      let middle = (low + high) / 2
      let median = combined(denoised(measured, middle))[Self.median]
      if median > measured[Self.median] { low = middle } else { high = middle }
    }
    return denoised(measured, (low + high) / 2)
  }

  private func denoised(_ measured: [Double], _ share: Double) -> [Double] {
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
      cos((Double($0) + 0.5) * .pi / Double(Self.angleSteps))
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
