import VicinityCrossings
import VicinityEvaluation
import VicinityFormats
import VicinitySimulation

/// The policies of a study as a table, the cheapest first.
struct CompareTable {
  let result: StudyResult
  let answer: SearchOutcome?
  let phones: PhoneComparison?
  let tuned: [TunedPolicy]

  /// The columns: their titles, and the metrics that they show.
  private var columns: [(title: String, metric: Metric)] {
    [
      ("%/h", .energy), ("above idle", .netEnergy), ("recall", .recall), ("precision", .precision),
      ("p50 s", .p50Latency), ("p95 s", .p95Latency),
    ] + requested + [("wakes/h", .wakeups), ("awake s/h", .backgroundTime)]
  }

  /// The columns of what was asked for.
  private var requested: [(title: String, metric: Metric)] {
    result.requestedMetrics.map { metric in
      switch metric {
      case .entriesWithin(let seconds): ("entries \(seconds) s", metric)
      case .exitsWithin(let seconds): ("exits \(seconds) s", metric)
      default: (metric.rawValue, metric)
      }
    }
  }

  func write(to text: inout [UInt8], style: TerminalStyle) {
    let columns = columns
    var table = TextTable(
      columns: [
        .init(title: "policy", alignment: .left, isFlexible: true), .init(title: "*", alignment: .left),
      ] + columns.map { .init(title: $0.title, alignment: .right) }, style: style)
    let order = result.cards.indices.sorted { a, b in
      let one = result.cards[a].value(.energy) ?? .infinity
      let other = result.cards[b].value(.energy) ?? .infinity
      return one == other ? a < b : one < other
    }
    for place in order {
      let card = result.cards[place]
      table.add(
        [card.policy, (place == result.chosen ? ">" : "") + (card.isOnFront ? "*" : "")]
          + columns.map { Self.number(card.value($0.metric), $0.metric.decimals) })
    }
    table.write(to: &text)
    text.append(contentsOf: "\n\(extent)\n* no other policy is better in %/h, recall and p95 at once\n".utf8)
    if let bounds = result.bounds { text.append(contentsOf: "\(Self.words(bounds))\n".utf8) }
    if let answer {
      if result.chosen != nil { text.append(contentsOf: "> chosen by the search below\n".utf8) }
      text.append(contentsOf: "\n\(Self.prose(answer.words))\n".utf8)
    }
    if !tuned.isEmpty { writeTuned(to: &text, style) }
    if let phones { write(phones, to: &text, style) }
  }

  /// Each policy with its own settings, and with those that the search found for it.
  private func writeTuned(to text: inout [UInt8], _ style: TerminalStyle) {
    text.append(
      contentsOf: "\nEach with its own settings, and with those that the same search finds for it:\n".utf8)
    var table = TextTable(
      columns: [
        .init(title: "policy", alignment: .left, isFlexible: true), .init(title: "%/h", alignment: .right),
        .init(title: "probability", alignment: .right),
        .init(title: "tuned", alignment: .left, isFlexible: true), .init(title: "%/h", alignment: .right),
        .init(title: "probability", alignment: .right),
      ], style: style)
    for entry in tuned {
      let isSame = entry.tuned.policy == entry.preset.policy
      table.add([
        entry.preset.policy, Self.number(entry.preset.value(.energy), 3),
        Self.number(entry.presetProbability, 3), isSame ? "its own" : entry.tuned.policy,
        Self.number(entry.tuned.value(.energy), 3), Self.number(entry.tunedProbability, 3),
      ])
    }
    table.write(to: &text)
  }

  private func write(_ phones: PhoneComparison, to text: inout [UInt8], _ style: TerminalStyle) {
    text.append(UInt8(ascii: "\n"))
    let figures = [("%/h", .energy), ("recall", .recall), ("p95 s", .p95Latency)] + requested
    var table = TextTable(
      columns: [
        .init(title: "phone", alignment: .left), .init(title: "policy", alignment: .left, isFlexible: true),
      ] + figures.map { .init(title: $0.title, alignment: .right) } + [
        .init(title: "probability", alignment: .right)
      ], style: style)
    for entry in phones.entries {
      guard let card = entry.chosenCard else {
        table.add([entry.profile.name, "none"] + figures.map { _ in "-" } + ["-"])
        continue
      }
      table.add(
        [entry.profile.name, card.policy]
          + figures.map { Self.number(card.value($0.metric), $0.metric.decimals) }
          + [Self.number(entry.answer?.confirmation?.probability, 3)])
    }
    table.write(to: &text)
    text.append(contentsOf: "\(Self.prose(phones.words))\n".utf8)
  }

  /// What the figures are about: `Of all visits: 12 entries, 30 crossings in 4.5 hours of 3 devices`.
  private var extent: String {
    let card = result.cards.first
    let hours = result.devices.reduce(0) { $0 + $1.hours } * Double(result.seeds.count)
    let seeds =
      result.seeds.count > 1 ? ", \(DecimalText.count(result.seeds.count, "seed", "seeds")) together" : ""
    return
      "Of \(result.filter.description): \(DecimalText.count(card?.headlineVisits ?? 0, "entry", "entries")), "
      + "\(DecimalText.count(card?.headlineCrossings ?? 0, "crossing", "crossings")) in "
      + "\(DecimalText.string(hours, decimals: 1)) hours of "
      + DecimalText.count(result.devices.count, "device", "devices") + seeds
  }

  private static func words(_ bounds: StudyBounds) -> String {
    let latency = DecimalText.string(bounds.guarantee.latency / .seconds(1), decimals: 0)
    let speed = DecimalText.string(bounds.guarantee.maximumSpeed, decimals: 0)
    let late =
      bounds.oracleLate > 0
      ? ", reporting \(bounds.crossings - bounds.oracleLate) of \(bounds.crossings) in time" : ""
    return "Lower bounds for reporting every crossing within \(latency) s: "
      + "\(DecimalText.string(bounds.leastNetEnergy, decimals: 4)) %/h above idle for any policy "
      + "(an oracle achieves \(DecimalText.string(bounds.oracleNetEnergy, decimals: 4))\(late));\n"
      + "\(DecimalText.string(bounds.fixesAnHour, decimals: 1)) fixes/h for policies that use fixes alone, up to \(speed) m/s."
  }

  /// Sentences, on lines about as long as the table's.
  private static func prose(_ words: String) -> String {
    DisplayText.wrapped(VisibleText.of(words), to: 100)
  }

  private static func number(_ value: Double?, _ decimals: Int) -> String {
    value.map { DecimalText.string($0, decimals: decimals) } ?? "-"
  }
}
