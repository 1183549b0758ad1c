internal import CMath
public import VicinityGeodesy

/// How near a beacon is, roughly: Core Location's `CLProximity`, with its raw values.
public enum BeaconProximity: UInt8, CaseIterable, Hashable, Sendable {
  /// It cannot be told.
  case unknown = 0
  /// Within reach of a hand.
  case immediate = 1
  /// In the same part of a room.
  case near = 2
  /// Farther off.
  case far = 3
}

extension BeaconProximity: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .immediate: "immediate"
    case .near: "near"
    case .far: "far"
    }
  }
}

/// What a radio level says of a beacon's distance.
///
/// The log-distance path loss model (T. S. Rappaport, *Wireless Communications*, 2nd edition, 4.9.1): with
/// the level P at 1 m, the mean level at d metres is P - 10 n log10 d. The exponent n is 2 in free space (H.
/// T. Friis, *A Note on a Simple Transmission Formula*, Proc. IRE 34, 1946); 1.6 to 1.8 in line of sight
/// indoors, 4 to 6 with obstructions (Rappaport, table 4.2). What the model leaves over is normal in decibels
/// (4.9.2), so that the mean of several levels in decibels is the best estimate, and distances are off by a
/// factor, not by an amount: 6 dB double or halve one at n = 2.
public struct BeaconDistanceModel: Hashable, Sendable {
  /// n; 2 by default. Between 1 and 10.
  public var pathLossExponent: Double
  /// A beacon nearer than this is immediate, metres; 0.5 by default.
  public var immediateWithin: Meters
  /// A beacon nearer than this, and not immediate, is near, metres; 3 by default.
  public var nearWithin: Meters

  /// A model.
  ///
  /// Core Location's own limits are not published. With Gelo beacons TheoremOne (*Environment considerations
  /// when using iBeacons on iOS*) found "something around 0.3m" for immediate and 3 m for near; Delphi's
  /// beacon library takes 0.5 and 1.5 m (`System.Beacon.TBeaconProximity`). The defaults are a choice among
  /// these.
  @inlinable
  public init(pathLossExponent: Double = 2, immediateWithin: Meters = 0.5, nearWithin: Meters = 3) {
    self.pathLossExponent = pathLossExponent
    self.immediateWithin = immediateWithin
    self.nearWithin = nearWithin
  }

  /// The distance at which a level has fallen by `loss` decibels below that at 1 m, metres.
  ///
  /// - Complexity: O(1)
  public func distance(loss: Double) -> Meters { pow(10, loss / (10 * pathLossExponent)) }

  /// How far a level has fallen at a distance below that at 1 m, decibels.
  ///
  /// - Complexity: O(1)
  public func loss(distance: Meters) -> Double { 10 * pathLossExponent * log10(distance) }

  /// How near a distance is; unknown for a negative one or NaN.
  public func proximity(_ distance: Meters) -> BeaconProximity {
    guard distance >= 0 else { return .unknown }
    return distance < immediateWithin ? .immediate : distance < nearWithin ? .near : .far
  }

  func check() throws(BeaconOptionsError) {
    func check(_ option: String, _ value: Double, _ isIn: Bool) throws(BeaconOptionsError) {
      guard isIn else { throw .outOfRange(option: option, value: value) }
    }
    try check("path loss exponent", pathLossExponent, pathLossExponent >= 1 && pathLossExponent <= 10)
    try check("immediate within", immediateWithin, immediateWithin >= 0 && immediateWithin < .infinity)
    try check("near within", nearWithin, nearWithin >= immediateWithin && nearWithin < .infinity)
  }
}
