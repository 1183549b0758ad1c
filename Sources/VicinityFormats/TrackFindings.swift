internal import VicinityCrossings
internal import VicinityText

/// What the values of all files together make suspect, said once for a run.
struct TrackFindings {
  /// The first instant of 1980, before which no satellite told a position.
  private static let firstTime = Timestamp(microseconds: 315_532_800_000_000)

  private var fixes = 0
  /// Fixes whose accuracy is known.
  private var accurate = 0
  private var values = ValueRemarks()
  /// Fixes before 1980, those of them that days since 1900 or 1970 would be if they were taken for seconds, and where the first was.
  private var early = 0
  private var daysSince1900 = 0
  private var daysSince1970 = 0
  private var firstEarly: Diagnostic.Place?
  private var hasToldTimes = false
  private var hasToldAccuracy = false
  private var toldValues = ValueRemarks()

  /// Looks at the fixes of a batch before any are dropped.
  mutating func add(_ batch: TrackBatch) {
    fixes += batch.fixes.count
    values += batch.remarks
    for (index, fix) in batch.fixes.enumerated() {
      if fix.horizontalAccuracy != 0 { accurate += 1 }
      guard fix.time < Self.firstTime else { continue }
      early += 1
      if firstEarly == nil { firstEarly = batch.place(of: index) }
      switch fix.time.seconds {
      case 25_000..<80_000: daysSince1900 += 1
      case 10_000..<25_000: daysSince1970 += 1
      default: break
      }
    }
  }

  /// What is to be said, with its place.
  ///
  /// - Parameters:
  ///   - path: The first file.
  ///   - options: The options of the reader.
  ///   - isAtEnd: Whether all input has been read; a stream is told at once.
  mutating func news(_ path: String, _ options: ReadingOptions, isAtEnd: Bool) -> [Diagnostic] {
    var news: [Diagnostic] = []
    let isDue = isAtEnd || options.follows
    guard isDue else { return news }
    let place = Diagnostic.Place(path: path)
    if !hasToldTimes, let firstEarly {
      hasToldTimes = true
      news.append(Diagnostic(place: firstEarly, message: timeNote))
    }
    if options.needsAccuracy, !hasToldAccuracy, fixes > 0, accurate == 0 {
      hasToldAccuracy = true
      news.append(
        Diagnostic(
          place: place,
          message:
            "no fix has an accuracy\(isAtEnd ? "" : " so far"), which the rule needs: each is taken for exact"
        ))
    }
    if isAtEnd, values != toldValues {
      for (count, words) in [
        (
          values.badCourses,
          "values of course are no numbers of degrees within 0...360, and taken for unknown"
        ),
        (values.badSpeeds, "values of speed are no numbers, and taken for unknown"),
        (
          values.noPositions,
          "rows have latitude 91 and longitude 181, AIS's words for no position, and are dropped"
        ),
      ] where count > 0 {
        news.append(Diagnostic(place: place, message: "\(count) \(words)"))
      }
      toldValues = values
    }
    return news
  }

  private var timeNote: String {
    let what = early == 1 ? "a time before 1980" : "\(early) times before 1980"
    let (days, unit): (String, TimeUnit)
    if daysSince1900 > 0, daysSince1900 + daysSince1970 == early {
      (days, unit) = ("a spreadsheet's days", .days)
    } else if daysSince1970 > 0, daysSince1970 == early {
      (days, unit) = ("days since 1970", .unixDays)
    } else {
      return what
    }
    return "\(what), on 1 January 1970: they look like \(days) \(Cure.timeUnit.allWords[1])"
      + " (their unit is \(unit.rawValue))"
  }
}
