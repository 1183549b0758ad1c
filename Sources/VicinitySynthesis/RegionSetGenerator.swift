internal import CMath
public import VicinityGeodesy
public import VicinityIndex
internal import VicinityPolygon

/// Generates any number of synthetic regions around places: shops of a town, stops along streets, a grid.
///
///     let shops = try RegionSetGenerator(count: 10_000, around: vienna, spread: 20_000, seed: 1)
///     let index = try RegionIndex(shops.regionSet())
///
/// Equal generators give equal regions. They are generated one by one, so that a million need not be in
/// memory. The number of regions of a place is proportional to its weight; the regions of a place come
/// together.
public struct RegionSetGenerator: Hashable, Sendable {
  /// How the regions of a place are arranged.
  public enum Arrangement: String, CaseIterable, Hashable, Sendable {
    /// Four of five in a dozen quarters, the central one the fullest and each next one emptier (Zipf's law);
    /// the rest anywhere.
    case clusters
    /// Anywhere in the disc.
    case uniform
    /// In rows and columns of the square inscribed in the disc.
    case grid
    /// Along straight streets, east-west and north-south, which are denser in the centre; 5 to 25 m off their
    /// axes.
    case streets
  }

  /// A place to generate regions around.
  public struct Place: Hashable, Sendable {
    public var center: Coordinate
    /// The greatest distance of a region's centre from the place's centre, metres.
    public var spread: Meters
    /// The share of the regions, relative to the weights of other places.
    public var weight: Double

    public init(_ center: Coordinate, spread: Meters, weight: Double = 1) {
      self.center = center
      self.spread = spread
      self.weight = weight
    }
  }

  public let count: Int
  public let places: [Place]
  public let arrangement: Arrangement
  /// The radii; polygons fill 70 to 100 % of a circle with such a radius.
  public let radii: RadiusDistribution
  /// The share of polygons with four to eight vertices, 0...1.
  public let polygonShare: Double
  /// The prefix of identifiers; a hyphen and the region's number, from 1, follow.
  public let prefix: String
  public let seed: UInt64

  /// Makes a generator of regions around places.
  ///
  /// - Parameters:
  ///   - count: 0 to `RegionSet.maximumCount`.
  ///   - places: Spreads 1 m to 5,000 km, weights greater than zero.
  ///   - arrangement: How the regions lie around the places.
  ///   - radii: Log-normal between 50 and 1,000 m by default.
  ///   - polygonShare: The share of polygons, 0...1.
  ///   - prefix: The prefix of identifiers; a hyphen and the region's number, from 1, follow.
  ///   - seed: The same seed gives the same regions.
  /// - Throws: ``GenerationError`` for the first parameter that is out of range.
  public init(
    count: Int, places: [Place], arrangement: Arrangement = .clusters,
    radii: RadiusDistribution = .logNormal(50...1000), polygonShare: Double = 0, prefix: String = "region",
    seed: UInt64
  ) throws(GenerationError) {
    guard count >= 0, count <= RegionSet.maximumCount else {
      throw .outOfRange(
        parameter: "the number of regions", value: Double(count), allowed: "0 to \(RegionSet.maximumCount)")
    }
    guard !places.isEmpty else { throw .noPlaces }
    for (index, place) in places.enumerated() {
      guard place.center.isValid else {
        throw .invalidPlace(
          number: index + 1, latitude: place.center.latitude, longitude: place.center.longitude)
      }
      guard place.spread >= 1, place.spread <= RadiusDistribution.largest else {
        throw .outOfRange(
          parameter: "the spread of place \(index + 1)", value: place.spread,
          allowed: "1 to \(Int(RadiusDistribution.largest)) m")
      }
      guard place.weight > 0, place.weight <= 1e12 else {
        throw .outOfRange(
          parameter: "the weight of place \(index + 1)", value: place.weight, allowed: "above 0, up to 1e12")
      }
    }
    try radii.check()
    guard polygonShare >= 0, polygonShare <= 1 else {
      throw .outOfRange(parameter: "the share of polygons", value: polygonShare, allowed: "0 to 1")
    }
    guard polygonShare == 0 || radii.range.lowerBound >= 1 && radii.range.upperBound <= 1_000_000 else {
      throw .outOfRange(
        parameter: "the radius of polygons",
        value: radii.range.lowerBound < 1 ? radii.range.lowerBound : radii.range.upperBound,
        allowed: "1 to 1000000 m")
    }
    self.count = count
    self.places = places
    self.arrangement = arrangement
    self.radii = radii
    self.polygonShare = polygonShare
    self.prefix = prefix
    self.seed = seed
  }

  /// Makes a generator of regions around one place.
  ///
  /// - Throws: ``GenerationError`` for the first parameter that is out of range.
  public init(
    count: Int, around center: Coordinate, spread: Meters, arrangement: Arrangement = .clusters,
    radii: RadiusDistribution = .logNormal(50...1000), polygonShare: Double = 0, seed: UInt64
  ) throws(GenerationError) {
    try self.init(
      count: count, places: [Place(center, spread: spread)], arrangement: arrangement, radii: radii,
      polygonShare: polygonShare, seed: seed)
  }

  public func regions() -> GeneratedRegions { GeneratedRegions(self) }

  /// All regions as columns, for an index.
  ///
  /// - Throws: ``GenerationError/region(number:reason:)`` when the identifiers are too long.
  public func regionSet() throws(GenerationError) -> RegionSet {
    var set = RegionSet()
    set.reserveCapacity(count, identifierByteCount: count * (prefix.utf8.count + 8))
    var regions = regions()
    while let region = try regions.next() {
      do { try set.append(region) } catch {
        throw .region(number: set.count + 1, reason: "\(error)")
      }
    }
    return set
  }
}

/// The regions of a generator, one by one.
public struct GeneratedRegions: Sendable {
  private let generator: RegionSetGenerator
  private var random: RandomStream
  /// How many regions have been generated.
  public private(set) var made = 0
  private var place = -1
  /// The number of the first region of the next place.
  private var placeEnd = 0
  private var placeBegin = 0
  private var weightSoFar = 0.0
  private let totalWeight: Double
  private var layout = PlaceLayout()

  init(_ generator: RegionSetGenerator) {
    self.generator = generator
    random = RandomStream(seed: generator.seed, "made-up regions")
    totalWeight = generator.places.reduce(0) { $0 + $1.weight }
  }

  /// The next region; nil after the last one.
  ///
  /// - Throws: ``GenerationError/region(number:reason:)`` for an invalid polygon; the next call continues
  ///   after it.
  /// - Complexity: O(1), amortised.
  public mutating func next() throws(GenerationError) -> Region? {
    guard made < generator.count else { return nil }
    while made >= placeEnd { beginPlace() }
    let number = made - placeBegin
    made += 1
    let offset = layout.offset(number, &random)
    let radius = generator.radii.radius(&random)
    let center = Self.reached(generator.places[place].center, offset)
    let identifier = "\(generator.prefix)-\(made)"
    guard generator.polygonShare > 0, random.unit() < generator.polygonShare else {
      return Region(identifier: identifier, center: center, radius: radius)
    }
    do {
      return Region(identifier: identifier, polygon: try polygon(around: center, radius))
    } catch {
      throw .region(number: made, reason: "\(error)")
    }
  }

  private mutating func beginPlace() {
    place += 1
    weightSoFar += generator.places[place].weight
    placeBegin = placeEnd
    // Sums are rounded, not shares, so that the counts of all places add up; the last place ends at the total
    // in any case.
    placeEnd =
      place == generator.places.count - 1
      ? generator.count : Int((Double(generator.count) * min(1, weightSoFar / totalWeight)).rounded())
    if placeEnd > placeBegin {
      layout = PlaceLayout(
        generator.arrangement, spread: generator.places[place].spread, count: placeEnd - placeBegin, &random)
    }
  }

  /// The vertices are in order of azimuth around the centre, so that the boundary does not cross itself.
  private mutating func polygon(around center: Coordinate, _ radius: Meters) throws(PolygonError) -> Polygon {
    let corners = 4 + Int(5 * random.unit())
    let step = 360 / Double(corners)
    var vertices: [Coordinate] = []
    for corner in 0..<corners {
      let azimuth = step * (Double(corner) + 0.7 * random.unit())
      let distance = radius * (0.7 + 0.3 * random.unit())
      vertices.append(Geodesic.uncheckedDirect(center, azimuth: azimuth, distance: distance).coordinate)
    }
    return try Polygon(exterior: vertices)
  }

  private static func reached(_ start: Coordinate, _ offset: (east: Meters, north: Meters)) -> Coordinate {
    let distance = (offset.east * offset.east + offset.north * offset.north).squareRoot()
    guard distance > 0 else { return start }
    let azimuth = atan2(offset.east, offset.north) * (180 / .pi)
    return Geodesic.uncheckedDirect(start, azimuth: azimuth, distance: distance).coordinate
  }
}
