public import VicinityCrossings
public import VicinityGeodesy

/// The synthetic people of a city, each with a device.
///
/// A person is the same whatever the number of others.
public struct Population: Hashable, Sendable {
  public let count: Int
  public let kind: PersonKind
  private let city: City
  private let seed: UInt64

  /// People around the centre of a city.
  ///
  /// - Parameters:
  ///   - count: 0 to a million.
  ///   - kind: How all of them spend their days. Mix kinds by making several populations.
  ///   - center: The centre of the city.
  ///   - spread: Twice the median distance of homes from the centre, metres, 100 m to 100 km; other distances
  ///     scale with it.
  ///   - start: Local midnight at the beginning of the first day.
  ///   - days: 1 to 3,660.
  ///   - interval: Seconds between two fixes, 0.1 to 3,600.
  ///   - pause: Seconds between two fixes in the middle of a stay, up to 3,600; the interval if that is
  ///     longer. The geometric rule by default treats more than 300 s as a gap.
  ///   - seed: The same seed gives the same people.
  /// - Throws: ``GenerationError`` for the first parameter that is out of range.
  public init(
    count: Int, kind: PersonKind = .commuter, around center: Coordinate, spread: Meters = 8000,
    start: Timestamp, days: Int,
    interval: Double = 1, pause: Double = 60, seed: UInt64
  ) throws(GenerationError) {
    func check(
      _ parameter: String, _ value: Double, _ range: ClosedRange<Double>, _ unit: String
    ) throws(GenerationError) {
      guard range.contains(value) else {
        throw .outOfRange(
          parameter: parameter, value: value,
          allowed: "\(range.lowerBound.shortestText) to \(range.upperBound.shortestText)\(unit)")
      }
    }
    try check("the number of devices", Double(count), 0...1e6, "")
    guard center.isValid else {
      throw .invalidPlace(number: 1, latitude: center.latitude, longitude: center.longitude)
    }
    try check("the spread", spread, 100...1e5, " m")
    try check("the number of days", Double(days), 1...3660, "")
    try check("the interval", interval, 0.1...3600, " s")
    try check("the pause", pause, 0...3600, " s")
    // Times up to about the year 9999 can be written.
    try check("the start", start.seconds, -6.2e10...2.5e11, " s since 1970")
    self.count = count
    self.kind = kind
    city = City(
      center: center, spread: spread, start: start, days: days, interval: interval,
      pause: max(interval, pause))
    self.seed = seed
  }

  /// A person; `index` must lie in 0 ..< the number of people. The devices are called `device-1` and so on.
  public func person(_ index: Int) -> MovingPerson {
    var stream = RandomStream(seed: seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15, "population")
    return MovingPerson(name: "device-\(index + 1)", city: city, kind: kind, seed: stream.next())
  }
}

/// What all people of a city have in common; see the parameters of ``Population``.
struct City: Hashable, Sendable {
  let center: Coordinate
  let spread: Meters
  let start: Timestamp
  let days: Int
  let interval: Double
  let pause: Double
}
