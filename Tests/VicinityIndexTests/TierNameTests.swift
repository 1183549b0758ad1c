import Testing

@testable import VicinityIndex

@Suite("Names of tiers")
struct TierNameTests {
  @Test("A tier has its name as it is written here or with hyphens, whatever the case")
  func names() {
    for (text, tier) in [
      ("hundredMeters", Tier.hundredMeters), ("hundred-meters", .hundredMeters),
      ("HUNDREDMETERS", .hundredMeters),
      ("Nearest-Ten-Meters", .nearestTenMeters), ("best", .best), ("significant-change", .significantChange),
      ("three-kilometers", .threeKilometers),
    ] {
      #expect(Tier(name: text) == tier, "\(text)")
    }
    for tier in Tier.allCases { #expect(Tier(name: tier.rawValue) == tier) }
    for text in ["h-u-n-d-redmeters", "hundred--meters", "-best", "best-", "hundred meters", "", "-"] {
      #expect(Tier(name: text) == nil, "\(text)")
    }
  }

  @Test("A tolerance is a tier's or a decimal number of metres, 0 or more")
  func tolerances() {
    for (text, metres) in [
      ("0", 0.0), ("12.5", 12.5), ("1e3", 1000), ("+5", 5), ("kilometer", 1000), ("best", 0),
    ] {
      #expect(Tier.tolerance(of: text) == metres, "\(text)")
    }
    for text in ["0x10", "-1", "inf", "nan", "1e999", "12 m", "", "ten"] {
      #expect(Tier.tolerance(of: text) == nil, "\(text)")
    }
  }
}
