internal import VicinityCrossings
internal import VicinityText

/// What the values of all files together make suspect, said once for a run.
struct TrackFindings {
  private var fixes = FixFindings()
  private var values = ValueRemarks()
  /// Where the first time before 1980 was.
  private var firstEarly: Diagnostic.Place?
  private var hasToldTimes = false
  private var hasToldAccuracy = false
  private var hasToldZeros = false
  private var toldValues = ValueRemarks()

  /// Looks at the fixes of a batch before any are dropped.
  mutating func add(_ batch: TrackBatch) {
    values += batch.remarks
    for (index, fix) in batch.fixes.enumerated() {
      fixes.add(fix)
      if fixes.early > 0, firstEarly == nil { firstEarly = batch.place(of: index) }
    }
  }

  /// How many rows so far had AIS's words for no position.
  var noPositions: Int { values.noPositions }

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
      news.append(Diagnostic(place: firstEarly, timeNote))
    }
    if options.needsAccuracy, !hasToldAccuracy, fixes.lacksAccuracy {
      hasToldAccuracy = true
      news.append(Diagnostic(place: place, message: FixFindings.accuracyWords(soFar: !isAtEnd)))
    }
    if !hasToldZeros, let words = fixes.zeroWords {
      hasToldZeros = true
      news.append(Diagnostic(place: place, message: words))
    }
    if isAtEnd, values != toldValues {
      for words in values.words { news.append(Diagnostic(place: place, message: words)) }
      toldValues = values
    }
    return news
  }

  private var timeNote: RowFault {
    let what = fixes.timeWords ?? ""
    guard let days = fixes.days else { return RowFault(what) }
    let unit = days == .ofSpreadsheets ? TimeUnit.days : .unixDays
    return RowFault("\(what) (their unit is \(unit.rawValue))", cure: .timeUnit)
  }
}
