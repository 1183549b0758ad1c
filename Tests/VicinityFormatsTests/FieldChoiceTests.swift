import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon

@testable import VicinityFormats

/// Columns that the caller chooses, identifiers that repeat, tracks whose devices nothing names.
@Suite struct FieldChoiceTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  func options(_ change: (inout ReadingOptions) -> Void) -> ReadingOptions {
    var options = ReadingOptions()
    change(&options)
    return options
  }

  static let features = #"""
    {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"code":"a","size":5},"geometry":{"type":"Point","coordinates":[2,1]}}]}
    """#

  @Test func takesChosenColumns() throws {
    for (name, text) in [
      ("r.csv", "code,y,x,size,lat,lon\na,1,2,5,7,8\n"),
      ("r.ndjson", #"{"code":"a","y":1,"x":2,"size":5,"lat":7,"lon":8}"#),
    ] {
      let path = try directory.write(text, to: name)
      let chosen = options {
        ($0.identifierField, $0.latitudeField, $0.longitudeField, $0.radiusField) = ("code", "Y", "x", "size")
      }
      let regions = try RegionReader.read(path, options: chosen)
      #expect(regions.content.identifier(of: 0) == "a" && regions.content.radii == [5])
      #expect(regions.content.centers == [Coordinate(latitude: 1, longitude: 2)], "\(name)")
      #expect(
        Set(regions.notes.examples.map(\.message)) == [
          "identifiers are taken from the column \"code\"", "latitudes are taken from the column \"y\"",
          "longitudes are taken from the column \"x\"", "radii are taken from the column \"size\"",
        ])
      #expect(try PointReader.read(path, options: chosen).content.coordinates == regions.content.centers)
      // A column that is not there is an error, unless other inputs may have it.
      let other = options { ($0.identifierField, $0.latitudeField, $0.radiusField) = ("code", "z", "size") }
      #expect(throws: FormatError.self) { try RegionReader.read(path, options: other) }
      var shared = other
      shared.fieldsAreOptional = true
      let usual = try RegionReader.read(path, options: shared)
      #expect(usual.content.centers == [Coordinate(latitude: 7, longitude: 8)])
      #expect(
        usual.notes.examples.contains {
          $0.message == "no column \"z\"; latitudes are taken from the column \"lat\""
        })
    }
    let path = try directory.write(Self.features, to: "r.geojson")
    let reading = try RegionReader.read(
      path, options: options { ($0.identifierField, $0.radiusField) = ("code", "size") })
    #expect(reading.content.radii == [5])
    #expect(reading.notes.examples.map(\.message).contains("radii are taken from the field \"size\""))
  }

  @Test(
    "A column of radii in another unit is named, and so is one that looks like radii where all get the default",
    arguments: ["radius_km", "r_m", "Radius (ft)", "buffer", "r"])
  func namesColumnsOfRadii(name: String) throws {
    let files = [
      ("r.csv", "id,lat,lon,\(name)\na,1,2,5\n"),
      ("r.ndjson", "{\"id\":\"a\",\"lat\":1,\"lon\":2,\"\(name)\":5}"),
      ("r.geojson", Self.features.replacing("\"size\"", with: "\"\(name)\"")),
    ]
    for (file, text) in files {
      let path = try directory.write(text, to: file)
      let isRefused = #expect(throws: FormatError.self) { try RegionReader.read(path) }
      #expect(isRefused.map { "\($0)".contains("\"\(name)\"") } == true, "\(file)")
      let usual = try RegionReader.read(path, options: options { $0.defaultRadius = 100 })
      #expect(usual.content.radii == [100])
      #expect(
        usual.warnings.examples.contains {
          $0.message == "\"\(name)\" is not read, and points have the default radius"
        }, "\(file)")
      let chosen = try RegionReader.read(path, options: options { $0.radiusField = name })
      #expect(chosen.content.radii == [5])
      let isOdd = name.contains("km") || name.contains("ft")
      #expect(
        chosen.warnings.examples.contains {
          $0.message == "\"\(name)\" is read in metres, whatever its name says"
        } == isOdd, "\(file)")
    }
  }

  @Test("Of several columns that may name the devices it is said which one does")
  func namesColumnsOfDevices() throws {
    for (name, text) in [
      ("t.csv", "time,lat,lon,trip_id,vehicle_id\n5,1,2,t,v\n"),
      ("t.ndjson", #"{"time":5,"lat":1,"lon":2,"trip_id":"t","vehicle_id":"v"}"#),
    ] {
      let path = try directory.write(text, to: name)
      let reading = try TrackReading([path])
      #expect(reading.fixes.map(\.device) == ["v"])
      #expect(
        reading.summary.warnings.examples.map(\.message).contains(
          "devices are taken from the column \"vehicle_id\"; \"trip_id\" could hold them too"), "\(name)")
      let chosen = try TrackReading([path]) { $0.identifierField = "trip_id" }
      #expect(chosen.fixes.map(\.device) == ["t"])
      #expect(!chosen.summary.warnings.examples.contains { $0.message.contains("could hold") })
    }
  }

  @Test("Of several columns that may hold places, times or radii it is said which one does")
  func namesColumnsOfPlaces() throws {
    let csv = try directory.write("id,lat,latitude,lon,radius_m,radius\na,1,2,3,4,5\n", to: "several.csv")
    let json = try directory.write(
      #"{"id":"a","lat":1,"latitude":2,"lon":3,"radius_m":4,"radius":5}"#, to: "several.ndjson")
    let told: Set = [
      "latitudes are taken from the column \"latitude\"; \"lat\" could hold them too",
      "radii are taken from the column \"radius\"; \"radius_m\" could hold them too",
    ]
    for path in [csv, json] {
      let reading = try RegionReader.read(path)
      #expect(reading.content.radii == [5])
      #expect(
        Set(reading.notes.examples.map(\.message).filter { $0.contains("could hold") }) == told, "\(path)")
      let chosen = try RegionReader.read(
        path,
        options: options {
          $0.latitudeField = "lat"
          $0.radiusField = "radius_m"
        })
      #expect(chosen.content.radii == [4])
      #expect(!chosen.notes.examples.contains { $0.message.contains("could hold") })
    }
    let tracks = try directory.write(
      "Vehicle ID,trip_id,time,timestamp,lat,lon\nv,t,5,6,1,2\n", to: "several-t.csv")
    let summary = try TrackReading([tracks]).summary
    let messages = (summary.warnings.examples + summary.notes.examples).map(\.message)
    #expect(messages.filter { $0.contains("could hold") }.count == 2, "\(messages)")
    #expect(messages.contains { $0.contains("times are taken from the column \"time\"; \"timestamp\"") })
    #expect(messages.contains { $0.contains("from the column \"trip_id\"; \"Vehicle ID\"") })
  }

  @Test func takesChosenColumnsOfTracks() throws {
    for (name, text) in [
      ("t.csv", "cab,when,y,x,time,lat,lon\na,5,1,2,9,7,8\n"),
      ("t.ndjson", #"{"cab":"a","when":5,"y":1,"x":2,"time":9,"lat":7,"lon":8}"#),
    ] {
      let reading = try TrackReading([directory.write(text, to: name)]) {
        ($0.identifierField, $0.timeField, $0.latitudeField, $0.longitudeField) = ("cab", "when", "y", "x")
      }
      #expect(reading.fixes == [ReadFix(device: "a", fix: .at(5, 1, 2))])
      #expect(
        Set(reading.summary.notes.examples.map(\.message)) == [
          "devices are taken from the column \"cab\"", "times are taken from the column \"when\"",
          "latitudes are taken from the column \"y\"", "longitudes are taken from the column \"x\"",
          "a time before 1980",
        ])
    }
  }

  @Test func announcesVagueNames() throws {
    let reading = try RegionReader.read(directory.write("name,lat,lon,radius\na,1,2,3\n", to: "a.csv"))
    #expect(reading.notes.examples.map(\.message) == ["identifiers are taken from the column \"name\""])
    for (name, text) in [
      ("d.csv", "name,region,lat,lon,radius\na,b,1,2,3\n"),
      ("d.ndjson", #"{"name":"a","region":"b","lat":1,"lon":2,"radius":3}"#),
    ] {
      let rivals = try RegionReader.read(directory.write(text, to: name))
      #expect(
        rivals.notes.examples.map(\.message) == [
          "identifiers are taken from the column \"region\"; \"name\" could hold them too"
        ])
    }
    let plain = try RegionReader.read(
      directory.write("id,name,region,lat,lon,radius\na,b,c,1,2,3\n", to: "e.csv"))
    #expect(plain.notes.examples.isEmpty)
    let track = try TrackReading([directory.write("uuid,time,lat,lon\na,1,2,3\n", to: "b.csv")])
    #expect(track.summary.warnings.examples.map(\.message) == ["devices are taken from the column \"uuid\""])
    let rows = (0..<12).map { "\($0),\($0),1,1\n" }.joined()
    let numbered = try TrackReading([directory.write("id,time,lat,lon\n" + rows, to: "c.csv")])
    #expect(
      numbered.summary.warnings.examples.last?.message.contains("every fix is of a device of its own") == true
    )
  }

  @Test func wantsToKnowTheDevices() throws {
    for (name, text) in [
      ("a.csv", "cab,time,lat,lon,fare\na,1,2,3,4\n"),
      ("a.ndjson", #"{"cab":"a","time":1,"lat":2,"lon":3,"fare":4}"#),
      (
        "a.geojson",
        #"{"type":"Feature","properties":{"cab":"a","time":1,"fare":4},"geometry":{"type":"Point","coordinates":[3,2]}}"#
      ),
    ] {
      let path = try directory.write(text, to: name)
      let error = #expect(throws: FormatError.self) { try TrackReading([path]) }
      let words = error?.description ?? ""
      #expect(words.contains("\"cab\", \"fare\" may tell devices apart"), "\(words)")
      #expect(words.contains("\"time\"") && error?.cures == [.device])
      #expect(try TrackReading([path]) { $0.isSingleDevice = true }.fixes.map(\.device) == ["a"])
    }
    // Measurements, numbers of rows and remarks do not.
    let plain = try directory.write(
      ",Time,lat,lon,accuracy,ele,hdop,Battery,note\n0,1,2,3,4,5,6,7,8\n", to: "bus.csv")
    #expect(try TrackReading([plain]).fixes.map(\.device) == ["bus"])
    for name in ["taxi", "Taxi_ID", "trip_id", "vehicle_id", "MMSI", "individual-local-identifier"] {
      let path = try directory.write("\(name),time,lat,lon,fare\nx,1,2,3,4\n", to: "c.csv")
      let reading = try TrackReading([path])
      #expect(reading.fixes.map(\.device) == ["x"])
      #expect(reading.summary.warnings.isEmpty)
    }
  }

  @Test("Files of Movebank are read as they come")
  func readsMovebank() throws {
    let path = try directory.write(
      "event-id,timestamp,location-long,location-lat,individual-local-identifier\n"
        + "7,2024-05-01 08:00:00Z,16.25,48.5,stork\n", to: "m.csv")
    let fixes = try TrackReading([path]).fixes
    #expect(fixes.map(\.device) == ["stork"])
    #expect(fixes.map(\.fix.coordinate) == [Coordinate(latitude: 48.5, longitude: 16.25)])
    let points = try PointReader.read(
      directory.write("id,location-long,location-lat\na,16.25,48.5\n", to: "p.csv"))
    #expect(points.content.coordinates == [Coordinate(latitude: 48.5, longitude: 16.25)])
  }

  /// Nothing but time and place, and yet of several devices: sorted, most fixes are dropped, and that is
  /// said.
  @Test func warnsOfDevicesThatShareAName() throws {
    let rows = (0..<60).map { "\($0 / 3),\($0 % 3),1\n" }.joined()
    let reading = try TrackReading([directory.write("time,lat,lon\n" + rows, to: "a.csv")]) {
      $0.sorts = true
    }
    #expect(reading.fixes.count == 20 && reading.summary.conflicts == 40)
    #expect(
      reading.summary.warnings.examples.last?.message.contains("are several devices taken for one?") == true)
  }

  @Test func saysWhenCoordinatesLookSwapped() throws {
    func words(_ body: () throws -> Void) -> String {
      "\(#expect(throws: FormatError.self) { try body() }.map { $0.description } ?? "")"
    }
    for (name, text) in [
      ("a.csv", "id,lat,lon,radius\na,151.2,-33.9,1\n"), ("b.csv", "id,wkt,radius\na,POINT(-33.9 151.2),1\n"),
      ("c.csv", "id,wkt\na,\"POLYGON((-33 151,-33 152,-34 152,-33 151))\"\n"),
      ("d.ndjson", #"{"id":"a","lat":151.2,"lon":-33.9,"radius":1}"#),
    ] {
      let path = try directory.write(text, to: name)
      #expect(
        words { _ = try RegionReader.read(path) }.contains("are latitude and longitude swapped?"), "\(name)")
    }
    let far = try directory.write("id,lat,lon,radius\na,151.2,133.9,1\n", to: "e.csv")
    #expect(!words { _ = try RegionReader.read(far) }.contains("swapped"))
  }

  @Test func warnsOfPointsThatRepeat() throws {
    let path = try directory.write("id,lat,lon\na,1,1\nb,1,1\na,2,2\nb,3,3\n", to: "p.csv")
    let reading = try PointReader.read(path)
    #expect(reading.content.identifiers == ["a", "b", "a", "b"])
    #expect(reading.warnings.count == 1)
    #expect(reading.warnings.examples.first?.place.line == 4)
    #expect(
      reading.warnings.examples.first?.message
        == "the identifier \"a\" is that of an earlier point too; 2 points in all repeat an identifier")
  }

  @Test func mergesPolygonsWithOneIdentifier() throws {
    let text = """
      id,wkt,latitude,longitude,radius
      a,"POLYGON((0 0,1 0,1 1,0 1,0 0))",,,
      b,"POLYGON((5 5,6 5,6 6,5 5))",,,
      a,"POLYGON((1 0,2 0,2 1,1 1,1 0))",,,
      a,"POLYGON((10 0,11 0,11 1,10 1,10 0))",,,
      c,,1,1,5

      """
    let path = try directory.write(text, to: "r.csv")
    #expect(throws: FormatError.self) { try RegionReader.read(path) }
    let reading = try RegionReader.read(path, options: options { $0.mergesIdentifiers = true })
    let set = reading.content
    #expect(
      reading.notes.examples.map(\.message) == [
        "5 rows make 3 regions, as polygons with one identifier are merged: \"a\" has 3 of them"
      ])
    #expect((0..<set.count).map { set.identifier(of: $0) } == ["a", "b", "c"])
    let index = try RegionIndex(set)
    func containing(_ latitude: Double, _ longitude: Double) throws -> [String] {
      try index.containing(Coordinate(latitude: latitude, longitude: longitude)).map(\.identifier)
    }
    #expect(
      try containing(0.5, 0.5) == ["a"] && containing(0.5, 1.5) == ["a"] && containing(0.5, 10.5) == ["a"])
    #expect(try containing(0.5, 5).isEmpty)
    // The edge between neighbours is gone.
    let distance = try index.nearest(1, to: Coordinate(latitude: 0.5, longitude: 1)).first?.distance
    #expect((distance ?? 0) < -50_000)
    // Circles are not merged, nor with polygons.
    for more in ["c,,2,2,5\n", "a,,2,2,5\n", "c,\"POLYGON((5 5,6 5,6 6,5 5))\",,,\n"] {
      let path = try directory.write(text + more, to: "s.csv")
      let error = #expect(throws: FormatError.self) {
        try RegionReader.read(path, options: options { $0.mergesIdentifiers = true })
      }
      #expect(error?.description.contains("circles cannot be merged") == true)
    }
    #if canImport(CGEOS)
    #else
      // Without repair, neighbours that share an edge are refused where they have to be joined.
    #endif
    let strict = #expect(throws: FormatError.self) {
      try RegionReader.read(
        path,
        options: options {
          $0.mergesIdentifiers = true
          $0.strict = true
        })
    }
    #expect(strict?.description.contains("cannot be merged") == true)
  }

  @Test("A region that has lost a part to a bad row is named, and one that has not is not")
  func regionsWithoutAllTheirParts() throws {
    func warning(_ text: String, _ name: String) throws -> String? {
      let path = try directory.write(text, to: name)
      let reading = try RegionReader.read(
        path,
        options: options {
          $0.mergesIdentifiers = true
          $0.skipInvalid = true
        })
      return reading.warnings.examples.map(\.message).first { $0.contains("bad") || $0.isEmpty }
    }
    let good = "POLYGON((0 0,1 0,1 1,0 1,0 0))"
    let one =
      "region \"101\" lacks 1 of its 2 rows: these rows are bad and left out, so answers about this region "
      + "are wrong where its missing part would count"
    let header = "id,wkt,latitude,longitude,radius\n"
    let whole = header + "101,\"\(good)\",,,\n"
    #expect(try warning(whole, "w.csv") == nil)
    // Bad by its text, its place or its radius, and a circle, which cannot be merged; before and after.
    for row in ["101,POLYGON((,,,\n", "101,,91,0,5\n", "101,,1,1,-5\n", "101,,1,1,5\n", "101,,,,\n"] {
      #expect(try warning(whole + row, "a.csv") == one, "\(row)")
    }
    #expect(try warning(header + "101,POLYGON((,,,\n101,\"\(good)\",,,\n", "b.csv") == one)
    // All of a region is bad: it is not there.
    #expect(try warning(whole + "102,POLYGON((,,,\n", "c.csv") == nil)
    // So it is where two identifiers only look alike.
    let (accent, letters) = ("\u{E9}", "e\u{301}")
    #expect(try warning(header + "\(accent),\"\(good)\",,,\n\(letters),POLYGON((,,,\n", "h.csv") == nil)
    #expect(
      try warning(whole + "101,x\n", "d.csv")
        == "1 bad row does not say of which region it is: any region may lack it")
    let lines = "{\"id\":\"101\",\"wkt\":\"\(good)\"}\n{\"id\":\"101\",\"wkt\":\"POLYGON((\"}\n"
    #expect(try warning(lines, "e.ndjson") == one)
    let feature = #"{"type":"Feature","properties":{"id":"101"},"geometry":"#
    let shape = #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}"#
    #expect(
      try warning(
        #"{"type":"FeatureCollection","features":["# + feature + shape + "}," + feature + "null}]}",
        "f.geojson")
        == one)
    // More of them than are shown, after more bad rows than are described.
    let many = (0..<30).map { "\($0),POLYGON((,,,\n" + "\($0),\"\(good)\",,,\n" }.joined()
    let all = try #require(try warning(header + many, "g.csv"))
    #expect(all.hasPrefix("region \"0\" lacks 1 of its 2 rows, region \"1\" lacks"))
    #expect(all.contains("region \"19\" lacks 1 of its 2 rows, and 10 more regions lack some: these rows"))
  }

  @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
  func mergesTaxiZones() throws {
    let path = SharedData.path("regions/nyc_taxi_zones/taxi_zones.geojson")
    let reading = try RegionReader.read(
      path,
      options: options {
        $0.identifierField = "LocationID"
        $0.mergesIdentifiers = true
      })
    // 56 twice and 103 three times.
    #expect(reading.content.count == 260)
    #expect(reading.skipped.isEmpty)
  }

  @Test func readsTextWithTheNumberOfItsSystem() throws {
    func center(_ wkt: String) throws -> Coordinate {
      let path = try directory.write("id,wkt,radius\na,\"\(wkt)\",1\n", to: "a.csv")
      return try RegionReader.read(path).content.centers[0]
    }
    let place = Coordinate(latitude: 48, longitude: 16)
    #expect(try center("SRID=4326;POINT(16 48)") == place)
    #expect(try center("srid=0; POINT(16 48)") == place)
    let mercator = try center("SRID=3857;POINT(1781111.852692377 6106854.834885074)")
    #expect(abs(mercator.latitude - 48) < 1e-9 && abs(mercator.longitude - 16) < 1e-9)
    // Edges are straight in their own system, and are divided there.
    let path = try directory.write(
      "id,wkt\na,\"SRID=32633;POLYGON((400000 5300000,600000 5300000,600000 5400000,400000 5300000))\"\n",
      to: "p.csv")
    let index = try RegionIndex(RegionReader.read(path).content)
    guard case .polygon(let polygon) = index.region(at: 0).shape else {
      Issue.record("no polygon")
      return
    }
    #expect(polygon.vertexCount > 10)
    for (wkt, words) in [
      ("SRID=999999;POINT(1 2)", "SRID 999999 is not known"), ("SRID=;POINT(1 2)", "a number is expected"),
      ("SRID=4326 POINT(1 2)", "a number is expected"), ("SRID=-1;POINT(1 2)", "a number is expected"),
      ("SRID=4326;", "invalid WKT"), ("SRID=99999999999;POINT(1 2)", "a number is expected"),
    ] {
      let error = #expect(throws: FormatError.self, "\(wkt)") { _ = try center(wkt) }
      #expect(error?.description.contains(words) == true, "\(error as Any)")
    }
  }
}
