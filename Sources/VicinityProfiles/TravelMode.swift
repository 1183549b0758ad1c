/// How the phone travels, as far as its positions differ by that: what carries it, and what it passes.
public enum TravelMode: String, CaseIterable, Hashable, Sendable, Codable, CodingKeyRepresentable {
  /// On foot: among houses, and near the networks in them.
  case foot
  /// On a road: car, bus, bicycle, scooter.
  case road
  /// On rails: through tunnels and cuttings, behind coated windows.
  case rail
}
