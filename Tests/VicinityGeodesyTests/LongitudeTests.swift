import Testing
import VicinityGeodesy
import VicinityTestSupport

/// Longitudes of any size.
@Suite struct LongitudeTests {
  /// A longitude is understood modulo 360 degrees, however large it is: one place has one position, to the
  /// last bit.
  @Test func areUnderstoodModulo360() throws {
    var random = SplitMix64(seed: 31)
    var longitudes = [180, -180, 540, -540, 1e9, -1e9, 1e17, 1e18, -1e200, Double.greatestFiniteMagnitude]
    for _ in 0..<2000 { longitudes.append(random.logUniform(200...1e25) * (random.unit() < 0.5 ? -1 : 1)) }
    for longitude in longitudes {
      let latitude = random.uniform(-90...90)
      let position = try ECEF(Coordinate(latitude: latitude, longitude: longitude))
      let wrapped = longitude.remainder(dividingBy: 360)
      let expected = try ECEF(
        Coordinate(latitude: latitude, longitude: wrapped == 180 ? -180 : wrapped))
      #expect(position == expected, "seed 31: latitude \(latitude), longitude \(longitude)")
    }
  }
}
