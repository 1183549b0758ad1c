import ArgumentParser
import VicinityIndex

/// A tier by its name, in the library's spelling or with hyphens: `hundredMeters`, `hundred-meters`; or its
/// metres.
struct TierArgument: ExpressibleByArgument, Equatable {
  /// Metres.
  var tolerance: Double
  private let text: String

  init(_ tier: Tier) { (tolerance, text) = (tier.tolerance, tier.rawValue) }

  init?(argument: String) {
    guard let tolerance = Tier.tolerance(of: argument) else { return nil }
    (self.tolerance, text) = (tolerance, argument)
  }

  var defaultValueDescription: String { text }

  static var allValueStrings: [String] { Tier.allCases.map(\.rawValue) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
