import ArgumentParser
import VicinityIndex

/// A tier by its name, in the library's spelling or with hyphens: `hundredMeters`, `hundred-meters`.
struct TierArgument: ExpressibleByArgument, Equatable {
  var tier: Tier

  init(_ tier: Tier) { self.tier = tier }

  init?(argument: String) {
    let plain = argument.filter { $0 != "-" }.lowercased()
    guard let tier = Tier.allCases.first(where: { $0.rawValue.lowercased() == plain }) else { return nil }
    self.tier = tier
  }

  var defaultValueDescription: String { tier.rawValue }

  static var allValueStrings: [String] { Tier.allCases.map(\.rawValue) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
