import Testing
import VicinityGeodesy

@testable import VicinityCLI

/// Chains have the region on their left; positions are written longitude first, as in GeoJSON.
@Suite struct MapOutlineTests {
  private func chain(_ positions: [(Double, Double)]) -> [Coordinate] {
    positions.map { Coordinate(latitude: $0.1, longitude: $0.0) }
  }

  private func polygons(_ chains: [(Double, Double)]...) -> [[[Coordinate]]]? {
    MapOutline(chains: chains.map(chain))?.polygons
  }

  @Test func inside() {
    let square = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0), (0.0, 0.0)]
    let hole = [(2.0, 2.0), (2.0, 4.0), (4.0, 4.0), (2.0, 2.0)]
    let island = [(2.5, 3.0), (3.0, 3.4), (2.5, 3.4), (2.5, 3.0)]
    #expect(polygons(square) == [[chain(square)]])
    #expect(polygons(hole, square, island) == [[chain(square), chain(hole)], [chain(island)]])
  }

  @Test func acrossTheAntimeridian() {
    let outline = polygons([(178, -20), (-178, -20), (-178, -10), (178, -10), (178, -20)])
    #expect(
      outline == [
        [chain([(-180, -20), (-178, -20), (-178, -10), (-180, -10), (-180, -20)])],
        [chain([(180, -10), (178, -10), (178, -20), (180, -20), (180, -10)])],
      ]
        || outline == [
          [chain([(180, -10), (178, -10), (178, -20), (180, -20), (180, -10)])],
          [chain([(-180, -20), (-178, -20), (-178, -10), (-180, -10), (-180, -20)])],
        ])
  }

  @Test func alongTheAntimeridian() {
    let east = polygons([(170, 0), (-180, 0), (180, 10), (170, 10), (170, 0)])
    #expect(east == [[chain([(180, 10), (170, 10), (170, 0), (180, 0), (180, 10)])]])
    let west = polygons([(-180, 0), (-170, 0), (-170, 10), (-180, 10), (-180, 0)])
    #expect(west == [[chain([(-180, 0), (-170, 0), (-170, 10), (-180, 10), (-180, 0)])]])
  }

  @Test func touchingTheAntimeridian() {
    let outline = polygons([(170, 0), (180, 5), (170, 10), (170, 0)])
    #expect(outline == [[chain([(180, 5), (170, 10), (170, 0), (180, 5)])]])
  }

  @Test func aroundThePoles() {
    let south = polygons([(90, -80), (0, -80), (-90, -80), (-180, -80), (90, -80)])
    #expect(
      south == [
        [
          chain([
            (180, -80), (90, -80), (0, -80), (-90, -80), (-180, -80), (-180, -90), (180, -90), (180, -80),
          ])
        ]
      ])
    let north = polygons([(-90, 80), (0, 80), (90, 80), (179, 80), (-179, 82), (-90, 80)])
    #expect(
      north == [
        [
          chain([
            (-180, 81), (-179, 82), (-90, 80), (0, 80), (90, 80), (179, 80), (180, 81), (180, 90), (-180, 90),
            (-180, 81),
          ])
        ]
      ])
  }

  @Test func throughThePole() {
    let corner = polygons([(0, 80), (90, 80), (0, 90), (0, 80)])
    #expect(
      corner == [[chain([(90, 80), (90, 90), (0, 90), (0, 80), (90, 80)])]]
        || corner == [[chain([(0, 90), (0, 80), (90, 80), (90, 90), (0, 90)])]])
    // An edge between opposite meridians passes over the pole.
    let over = polygons([(-90, 80), (0, 80), (90, 80), (-90, 80)])
    #expect(over == [[chain([(-90, 90), (-90, 80), (0, 80), (90, 80), (90, 90), (-90, 90)])]])
  }

  @Test func openChainsOfSeams() {
    // A band around the equator, cut along the antimeridian: two chains, each from edge to edge.
    let parted = polygons(
      [(-180, -10), (-90, -10), (0, -10), (90, -10), (180, -10)],
      [(180, 10), (90, 10), (0, 10), (-90, 10), (-180, 10)])
    #expect(
      parted == [
        [
          chain([
            (-180, -10), (-90, -10), (0, -10), (90, -10), (180, -10), (180, 10), (90, 10), (0, 10), (-90, 10),
            (-180, 10), (-180, -10),
          ])
        ]
      ])
  }

  @Test func wholeEarthAndLess() {
    #expect(polygons()?.first?.first?.count == 5)
    let hole = [(2.0, 2.0), (2.0, 4.0), (4.0, 4.0), (2.0, 2.0)]
    #expect(polygons(hole)?.first?.last == chain(hole))
  }

  @Test func endsInsideTheMapAreRefused() {
    #expect(polygons([(0, 0), (1, 1), (2, 0)]) == nil)
  }
}
