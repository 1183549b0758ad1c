import Testing

@testable import VicinityText

@Suite struct FormatErrorTests {
  @Test func placesReadLikeCompilersDo() {
    #expect("\(Diagnostic(place: .init(path: "a.csv", line: 3), message: "no"))" == "a.csv:3: no")
    #expect(
      "\(Diagnostic.Place(path: "a.gpkg", layer: "x", feature: 7))"
        == "a.gpkg, layer \"x\", feature 7")
  }
}
