internal import VicinityCrossings
internal import VicinityGeodesy
package import VicinitySimulation

/// Finds where the tracks of a study say nothing of the way: long steps that end elsewhere. A simulated phone
/// moves through such a step in a straight line at one speed, and is scored on what it crosses there.
package struct TrackHoles {
  /// A step that takes longer is a hole, microseconds: as long as the longest gap of `vicinity events`
  /// (`CrossingOptions`).
  private static let longest: Int64 = 300_000_000
  /// A step that leads no farther is none, metres: the least radius of which the promise speaks.
  private static let farthest: Meters = 100

  private struct Hole {
    var device: String
    var microseconds: Int64
    var metres: Meters
  }

  private var devices = 0
  private var count = 0
  private var widest: Hole?
  /// Microseconds: in holes, in steps as long that lead nowhere, and in all.
  private var (inHoles, inRests, inAll): (Double, Double, Double) = (0, 0, 0)
  /// From this share of all time on, rests that nobody saw are spoken of.
  private static let manyRests = 0.05

  package init() {}

  /// Adds a device's track.
  ///
  /// - Complexity: O(fixes)
  package mutating func add(_ name: String, _ track: TrueTrack) {
    let before = count
    for i in track.times.indices.dropFirst() {
      let step = track.times[i] - track.times[i - 1]
      inAll += Double(step)
      guard step > Self.longest,
        let metres = try? Geodesic.distance(from: track.positions[i - 1], to: track.positions[i])
      else { continue }
      guard metres > Self.farthest else {
        inRests += Double(step)
        continue
      }
      count += 1
      inHoles += Double(step)
      if step > widest?.microseconds ?? 0 {
        widest = Hole(device: name, microseconds: step, metres: metres)
      }
    }
    if count > before { devices += 1 }
  }

  /// What people are told; nil where there are no holes. A track without holes may well rest for hours;
  /// beside holes, a long step that leads nowhere may be one as well.
  package var words: String? {
    guard let widest else { return nil }
    let share = DecimalText.string(100 * inHoles / inAll, decimals: 1)
    let longest =
      "\(DecimalText.string(Double(widest.microseconds) / 60e6, decimals: 0)) minutes and "
      + "\(DecimalText.string(widest.metres / 1000, decimals: 1)) km, of \(widest.device.debugDescription)"
    let those = devices == 1 ? "1 device" : "\(DecimalText.grouped(devices)) devices"
    let steps =
      count == 1
      ? "1 step of \(those) takes more than 5 minutes and ends"
      : "\(DecimalText.grouped(count)) steps of \(those) take more than 5 minutes and end"
    let rests =
      inRests > Self.manyRests * inAll
      ? "; as long steps that end nearer are simulated as rests (\(DecimalText.string(100 * inRests / inAll, decimals: 1)) % of all time)"
      : ""
    return
      "between fixes, \(steps) more than 100 m away (\(share) % of all "
      + "time; the longest: \(longest)): the simulated phone goes straight there, so what it crosses on the way is "
      + "made up, and it takes the energy of a phone that moves all that time; to leave such a step out, give the "
      + "fixes after it another device's name\(rests)"
  }
}
