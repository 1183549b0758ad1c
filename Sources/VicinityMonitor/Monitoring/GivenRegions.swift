internal import VicinityCrossings
internal import VicinityIndex

/// The regions that the monitor was given in an index; they have the first ordinals.
struct GivenRegions {
  private(set) var count: Int
  /// How they are treated.
  private(set) var options: RegionOptions
  /// What suspends them; empty while they are watched.
  private(set) var suspension: Diagnostics = []

  init(count: Int, options: RegionOptions) {
    self.count = count
    self.options = options
  }

  /// The ordinal of one; nil for other regions.
  func ordinal(of identifier: String, in index: MonitoredIndex) -> Int? {
    guard count > 0, let ordinal = index.ordinal(of: identifier), ordinal < count else { return nil }
    return ordinal
  }

  /// Others take their place.
  mutating func replace(count: Int, options: RegionOptions) {
    self.count = count
    self.options = options
  }

  mutating func suspend(by suspension: Diagnostics) { self.suspension = suspension }
}
