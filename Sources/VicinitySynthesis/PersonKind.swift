/// How a synthetic person spends the days. All figures are assumed: plausible, not measured.
///
/// Distances are for a city whose spread is 8 km (``Population``); they scale with it, except that what has
/// to be done within some hours is done nearer where the city is too wide.
public enum PersonKind: String, CaseIterable, Hashable, Sendable {
  /// Home, work from about 7 to 17 o'clock on nine workdays of ten, lunch, errands, evenings; visits and
  /// trips on weekends.
  case commuter
  /// Deliveries from Monday to Saturday: 20 to 60 stops of 2 to 10 minutes in 6 to 9 hours, all over the
  /// city, by car or by cycle.
  ///
  /// A courier leaves home between 6 and 8 o'clock, loads for 15 to 40 minutes, three of five at a depot and
  /// the others at home, and drives home after the last stop. The hours are those from the depot to the end
  /// of the last stop. On Sundays a courier does what those at home do.
  case courier
  /// At home nearly all day: no outing on a fifth of the days, one on half of them, two on the others.
  ///
  /// An outing is a walk, or 10 to 40 minutes at one of four shops at 1 km in the median; those farther than
  /// 1 km are reached by car or by cycle. The first one begins between 9 and 12 o'clock, the second between
  /// 14 and 18 o'clock.
  case home
}
