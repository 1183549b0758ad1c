import Testing
import VicinityGeodesy
import VicinityTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The solver in Swift, held to Karney's test set, to PROJ and to itself.
@Suite struct GeodesicSolverTests {
  static let seed: UInt64 = 20_130_143

  // MARK: Karney's test set

  /// Positions are exact to 1e-18 degrees and lengths to the last digit printed, so that errors here are the
  /// solver's and the rounding of the input, half an ulp of 180 degrees: 1.6 nm.
  @Test(
    "Karney's rows: distances to 15 nm, azimuths to 1e-11 degrees and 15 nm at the other end, areas to 0.1 m²",
    .enabled(if: FileManager.default.fileExists(atPath: karneyFile), "no GeodTest-100.dat"))
  func karney() throws {
    let worst = KarneyErrors(rows: try karneyRows()) { GeodesicSolver.inverse($0, $1) }
    print("Karney's rows: \(worst)")
    #expect(worst.distance <= 1.5e-8)
    #expect(worst.azimuth <= 1e-11)
    #expect(worst.directPlace <= 1.5e-8)
    #expect(worst.backwardPlace <= 1.5e-8)
    #expect(worst.directAzimuth <= 1e-11)
    #expect(worst.area <= 0.1)
    #expect(worst.inverseArea <= 0.1)
  }

  /// A solver whose distances are off by 1e-14 of themselves and whose azimuths by 2e-11 degrees fails the
  /// check above.
  @Test(
    "the check on Karney's rows can fail",
    .enabled(if: FileManager.default.fileExists(atPath: karneyFile), "no GeodTest-100.dat"))
  func karneyCanFail() throws {
    let worst = KarneyErrors(rows: try karneyRows()) {
      var inverse = GeodesicSolver.inverse($0, $1)
      inverse.distance *= 1 + 1e-14
      inverse.azimuth1 += 2e-11
      return inverse
    }
    #expect(worst.distance > 1.5e-8)
    #expect(worst.azimuth > 1e-11)
  }

  // MARK: PROJ

  @Test("every family of pairs against PROJ, to 20 nm", arguments: PairFamily.allCases)
  func agreesWithPROJ(family: PairFamily) {
    let count = longTests ? 2_000_000 : 60_000
    let worst = SolverErrors.run(family, seed: Self.seed, count: count)
    #expect(worst.fault == nil, "seed \(Self.seed)")
  }

  /// 10^8 pairs: about two minutes of two cores.
  @Test("10^8 pairs against PROJ", .enabled(if: longTests, "set VICINITY_LONG_TESTS=1 for the 10^8 pairs"))
  func soak() async {
    let chunks = 100
    let families = PairFamily.allCases
    var totals = [PairFamily: SolverErrors]()
    await withTaskGroup(of: SolverErrors.self) { group in
      for chunk in 0..<chunks {
        for family in families {
          group.addTask {
            SolverErrors.run(
              family, seed: Self.seed &+ 1 &+ UInt64(chunk), count: 1_000_000 / families.count + 1)
          }
        }
      }
      for await part in group {
        totals[part.family, default: SolverErrors(family: part.family)].merge(part)
      }
    }
    for family in families {
      guard let total = totals[family] else { continue }
      print(total)
      #expect(total.fault == nil, "seeds \(Self.seed + 1) to \(Self.seed + 100)")
    }
  }

  @Test("a distance off by 40 nm, and one that is no number, fail the check against PROJ")
  func agreementCanFail() {
    var source = FamilySource(.random, seed: Self.seed)
    let (p, q) = source.next()
    for error in [4e-8, -4e-8, .nan] {
      var errors = SolverErrors(family: .random)
      var inverse = GeodesicSolver.inverse(p, q)
      errors.add(p, q, inverse, distance: inverse.distance)
      #expect(errors.fault == nil)
      inverse.distance += error
      errors.add(p, q, inverse, distance: inverse.distance - error)
      #expect(errors.fault != nil)
    }
  }

  @Test("from Earth-centred positions: every family within the bound")
  func earthCentred() {
    for family in PairFamily.allCases {
      var source = FamilySource(family, seed: Self.seed &+ 6)
      for _ in 0..<(longTests ? 500_000 : 10_000) {
        let (p, q) = source.next()
        let s12 = GeodesicSolver.distance(from: ECEF(unchecked: p), to: ECEF(unchecked: q))
        #expect(
          abs(s12 - PROJGeodesic.distance(p, q)) <= GeodesicSolver.errorBound / 2, "\(family): \(p) \(q)")
      }
    }
    let nan = ECEF(x: .nan, y: 0, z: 0)
    #expect(GeodesicSolver.distance(from: nan, to: ECEF(x: -WGS84.a, y: 0, z: 0)).isNaN)
  }

  /// The azimuth is 90 degrees at both ends and the latitudes are opposite: rounding makes the square of the
  /// northward component at the second negative.
  @Test("from a vertex of a geodesic to the next, within the bound")
  func vertexToVertex() {
    var generator = SplitMix64(seed: Self.seed &+ 7)
    for _ in 0..<200 {
      let latitude = generator.uniform(45...90)
      let p = Coordinate(latitude: -latitude, longitude: 0)
      var (low, high) = (1.98e7, 2.001e7)
      for _ in 0..<50 {
        let middle = 0.5 * (low + high)
        if GeodesicSolver.direct(p, azimuth: 90, distance: middle).azimuth < 90 {
          low = middle
        } else {
          high = middle
        }
      }
      let longitude = GeodesicSolver.direct(p, azimuth: 90, distance: low).coordinate.longitude
      for ulps in -3...3 {
        let q = Coordinate(
          latitude: latitude + Double(generator.below(7) - 3) * latitude.ulp,
          longitude: longitude + Double(ulps) * longitude.ulp)
        let expected = PROJGeodesic.distance(p, q)
        let fromDegrees = GeodesicSolver.distance(p, q)
        let fromPositions = GeodesicSolver.distance(from: ECEF(unchecked: p), to: ECEF(unchecked: q))
        #expect(abs(fromDegrees - expected) <= GeodesicSolver.errorBound / 2, "\(p) \(q)")
        #expect(abs(fromPositions - expected) <= GeodesicSolver.errorBound / 2, "\(p) \(q)")
      }
    }
  }

  @Test("the direct problem against PROJ, to 20 nm, forwards and backwards, up to a turn and a half")
  func directAgreesWithPROJ() {
    var source = PairSource(seed: Self.seed)
    var worst = 0.0
    for step in 0..<(longTests ? 2_000_000 : 100_000) {
      var pair = source.next()
      if step % 5 == 0 { pair.length = source.generator.uniform(-6e7...6e7) }
      if step % 7 == 0 { pair.longitude += 720 }
      if step % 11 == 0 { pair.azimuth -= 360 }
      let ours = GeodesicSolver.direct(pair.start, azimuth: pair.azimuth, distance: pair.length)
      let theirs = PROJGeodesic.direct(pair.start, azimuth: pair.azimuth, distance: pair.length)
      let miss = ECEF(unchecked: ours.coordinate).chord(to: ECEF(unchecked: theirs.coordinate))
      let limit = abs(pair.length) <= 2.1e7 ? 2e-8 : 4e-8
      #expect(miss <= limit, "\(pair)")
      worst = largerOrNaN(worst, miss)
      #expect(ours.coordinate.isValid && abs(ours.coordinate.longitude) <= 180, "\(pair)")
      // At a pole the azimuth is the longitude's.
      if abs(theirs.coordinate.latitude) < 89.999 {
        let turn = (ours.azimuth - theirs.azimuth).remainder(dividingBy: 360)
        #expect(abs(turn) <= 1e-8, "\(pair)")
      }
    }
    print("direct: \(worst) m from PROJ at most")
  }

  @Test("the direct problem undoes the inverse, to 30 nm")
  func roundTrip() {
    for family in PairFamily.allCases {
      var source = FamilySource(family, seed: Self.seed &+ 7)
      for _ in 0..<5000 {
        let (p, q) = source.next()
        let inverse = GeodesicSolver.inverse(p, q)
        let there = GeodesicSolver.direct(p, azimuth: inverse.azimuth1, distance: inverse.distance)
        #expect(
          ECEF(unchecked: there.coordinate).chord(to: ECEF(unchecked: q)) <= 3e-8, "\(family): \(p) \(q)")
        let back = GeodesicSolver.direct(q, azimuth: inverse.azimuth2, distance: -inverse.distance)
        #expect(
          ECEF(unchecked: back.coordinate).chord(to: ECEF(unchecked: p)) <= 3e-8, "\(family): \(p) \(q)")
      }
    }
  }

  @Test("points along a path: its ends, and the triangle's equality in between")
  func lines() {
    for family in PairFamily.allCases {
      var source = FamilySource(family, seed: Self.seed &+ 8)
      for _ in 0..<2000 {
        let (p, q) = source.next()
        let line = GeodesicSolver.Line(p, q)
        #expect(line.distance == GeodesicSolver.inverse(p, q).distance)
        #expect(ECEF(unchecked: line.point(at: 0)).chord(to: ECEF(unchecked: p)) <= 1e-8, "\(p) \(q)")
        #expect(
          ECEF(unchecked: line.point(at: line.distance)).chord(to: ECEF(unchecked: q)) <= 3e-8, "\(p) \(q)")
        let part = source.generator.unit()
        let middle = line.point(at: part * line.distance)
        #expect(abs(GeodesicSolver.distance(p, middle) - part * line.distance) <= 2e-8, "\(p) \(q)")
        #expect(
          abs(GeodesicSolver.distance(middle, q) - (1 - part) * line.distance) <= 2e-8, "\(p) \(q)")
      }
    }
  }

  // MARK: Special places

  @Test(
    "the same distance there and back, with azimuths and without, to 10 nm, and mirrored to the last bit"
  )
  func symmetries() {
    for family in PairFamily.allCases {
      var source = FamilySource(family, seed: Self.seed &+ 9)
      for _ in 0..<5000 {
        let (p, q) = source.next()
        let s12 = GeodesicSolver.distance(p, q)
        #expect(abs(GeodesicSolver.distance(q, p) - s12) <= 1e-8)
        #expect(abs(GeodesicSolver.inverse(p, q).distance - s12) <= 1e-8)
        let (north, south) = (mirrored(p), mirrored(q))
        #expect(GeodesicSolver.distance(north, south) == s12)
        #expect(s12 <= GeodesicBounds.longestDistance)
      }
    }
  }

  private func mirrored(_ p: Coordinate) -> Coordinate {
    Coordinate(latitude: -p.latitude, longitude: p.longitude)
  }

  @Test(
    "coincident points: no distance, and finite azimuths",
    arguments: [-90.0, -45, -1e-300, 0, 1e-12, 89.99, 90])
  func coincident(latitude: Double) {
    for longitude in [-180.0, -90, 0, 1e-12, 77, 180] {
      let p = Coordinate(latitude: latitude, longitude: longitude)
      for turns in [-1080.0, 0, 360, 360e9] {
        let q = Coordinate(latitude: latitude, longitude: longitude)
        let turned = Coordinate(latitude: latitude, longitude: longitude + turns)
        #expect(GeodesicSolver.distance(p, q) == 0)
        let inverse = GeodesicSolver.inverse(p, q)
        #expect(inverse.distance == 0 && inverse.azimuth1.isFinite && inverse.azimuth2.isFinite)
        if turned.longitude - turns == longitude { #expect(GeodesicSolver.distance(p, turned) == 0) }
        let line = GeodesicSolver.Line(p, q)
        #expect(line.distance == 0 && line.point(at: 0).isValid)
      }
    }
  }

  @Test("half a turn of the equator: along it as far as (1 - f) 180 degrees, over a pole beyond")
  func equator() {
    let limit = 180 * (1 - WGS84.f)
    let p = Coordinate(latitude: 0, longitude: 0)
    for lon in [1e-9, 1, 90, 158, 179, limit - 1e-9, limit.nextDown] {
      let inverse = GeodesicSolver.inverse(p, Coordinate(latitude: 0, longitude: lon))
      #expect(abs(inverse.distance - WGS84.a * lon * (.pi / 180)) <= 1e-8)
      #expect(inverse.azimuth1 == 90 && inverse.azimuth2 == 90)
    }
    var last = GeodesicSolver.distance(p, Coordinate(latitude: 0, longitude: limit))
    for step in 1...2000 {
      let lon = limit + (180 - limit) * Double(step) / 2000
      let q = Coordinate(latitude: 0, longitude: lon)
      let inverse = GeodesicSolver.inverse(p, q)
      #expect(abs(inverse.distance - PROJGeodesic.distance(p, q)) <= 2e-8)
      #expect(inverse.distance > last)
      #expect(abs(abs(inverse.azimuth1 - 90) - abs(inverse.azimuth2 - 90)) < 1e-9)
      last = inverse.distance
    }
    #expect(abs(last - 20_003_931.458_625_447) <= 1e-8)
  }

  /// PROJ is off by 0.3 µm for some of these, so that the equator itself is the measure: distance is
  /// 1-Lipschitz.
  @Test("a picometre off the equator changes nothing, on either side of (1 - f) 180 degrees")
  func besideTheEquator() {
    var generator = SplitMix64(seed: Self.seed &+ 10)
    let limit = 180 * (1 - WGS84.f)
    for _ in 0..<20_000 {
      let sign: Double = generator.below(2) == 0 ? 1 : -1
      let lon = limit + sign * generator.logUniform(1e-14...0.6)
      let lat1 = generator.below(2) == 0 ? 0 : generator.logUniform(1e-20...1e-14)
      let lat2 = (generator.below(2) == 0 ? 1 : -1) * generator.logUniform(1e-20...1e-14)
      let onIt = GeodesicSolver.distance(
        Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 0, longitude: lon))
      let beside = GeodesicSolver.distance(
        Coordinate(latitude: lat1, longitude: 0), Coordinate(latitude: lat2, longitude: lon))
      #expect(abs(beside - onIt) <= 1e-8, "\(lat1) to \(lat2),\(lon)")
    }
  }

  @Test("half a turn exactly goes over a pole, whatever name the longitudes have")
  func meridians() {
    for lat1 in [-90.0, -60, -1e-9, 0, 1e-9, 33, 90] {
      for lat2 in [-90.0, -33, -1e-9, 0, 1e-9, 60, 90] {
        for lon1 in [-180.0, -10, 0, 123.5] {
          let p = Coordinate(latitude: lat1, longitude: lon1)
          let east = Coordinate(latitude: lat2, longitude: lon1 + 180)
          let west = Coordinate(latitude: lat2, longitude: lon1 - 180)
          let s12 = GeodesicSolver.distance(p, east)
          #expect(s12 == GeodesicSolver.distance(p, west))
          #expect(abs(s12 - PROJGeodesic.distance(p, east)) <= 2e-8)
          if abs(lat1) < 90, abs(lat2) < 90, abs(lat1 + lat2) > 1e-6 {
            let azimuth = GeodesicSolver.inverse(p, east).azimuth1
            #expect(lat1 + lat2 > 0 ? azimuth == 0 : abs(azimuth) == 180)
          }
        }
      }
    }
  }

  @Test("from and to a pole: along the other point's meridian")
  func poles() {
    for sign in [-1.0, 1] {
      for lon in stride(from: -170.0, through: 180, by: 35) {
        let pole = Coordinate(latitude: sign * 90, longitude: 20)
        let q = Coordinate(latitude: 12, longitude: lon)
        let from = GeodesicSolver.inverse(pole, q)
        let to = GeodesicSolver.inverse(q, pole)
        #expect(abs(from.distance - to.distance) <= 4e-9)
        #expect(abs(abs(from.azimuth2) - (sign > 0 ? 180 : 0)) < 1e-12)
        #expect(abs(abs(to.azimuth1) - (sign > 0 ? 0 : 180)) < 1e-12)
        let turn = sign > 0 ? 180 - (lon - 20) : lon - 20
        #expect(abs((from.azimuth1 - turn).remainder(dividingBy: 360)) < 1e-10)
      }
    }
  }

  /// A nanometre is an ulp of 10 degrees: what is asked is that nothing breaks, and that errors stay
  /// nanometres.
  @Test("from 1 pm to 1 m")
  func tiny() {
    var generator = SplitMix64(seed: Self.seed)
    for step in 0..<20_000 {
      let length = generator.logUniform(1e-12...1)
      let latitude = step % 10 == 0 ? 0 : generator.uniform(-90...90)
      let longitude = step % 4 == 0 ? 180 : step % 4 == 1 ? 0 : generator.uniform(-180...180)
      let p = Coordinate(latitude: latitude, longitude: longitude)
      let q = GeodesicSolver.direct(p, azimuth: generator.uniform(-180...180), distance: length).coordinate
      let inverse = GeodesicSolver.inverse(p, q)
      #expect(abs(inverse.distance - length) <= 5e-9)
      #expect(abs(inverse.distance - PROJGeodesic.distance(p, q)) <= 5e-9)
      #expect(inverse.azimuth1.isFinite && inverse.azimuth2.isFinite)
    }
  }

  @Test("huge longitudes count modulo 360")
  func hugeLongitudes() {
    let p = Coordinate(latitude: 33, longitude: 1)
    for longitude in [1e6, -1e9, 1e15, 3.6e300, -Double.greatestFiniteMagnitude] {
      let q = Coordinate(latitude: -12, longitude: longitude)
      let wrapped = Coordinate(latitude: -12, longitude: longitude.remainder(dividingBy: 360))
      #expect(GeodesicSolver.distance(p, q) == GeodesicSolver.distance(p, wrapped))
      #expect(GeodesicSolver.direct(q, azimuth: 1e20, distance: 1e6).coordinate.isValid)
    }
    #expect(GeodesicSolver.direct(p, azimuth: 10, distance: 1e300).coordinate.isValid)
  }

  /// Once no numbers: squares of such latitudes underflow, and points far apart are solved by azimuth.
  @Test("latitudes down to the least number there is, at any longitudes")
  func tinyLatitudes() {
    let seed: UInt64 = 20_130_300
    var random = SplitMix64(seed: seed)
    for i in 0..<20_000 {
      func latitude() -> Double { (random.unit() < 0.5 ? 1 : -1) * random.logUniform(1e-307...1e-20) }
      let p = Coordinate(latitude: latitude(), longitude: 0)
      let q = Coordinate(latitude: i % 3 == 0 ? 0 : latitude(), longitude: random.uniform(-180...180))
      let (inverse, onEquator) = (
        GeodesicSolver.inverse(p, q),
        GeodesicSolver.inverse(
          Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 0, longitude: q.longitude))
      )
      #expect(abs(inverse.distance - onEquator.distance) < 2e-8, "seed \(seed), \(p), \(q)")
      #expect(inverse.azimuth1.isFinite && inverse.azimuth2.isFinite, "seed \(seed), \(p), \(q)")
      let fromPlaces = GeodesicSolver.distance(from: ECEF(unchecked: p), to: ECEF(unchecked: q))
      #expect(abs(fromPlaces - inverse.distance) < 1e-7, "seed \(seed), \(p), \(q)")
    }
  }

  @Test("what is not a number stays so, and comes to an end")
  func notANumber() {
    let p = Coordinate(latitude: 1, longitude: 2)
    for q in [
      Coordinate(latitude: .nan, longitude: 0), Coordinate(latitude: 0, longitude: .nan),
      Coordinate(latitude: 0, longitude: .infinity),
    ] {
      _ = GeodesicSolver.inverse(p, q)
      #expect(GeodesicSolver.distance(p, q).isNaN)
      #expect(GeodesicSolver.distance(q, p).isNaN)
    }
  }
}
