internal import VicinitySimulation

/// The work of the measured Android app at each fix, beyond an ordinary callback.
///
/// An app that was switched on by a region's exit looks for the end of the trip: at each fix it reads its
/// stored points of the last five minutes, 300 points with a fix a second, 10 with a fix in 30 s. An app that
/// is always on only stores the fix (e-mission-data-collection,
/// `src/android/location/LocationChangeIntentService.java`, `onHandleIntent`). The difference in motion is
/// fitted as energy per point. It belongs to the measurements, not to a tier, and is in no profile.
struct AppWork: Hashable, Sendable {
  /// The points of this many seconds are read.
  private static let span = 300.0

  var millijoulesPerPoint = 0.0

  /// The additional energy for each fix, millijoules.
  func millijoules(_ range: MeasuredRange) -> Double {
    guard range.platform == .android, range.isDutyCycled, let interval = range.requestedInterval, interval > 0
    else { return 0 }
    return millijoulesPerPoint * Self.span / interval
  }

  init() {}

  /// The drain of a day out in motion, per cent an hour, and the drain caused by a millijoule at each of its
  /// fixes.
  struct Day {
    var range: MeasuredRange
    var rate: Double
    var perMillijoule: Double
  }

  /// Fits days of one tier: the median difference from the days of apps that are always on.
  init(_ days: [Day]) {
    var work = AppWork()
    work.millijoulesPerPoint = 1
    guard let others = Sample(days.filter { work.millijoules($0.range) == 0 }.map(\.rate)).median else {
      return
    }
    let each = days.compactMap { day -> Double? in
      let added = work.millijoules(day.range) * day.perMillijoule
      return added > 0 ? (day.rate - others) / added : nil
    }
    millijoulesPerPoint = Sample.rounded(max(0, Sample(each).median ?? 0))
  }
}
