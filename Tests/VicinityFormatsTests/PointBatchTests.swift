import Testing
import VicinityFormats
import VicinityGeodesy

/// Points handed over while they are read.
@Suite struct PointBatchTests {
  private func csv(_ count: Int, bad: Set<Int> = []) -> String {
    var text = "id,latitude,longitude\n"
    for i in 0..<count { text += "p\(i),\(bad.contains(i) ? 91 : Double(i % 90)),\(i % 180)\n" }
    return text
  }

  @Test(arguments: [1, 7, 10, 100])
  func batchesAreTheWhole(batchSize: Int) throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(csv(30), to: "points.csv")
    let features = (0..<30).map { i in
      """
      {"type":"Feature","properties":{"id":"p\(i)"},"geometry":{"type":"Point","coordinates":[\(i % 180),\(i % 90)]}}
      """
    }
    let geojson = try directory.write(
      "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}",
      to: "points.geojson")
    for path in [file, geojson] {
      let whole = try PointReader.read(path).content
      #expect(whole.identifiers.count == 30)
      var sizes: [Int] = []
      var joined = PointSet()
      let reading = try PointReader.read(path, batchSize: batchSize) { batch in
        sizes.append(batch.coordinates.count)
        joined.identifiers += batch.identifiers
        joined.coordinates += batch.coordinates
      }
      #expect(reading.content == 30)
      #expect(sizes.dropLast().allSatisfy { $0 == batchSize })
      #expect(sizes.count == (30 + batchSize - 1) / batchSize)
      #expect(joined.identifiers == whole.identifiers)
      #expect(joined.coordinates == whole.coordinates)
    }
  }

  @Test func nothingAfterABadRow() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(csv(30, bad: [12, 25]), to: "points.csv")
    var handed = 0
    let error = try #require(throws: FormatError.self) {
      try PointReader.read(file, batchSize: 5) { handed += $0.coordinates.count }
    }
    #expect(handed == 10)
    // The same error as that of reading all at once: both bad rows are counted.
    #expect(throws: error) { try PointReader.read(file) }
    var options = ReadingOptions()
    options.skipInvalid = true
    handed = 0
    let reading = try PointReader.read(file, options: options, batchSize: 5) {
      handed += $0.coordinates.count
    }
    #expect(handed == 28)
    #expect(reading.content == 28)
    #expect(reading.skipped.count == 2)
  }

  @Test func whatTheBatchThrowsEndsTheReading() throws {
    struct Stop: Error {}
    let directory = try TemporaryDirectory()
    let file = try directory.write(csv(30), to: "points.csv")
    var handed = 0
    #expect(throws: Stop.self) {
      try PointReader.read(file, batchSize: 5) {
        handed += $0.coordinates.count
        throw Stop()
      }
    }
    #expect(handed == 5)
  }
}
