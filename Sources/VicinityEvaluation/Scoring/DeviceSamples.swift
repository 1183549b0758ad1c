/// Samples of many devices, of which quantiles are asked again and again, each time with other weights of the devices.
///
/// A quantile is a nearest rank: of n samples the p-th per cent is the ⌈n p / 100⌉-th in ascending order (R. J. Hyndman, Y. Fan,
/// *Sample Quantiles in Statistical Packages*, The American Statistician 50, 1996: definition 1). So it is a sample, and may be
/// infinite.
struct DeviceSamples {
  /// Ascending; equal ones in the order of devices.
  private let values: [Double]
  private let devices: [Int32]
  private let deviceCount: Int
  /// How many of each device lie before every `step`-th sample: where to begin to count.
  private let step: Int
  private let before: [Int32]
  /// How many samples each device has, and how many beyond all of them.
  private let counts: [Int32]
  private let endless: [Int32]

  /// Samples.
  ///
  /// - Parameters:
  ///   - samples: Neither NaN nor infinite.
  ///   - endless: How many infinite ones each device has besides.
  init(_ samples: [(value: Double, device: Int)], endless: [Int], deviceCount: Int) {
    let sorted = samples.sorted { ($0.value, $0.device) < ($1.value, $1.device) }
    values = sorted.map(\.value)
    devices = sorted.map { Int32(truncatingIfNeeded: $0.device) }
    self.deviceCount = deviceCount
    self.endless = endless.map { Int32(clamping: $0) }
    // Few enough rows for many devices, short enough steps for many samples.
    let rows = min(256, max(1, 4_000_000 / max(1, deviceCount)))
    step = max(64, (sorted.count + rows - 1) / rows)
    var counts = [Int32](repeating: 0, count: deviceCount)
    var before: [Int32] = []
    for (index, device) in devices.enumerated() {
      if index % step == 0 { before.append(contentsOf: counts) }
      counts[Int(device)] += 1
    }
    self.before = before
    self.counts = counts
  }

  /// How many samples there are with each device's taken so many times: finite ones, and infinite.
  func totals(weights: [Int32]) -> (finite: Int, endless: Int) {
    (Self.product(counts, 0, weights), endless.isEmpty ? 0 : Self.product(endless, 0, weights))
  }

  /// How many devices have a sample; infinite ones do not count.
  var contributorCount: Int { counts.count { $0 > 0 } }

  /// How many have a sample of either kind.
  var contributorCountOfAll: Int {
    counts.indices.count { counts[$0] > 0 || !endless.isEmpty && endless[$0] > 0 }
  }

  /// A quantile with each device's samples taken so many times; nil where there are none.
  ///
  /// - Parameters:
  ///   - percent: 1 ... 100.
  ///   - totals: What ``totals(weights:)`` says of the same weights.
  ///   - countsEndless: Whether the infinite ones count.
  /// - Complexity: O(devices + √n), some more devices where these differ much.
  func quantile(
    _ percent: Int, weights: [Int32], _ totals: (finite: Int, endless: Int), countsEndless: Bool = false
  ) -> Double? {
    let total = totals.finite + (countsEndless ? totals.endless : 0)
    guard total > 0 else { return nil }
    let rank = (total * percent + 99) / 100
    guard rank <= totals.finite else { return .infinity }
    if rank == totals.finite {
      return (values.indices.last { weights[Int(devices[$0])] > 0 }).map { values[$0] }
    }
    let row = lastRow(before: rank, of: totals.finite, weights)
    var sum = Self.product(before, row * deviceCount, weights)
    for index in (row * step)..<values.count {
      sum += Int(weights[Int(devices[index])])
      if sum >= rank { return values[index] }
    }
    return values.last
  }

  /// The last row that fewer samples than `rank` lie before. It is searched from where it is when devices are alike.
  private func lastRow(before rank: Int, of total: Int, _ weights: [Int32]) -> Int {
    let rows = before.count / deviceCount
    func isBefore(_ row: Int) -> Bool {
      row <= 0 || row < rows && Self.product(before, row * deviceCount, weights) < rank
    }
    var low = min(rows - 1, rank * rows / total)
    var stride = 1
    while !isBefore(low) {
      low = max(0, low - stride)
      stride *= 2
    }
    var high = low + 1
    stride = 1
    while isBefore(high) {
      low = high
      high += stride
      stride *= 2
    }
    while low + 1 < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle } else { high = middle }
    }
    return low
  }

  private static func product(_ counts: [Int32], _ offset: Int, _ weights: [Int32]) -> Int {
    var sum = 0
    for device in weights.indices { sum &+= Int(counts[offset + device]) &* Int(weights[device]) }
    return sum
  }
}
