internal import VicinityGeodesy

/// What the fixes of a run make suspect, though none of them is bad.
package struct FixFindings: Hashable, Sendable {
  /// The first instant of 1980, before which no satellite told a position.
  private static let firstTime = Timestamp(microseconds: 315_532_800_000_000)

  package private(set) var fixes = 0
  /// Fixes whose accuracy is known.
  package private(set) var accurate = 0
  /// Fixes before 1980, and those of them that days since 1900 or 1970 would be if they were taken for
  /// seconds.
  package private(set) var early = 0
  private var daysSince1900 = 0
  private var daysSince1970 = 0
  /// Valid fixes at latitude 0 and longitude 0, and fixes that are farther than a degree from there.
  private var zeros = 0
  private var elsewhere = 0

  /// What numbers may count that were taken for seconds.
  package enum Days: Sendable {
    /// Days since the end of 1899, as spreadsheets have them.
    case ofSpreadsheets
    case since1970
  }

  package init() {}

  @inline(__always)
  package mutating func add(_ fix: Fix) {
    fixes += 1
    if fix.horizontalAccuracy != 0 { accurate += 1 }
    if fix.time < Self.firstTime { addEarly(fix.time) }
    if max(abs(fix.coordinate.latitude), abs(fix.coordinate.longitude)) > 1 {
      elsewhere += 1
    } else {
      addNearZero(fix)
    }
  }

  private mutating func addNearZero(_ fix: Fix) {
    let isZero = fix.coordinate.latitude == 0 && fix.coordinate.longitude == 0
    if isZero, fix.horizontalAccuracy >= 0 { zeros += 1 }
  }

  private mutating func addEarly(_ time: Timestamp) {
    early += 1
    switch time.seconds {
    case 25_000..<80_000: daysSince1900 += 1
    case 10_000..<25_000: daysSince1970 += 1
    default: break
    }
  }

  package static func + (a: FixFindings, b: FixFindings) -> FixFindings {
    var sum = a
    sum.fixes += b.fixes
    sum.accurate += b.accurate
    sum.early += b.early
    sum.daysSince1900 += b.daysSince1900
    sum.daysSince1970 += b.daysSince1970
    sum.zeros += b.zeros
    sum.elsewhere += b.elsewhere
    return sum
  }

  /// What people are told of fixes of negative accuracy; `nil` where there are none.
  package static func invalidWords(_ count: Int) -> String? {
    count == 0
      ? nil
      : "\(count) \(count == 1 ? "fix has" : "fixes have") a negative accuracy, which says that there is no place: left out"
  }

  /// `2 times before 1980`; `nil` where there are none.
  package var earlyWords: String? {
    early == 0 ? nil : early == 1 ? "a time before 1980" : "\(early) times before 1980"
  }

  /// What all times before 1980 look like; `nil` where not all look like days.
  package var days: Days? {
    if daysSince1900 > 0, daysSince1900 + daysSince1970 == early { return .ofSpreadsheets }
    return daysSince1970 > 0 && daysSince1970 == early ? .since1970 : nil
  }

  /// What people are told of times before 1980 that are said to count seconds; `nil` where there are none.
  package var timeWords: String? {
    earlyWords.map { $0 + (days.map { Self.words($0) + " that are read as seconds" } ?? "") }
  }

  /// What is told where all times before 1980 look like days.
  package static func words(_ days: Days) -> String {
    ", on 1 January 1970: they look like \(days == .ofSpreadsheets ? "a spreadsheet's days" : "days since 1970")"
  }

  /// What people are told of fixes at 0, 0 among others that are elsewhere; `nil` where there are none.
  package var zeroWords: String? {
    guard zeros > 0, elsewhere > 0 else { return nil }
    return
      "\(zeros) \(zeros == 1 ? "fix is" : "fixes are") at latitude 0 and longitude 0, which many programs write where they have no position"
  }

  /// Of so many fixes it is odd if they have something in common.
  package static let suspiciousCount = 10

  /// What people are told where each of many fixes is of another device; `nil` where that is not so.
  package static func deviceWords(fixes: Int, devices: Int) -> String? {
    fixes >= suspiciousCount && devices == fixes
      ? "every fix is of a device of its own; does the devices' column number rows?" : nil
  }

  /// Whether no fix has an accuracy; false where there are no fixes.
  package var lacksAccuracy: Bool { fixes > 0 && accurate == 0 }

  /// What is told where a rule needs accuracies and there are none.
  package static func accuracyWords(soFar: Bool) -> String {
    "no fix has an accuracy\(soFar ? " so far" : ""), which the rule needs: each is taken for exact"
  }
}
