public import VicinityGeodesy

/// A desired accuracy, named as in Core Location, and the tolerance that it allows a query.
///
/// Passed to a query, a tier is a tolerance: the i-th region told is at most ``tolerance`` farther away than
/// the exact i-th, and each distance told is within it of the true one. A coarser tier is cheaper. The metres
/// are those of Core Location's constants; the significant-change service stands at the 500 m at which
/// Apple's *Location and Maps Programming Guide* has it report.
public enum Tier: String, CaseIterable, Codable, Hashable, Sendable {
  /// The best the device can do: no tolerance.
  case best
  /// Within ten metres.
  case nearestTenMeters
  /// Within one hundred metres.
  case hundredMeters
  /// Within one kilometre.
  case kilometer
  /// Within three kilometres.
  case threeKilometers
  /// The significant-change service: about 500 m.
  case significantChange

  /// A tier by its name, in this spelling or with hyphens, whatever the case: `hundredMeters`,
  /// `hundred-meters`; nil for anything else.
  public init?(name: String) {
    let name = name.lowercased()
    let known = Tier.allCases.first { $0.rawValue.lowercased() == name || $0.hyphenated == name }
    guard let known else { return nil }
    self = known
  }

  /// The name in small letters, its words joined by hyphens: `hundred-meters`.
  private var hyphenated: String {
    rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
  }

  /// The tolerance that a text asks for, metres: a tier by its name, or a number of metres, 0 or more; nil
  /// for anything else.
  package static func tolerance(of text: String) -> Meters? {
    if let tier = Tier(name: text) { return tier.tolerance }
    // `Double` also takes hexadecimal digits.
    guard text.allSatisfy({ "0123456789.eE+-".contains($0) }), let meters = Double(text), meters >= 0,
      meters < .infinity
    else { return nil }
    return meters
  }

  /// What may be said in place of a tier, for people.
  package static var expected: String {
    allCases.map(\.rawValue).joined(separator: ", ") + " or a number of metres"
  }

  /// How much farther away than the exact i-th region the i-th told may be, and how far off its distance,
  /// metres.
  public var tolerance: Meters {
    switch self {
    case .best: 0
    case .nearestTenMeters: 10
    case .hundredMeters: 100
    case .kilometer: 1000
    case .threeKilometers: 3000
    case .significantChange: 500
    }
  }
}
