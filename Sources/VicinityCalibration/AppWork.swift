internal import VicinitySimulation

/// What the measured Android app did at each fix beyond what any callback costs.
///
/// An app that is switched on by a region's exit has to find the end of the trip: at each fix it reads back what it has stored in
/// the last five minutes, 300 points where there is a fix a second, 10 where there is one in 30 s. One that is always on stores
/// the fix and is done (e-mission-data-collection, `src/android/location/LocationChangeIntentService.java`, `onHandleIntent`).
/// That is the app's doing and no tier's: it is fitted as what the former take more on the move, belongs to the measuring, and
/// is in no profile.
struct AppWork: Hashable, Sendable {
  /// For so many seconds back points are read.
  private static let span = 300.0

  /// For each point that is read, millijoules.
  var millijoulesPerPoint = 0.0

  /// What such an app does more for each fix, millijoules.
  func millijoules(_ range: MeasuredRange) -> Double {
    guard range.platform == .android, range.isDutyCycled, let interval = range.requestedInterval, interval > 0
    else { return 0 }
    return millijoulesPerPoint * Self.span / interval
  }

  init() {}

  /// What a day out took on the move, per cent an hour, and how much each millijoule of work at each of its fixes would be of
  /// that.
  struct Day {
    var range: MeasuredRange
    var rate: Double
    var perMillijoule: Double
  }

  /// From days of one tier: the median of what apps that read back took more than the median of those that do not.
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
