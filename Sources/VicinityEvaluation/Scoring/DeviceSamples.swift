/// Samples of many devices, for finding many quantiles with different weights of the devices.
///
/// A quantile is a nearest rank: the p-th per cent of n samples is the ⌈n p / 100⌉-th in ascending order (R.
/// J. Hyndman, Y. Fan, *Sample Quantiles in Statistical Packages*, The American Statistician 50, 1996:
/// definition 1). So it is one of the samples, and may be infinite.
struct DeviceSamples {
  /// Ascending; equal ones in the order of devices.
  private let values: [Double]
  private let devices: [Int32]
  private let deviceCount: Int
  /// Before every `step`-th sample, how many samples of each device there are: where counting begins.
  private let step: Int
  private let before: [Int32]
  /// How many finite and infinite samples each device has.
  private let counts: [Int32]
  private let endless: [Int32]

  /// - Parameters:
  ///   - samples: The finite samples.
  ///   - endless: How many infinite samples each device has; empty for none.
  init(_ samples: [(value: Double, device: Int)], endless: [Int], deviceCount: Int) {
    let sorted = samples.sorted { ($0.value, $0.device) < ($1.value, $1.device) }
    values = sorted.map(\.value)
    devices = sorted.map { Int32(truncatingIfNeeded: $0.device) }
    self.deviceCount = deviceCount
    self.endless = endless.map { Int32(clamping: $0) }
    // Few rows where there are many devices, short steps where there are many samples.
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

  /// The numbers of finite and infinite samples, with each device's samples repeated by its weight.
  func totals(weights: [Int32]) -> (finite: Int, endless: Int) {
    (Self.product(counts, 0, weights), endless.isEmpty ? 0 : Self.product(endless, 0, weights))
  }

  /// Whether each device has a sample; infinite samples count where `countsEndless`.
  func haveSamples(countsEndless: Bool = false) -> [Bool] {
    counts.indices.map { counts[$0] > 0 || countsEndless && !endless.isEmpty && endless[$0] > 0 }
  }

  /// A quantile, with each device's samples repeated by its weight; nil where there are no samples.
  ///
  /// - Parameters:
  ///   - percent: 1 ... 100.
  ///   - totals: ``totals(weights:)`` of the same weights.
  ///   - countsEndless: Whether infinite samples count.
  /// - Complexity: O(devices + √n); more where the devices differ a lot.
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

  /// The last row with fewer than `rank` samples before it. The search begins at the row where it would be if
  /// all devices were alike.
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
