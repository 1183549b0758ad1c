import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityFormats
@testable import VicinityText

/// Where a file says that a track is broken, its next fix is marked, and stays so when fixes are dropped or
/// sorted.
@Suite struct TrackBreakTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The seconds of the fixes before which the track is broken.
  private func breaks(_ path: String, _ change: (inout ReadingOptions) -> Void = { _ in }) throws -> [Int] {
    var options = ReadingOptions()
    change(&options)
    let reader = try TrackReader([path], options: options)
    var result: [Int] = []
    while let batch = try reader.next() {
      #expect(batch.breaks.map(\.fix) == batch.breaks.map(\.fix).sorted())
      result += batch.breaks.map { Int(batch.fixes[$0.fix].time.seconds) }
    }
    return result
  }

  private func point(_ second: Int, _ place: Int? = nil) -> String {
    "<trkpt lat=\"0\" lon=\"0.\(place ?? second)\"><time>1970-01-01T00:00:\(second < 10 ? "0" : "")\(second)Z</time></trkpt>"
  }

  private func gpx(_ tracks: [[[String]]]) throws -> String {
    let body = tracks.map { "<trk>" + $0.map { "<trkseg>" + $0.joined() + "</trkseg>" }.joined() + "</trk>" }
      .joined()
    return try directory.write("<?xml version=\"1.0\"?><gpx version=\"1.1\">\(body)</gpx>", to: "a.gpx")
  }

  @Test func segmentsAndTracksOfGPXAreBreaks() throws {
    let path = try gpx([
      [[point(1), point(2)], [point(3)], [], [point(4), point(5)]], [[point(6)], [point(7)]],
    ])
    for chunk in [16, 64, 4 << 20] {
      #expect(try breaks(path) { $0.chunkByteCount = chunk } == [3, 4, 6, 7])
      // Each track is a device of its own, whose first segment follows nothing.
      #expect(
        try breaks(path) {
          $0.chunkByteCount = chunk
          $0.tracksAreDevices = true
        } == [3, 4, 7])
    }
    #expect(try breaks(gpx([[[point(1), point(2)]]])) == [])
  }

  /// A break stays where the first fix behind it is bad. Where that repeats the fix before, nothing is
  /// unknown.
  @Test func aBreakOutlivesABadFixAndNoRepeat() throws {
    let bad = "<trkpt lat=\"99\" lon=\"0\"><time>1970-01-01T00:00:09Z</time></trkpt>"
    let path = try gpx([
      [
        [point(1), point(2)], [point(2), point(3)], [bad, point(4)], [point(5)], [point(5)],
        [point(5), point(6)], [bad, point(6), point(7)],
      ]
    ])
    #expect(try breaks(path) { $0.skipInvalid = true } == [4, 5])
  }

  @Test func aBreakIsSortedWithItsFix() throws {
    let path = try gpx([[[point(5), point(6)], [point(1), point(2)], [point(8), point(7)]]])
    for bytes in [1, 1 << 20] {
      #expect(
        try breaks(path) {
          $0.sorts = true
          $0.sortByteCount = bytes
        } == [1, 8])
    }
  }

  @Test func linesOfFeaturesAreBreaks() throws {
    let path = try directory.write(
      """
      {"type":"FeatureCollection","features":[
      {"type":"Feature","properties":{"coordTimes":[["1970-01-01T00:00:01Z","1970-01-01T00:00:02Z"],["1970-01-01T00:00:03Z","1970-01-01T00:00:04Z"]]},
      "geometry":{"type":"MultiLineString","coordinates":[[[0,0],[1,0]],[[2,0],[3,0]]]}},
      {"type":"Feature","properties":{"coordTimes":["1970-01-01T00:00:05Z","1970-01-01T00:00:06Z"]},
      "geometry":{"type":"LineString","coordinates":[[4,0],[5,0]]}}]}
      """, to: "a.geojson")
    #expect(try breaks(path) { $0.isSingleDevice = true } == [3, 5])
  }

  /// Against a plain list: a kept fix is behind a break if one is between it and the fix before, kept or not.
  @Test func breaksFollowWhatIsKept() throws {
    let seed: UInt64 = 0x5EED_0C15
    var random = SplitMix64(seed: seed)
    for i in 0..<300 {
      var segments: [[String]] = []
      var (wanted, last, isBroken) = ([Int](), -1, false)
      var second = 0
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        var segment: [String] = []
        if last >= 0 { isBroken = true }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          if Int.random(in: 0..<3, using: &random) > 0 || last < 0 { second += 1 }
          segment.append(point(second))
          if second != last, isBroken { wanted.append(second) }
          (last, isBroken) = (second, false)
        }
        segments.append(segment)
      }
      #expect(try breaks(gpx([segments])) == wanted, "seed \(seed), file \(i): \(segments)")
    }
  }
}
