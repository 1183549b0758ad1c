/// How the regions of an index are treated: all as usual, and some in another way.
///
///     let shops = RegionOptions(ConditionOptions(dwell: .seconds(120)), exceptions: ["flagship": ConditionOptions(isPinned: true)])
///
/// The same options as those of a condition that is added, with the same ranges. They are not stored for
/// regions without a record: give them at each opening. A pinned region has a record from the start, and
/// holds a slot where there is one; where there is none, it is watched as the others are.
public struct RegionOptions: Hashable, Sendable {
  /// How regions are treated of which nothing else is said. It cannot be to pin them all.
  public var usual: ConditionOptions
  /// How single regions are treated, by their identifiers. Identifiers that the index does not have mean
  /// nothing.
  public var exceptions: [String: ConditionOptions]

  public init(
    _ usual: ConditionOptions = ConditionOptions(), exceptions: [String: ConditionOptions] = [:]
  ) {
    self.usual = usual
    self.exceptions = exceptions
  }

  /// How a region is treated.
  public func options(of identifier: String) -> ConditionOptions { exceptions[identifier] ?? usual }

  /// Throws the error that names what is out of its range, if anything.
  func check() throws(MonitorError) {
    try usual.check(Self.all)
    guard !usual.isPinned else {
      throw .conditionOption(
        identifier: Self.all, option: "isPinned", reason: "not for all regions of an index")
    }
    for (identifier, options) in exceptions.sorted(by: { $0.key < $1.key }) { try options.check(identifier) }
  }

  /// What an error calls the regions of which nothing else is said.
  private static let all = "all regions"
}
