import Foundation
import Testing
import VicinityGeodesy
import VicinityIndex

@testable import VicinityCLI

@Suite struct NearestFormatTests {
  private static let result = NearestResult(
    query: "at", position: Coordinate(latitude: -33.9, longitude: 151.2),
    rows: [
      NearestRow(
        rank: 1, region: "say \"hi\", twice", boundaryDistance: -99.9996, centerDistance: 0.0004,
        shape: .circle(center: Coordinate(latitude: -33.9, longitude: 151.2), radius: 100)),
      NearestRow(rank: 2, region: "שלום", boundaryDistance: 12345.67891, centerDistance: nil),
    ])

  private func output(_ formatter: some NearestFormatter, _ results: [NearestResult]) -> String {
    let items = text { for result in results { formatter.append(result, to: &$0) } }
    return formatter.header + items.dropFirst(formatter.separator.count) + formatter.footer
  }

  @Test func csv() {
    #expect(
      output(NearestCSV(decimals: 3), [Self.result]) == """
        query,rank,region,boundary_distance,centre_distance
        at,1,"say ""hi"", twice",-100.000,0.000
        at,2,שלום,12345.679,

        """)
  }

  @Test func json() throws {
    let json = output(NearestJSON(decimals: 5), [Self.result, Self.result])
    let line = """
      {"query":"at","latitude":-33.9,"longitude":151.2,"neighbours":[{"rank":1,"region":"say \\"hi\\", \
      twice",\
      "boundary_distance":-99.99960,"centre_distance":0.00040},{"rank":2,"region":"שלום",\
      "boundary_distance":12345.67891,"centre_distance":null}]}
      """
    #expect(json == "[\n\(line),\n\(line)\n]\n")
    let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    #expect(parsed?.count == 2)
  }

  @Test func geojson() throws {
    let json = output(NearestGeoJSON(decimals: 3, drawsRegions: true), [Self.result])
    #expect(
      json == """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","geometry":{"type":"Point","coordinates":[151.2,-33.9]},"properties":{"query":"at",\
        "rank":1,"region":"say \\"hi\\", twice","boundary_distance":-100.000,"centre_distance":0.000,\
        "radius":100.0}},
        {"type":"Feature","geometry":null,"properties":{"query":"at","rank":2,"region":"שלום",\
        "boundary_distance":12345.679,"centre_distance":null}}
        ]}

        """)
    _ = try JSONSerialization.jsonObject(with: Data(json.utf8))
  }

  @Test func geojsonOfQueries() throws {
    let json = output(NearestGeoJSON(decimals: 3), [Self.result])
    #expect(
      json == """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","geometry":{"type":"Point","coordinates":[151.2,-33.9]},"properties":{"query":"at",\
        "rank":1,"region":"say \\"hi\\", twice","boundary_distance":-100.000,"centre_distance":0.000}},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[151.2,-33.9]},"properties":{"query":"at",\
        "rank":2,"region":"שלום","boundary_distance":12345.679,"centre_distance":null}}
        ]}

        """)
  }

  @Test func csvWithCoordinates() {
    #expect(
      output(NearestCSV(decimals: 3, showsCoordinates: true), [Self.result]) == """
        query,rank,region,boundary_distance,centre_distance,latitude,longitude
        at,1,"say ""hi"", twice",-100.000,0.000,-33.9,151.2
        at,2,שלום,12345.679,,-33.9,151.2

        """)
  }

  @Test func nothingIsStillValid() throws {
    #expect(output(NearestCSV(decimals: 3), []) == NearestCSV(decimals: 3).header)
    for json in [output(NearestJSON(decimals: 3), []), output(NearestGeoJSON(decimals: 3), [])] {
      _ = try JSONSerialization.jsonObject(with: Data(json.utf8))
    }
  }

  @Test func table() {
    var table = NearestTable(decimals: 3, showsQuery: true, style: .plain)
    table.add(Self.result)
    #expect(
      text { table.write(to: &$0) } == """
        query  rank  region           boundary (m)  centre (m)
        at        1  say "hi", twice      -100.000       0.000
        at        2  שלום                12345.679           -

        """)
  }
}
