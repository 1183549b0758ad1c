import VicinityCalibration
import VicinityCrossings
import VicinityMonitor
import VicinityReports
import VicinitySimulation

/// A validation as tables: Markdown to be read, CSV and JSON to be read on.
struct ValidationText {
  let validation: Validation
  let profiles: [DeviceProfile]

  // MARK: Markdown

  /// The whole report.
  var markdown: [UInt8] {
    var text = "# Validation of the simulated phone\n\n"
    for (split, _) in validation.splits {
      let plot = ValidationPlot(validation, split)
      text += "![\(plot.title): predicted against measured; \(plot.words)](\(Self.picture(of: split)))\n"
    }
    text += """

      Each point is a comparison, on logarithmic scales: on the dashed line what was predicted is what was \
      measured; the band is within
      15 %. Upright lines hold 90 % of predicted new days, level ones are the 95 % interval of what was \
      measured.

      `vicinity-calibrate` fits profiles such as those of `Data/devices` to measurements such as \
      MobilityNet's, and judges them on
      days that they were not fitted on: each is replayed with profiles fitted on others. What is compared \
      comes out of the
      simulator itself: the truth of the day, an app behind with the same tier and distance filter, the \
      service on when the measured
      phone's was. To simulated errors on the move the truth's own noise is added (median
      \(Self.number(validation.truthNoise)) m: half of what the control phones of either kind disagree by). \
      Levels of days out
      are read in whole per cent through a gauge that shows 100 % until its reserve is spent, as the \
      iPhones' do; power at rest
      is that of the place, the house where phones lay or where they were left on days out, as found on \
      other days; and the
      measured Android app's own work at each fix is added, also as found on other days. Idle power is that \
      of the other days
      too; the iPhone profile that is written keeps the published one instead (see the notes at the end). \
      Models and estimators
      were chosen with these comparisons in view.

      Regimes are called as in MobilityNet: accuracy (H high, M medium, L low power, TMB ten metres or \
      balanced), A; filter of 1 m
      or, on Android, a fix a second (H) or 30 (M), F; always on (AO) or from a region's exit to the trip's \
      end (DC).

      Goals: the error's median and the drain within 15 %, the median latency of exits within 20 % of what \
      was measured; of
      fewer than \(Validation.fewNumbers) numbers, or the prediction within the 95 % interval of the \
      measured median
      (bootstrap by ranges), which is told apart. `n` counts fixes, hours-long ranges or exits; `ranges` how \
      many phones' days they are from. Where
      that is one, the interval is from a bootstrap by blocks of its fixes, which depend on each other: it \
      lacks the spread
      between phones and days, and is too narrow by that. `90 % of new days` is, where outings or folders \
      are judged, by how far fits
      to some outings were off on others: CV+ with outings as folds (R. F. Barber, E. J. Candès, A. Ramdas, \
      R. J. Tibshirani,
      Predictive Inference with the Jackknife+, 2021), each outing in turn without the judged one. It is \
      empty where fewer than
      \(Validation.leastScores) values were left out. Where days are judged it is what the profile predicts \
      for days like the measured ones but with effects
      of their own on errors, power and the checks of regions, drawn from how much the fitted days differ; \
      other outings are not in it.


      """
    for (split, names) in validation.splits {
      text += section(split, names, validation.rows.filter { $0.split == split })
    }
    text += filterEffects
    text += "\n## What cannot be validated\n\n"
    text +=
      "Tiers with all figures at their low ends, as they are, and at their high ends; per cent an hour of the nominal\n"
    text +=
      "battery, the phone's idle power included; errors as the median and what 90 % lie between. Where it says `assumed`\n"
    text += "or `published`, nothing here was measured: results are to be given for both ends.\n"
    for profile in profiles {
      text += "\n### \(profile.name)\n\n"
      text += "| tier | power | at rest, %/h | moving, %/h | positions | error moving, m |\n"
      text += "| --- | --- | --- | --- | --- | --- |\n"
      for tier in Sensitivity.tiers(of: profile) {
        text +=
          "| \(tier.tier.rawValue) | \(tier.power.rawValue) | \(Self.spread(tier.still)) | \(Self.spread(tier.moving)) "
        text += "| \(tier.positions.rawValue) | \(Self.spread(tier.error)) |\n"
      }
      text += "\nAlso assumed: "
      let others = profile.listedFigures.filter {
        $0.figure.basis != .measured && !$0.path.hasPrefix("tiers.") && !$0.path.contains("(")
      }
      text += others.map { Self.assumption($0.path, $0.figure) }.joined(separator: ", ") + ".\n"
    }
    text += "\n## Notes of the fit\n\n"
    for note in validation.notes { text += "- \(note)\n" }
    return Array(text.utf8)
  }

  private func section(_ split: Validation.Split, _ names: [String], _ rows: [Validation.Row]) -> String {
    let list = names.joined(separator: ", ")
    let goals = validation.goals(split)
    var text =
      switch split {
      case .day:
        "## Days left out\n\nEach day judged by fits on all others, the same outing on other days among them: \(list); a night counts "
          + "to the day that it ended on.\n\n"
      case .outing:
        "## Outings left out\n\nEach outing judged by fits on all others, so on days unlike those fitted: \(list).\n\n"
      case .folder: "## Another folder\n\nNothing of these runs is in the fit that judges them: \(list).\n\n"
      }
    text += "Goals: \(Self.phrase(goals)).\n"
    if goals.notCounted > 0 {
      text +=
        "Not counted, as nothing can be told: \(goals.notCounted), where nothing was measured, or a drain rests on "
        + "idle power\nthat was not measured in what was fitted.\n"
    }
    let within = rows.filter { $0.verdict != nil }
      .compactMap { row in row.interval.map { $0.contains(row.predicted) } }
    text +=
      "Fixes of a range depend on each other: were ranges counted as numbers, nearly all comparisons would be of few.\n"
      + "Of the \(within.count) that have an interval, whatever their n, "
      + "\(within.count { $0 }) predictions lie within it.\n"
    text += newDays(rows)
    text += heldBack(split)
    let order = validation.energyOrder(split)
    if order.pairs > 0 {
      text +=
        "Of \(order.pairs) pairs of regimes whose measured drains do not overlap, \(order.right) are predicted in the measured order.\n"
    }
    for profile in profiles {
      let rows = rows.filter { $0.platform == profile.platform }
      guard !rows.isEmpty else { continue }
      text += "\n### \(profile.title)\n\n"
      text +=
        "| tier | regime | phones | what | measured | 95 % | n | ranges | predicted | 90 % of new days | off by | goal |\n"
      text += "| --- | --- | --- | --- | ---: | --- | ---: | ---: | ---: | --- | ---: | --- |\n"
      for row in rows {
        text +=
          "| \(row.tier) | \(row.regime)\(row.note.isEmpty ? "" : " (1)") | \(row.isMoving ? "moving" : "at rest") "
        text += "| \(row.quantity.rawValue), \(row.quantity.unit) | \(Self.number(row.measured)) "
        text +=
          "| \(Self.interval(row.interval)) | \(row.count) | \(row.ranges) | \(Self.number(row.predicted)) "
        text += "| \(Self.interval(row.newDays)) | \(Self.percent(row.difference)) | \(Self.verdict(row)) |\n"
      }
      let notes = Set(rows.map(\.note)).filter { !$0.isEmpty }
      if !notes.isEmpty { text += "\n(1) \(notes.sorted().joined(separator: "; ")).\n" }
    }
    return text + "\n"
  }

  /// How many measured values lie where 90 % of new days are predicted, and how wide that is.
  private func newDays(_ rows: [Validation.Row]) -> String {
    let within = rows.compactMap(\.isWithinNewDays)
    guard !within.isEmpty else { return "" }
    let widths = rows.filter { $0.isWithinNewDays != nil }.compactMap { row in
      row.spread.flatMap { spread in
        row.newDays.flatMap { spread > 0 ? ($0.upperBound - $0.lowerBound) / spread : nil }
      }
    }.sorted()
    var text =
      "Of \(within.count) measured values \(within.count { $0 }) lie within what is predicted for 90 % of new days"
    if !widths.isEmpty {
      text += ";\nwhere three ranges or more tell how much measured days differ, these intervals are "
      text += "\(Self.number(widths[widths.count / 2])) times as wide as that\n"
      text += "(median; \(Self.number(widths[0])) to \(Self.number(widths[widths.count - 1])))"
    }
    return text + ".\n"
  }

  /// How good the intervals for held-back outings are, beside those of the spread of the fitted days alone.
  private func heldBack(_ split: Validation.Split) -> String {
    let parts: [(name: String, quantity: Validation.Quantity?)] =
      [("all", nil)]
      + Validation.Quantity.allCases.filter { $0.goal != nil }.map { ($0.rawValue, $0) }
    let rows = parts.compactMap { name, quantity -> String? in
      let (reported, simulated) = validation.intervalQuality(split, quantity)
      guard reported.count > 0 else { return nil }
      func cells(_ quality: Validation.IntervalQuality) -> String {
        "\(quality.within) (\(DecimalText.string(100 * quality.share, decimals: 0)) %) "
          + "| \(Self.number(quality.meanWidth)) (\(Self.number(quality.medianWidth))) | \(Self.number(quality.score))"
      }
      return "| \(name) | \(reported.count) | \(cells(reported)) | \(cells(simulated)) |\n"
    }
    guard !rows.isEmpty else { return "" }
    return """

      Values of held-back outings, one for each outing, request and quantity with a goal: how many lie in \
      their 90 % interval, how wide
      intervals are as a share of the value (mean, and median in brackets), and the interval score of \
      logarithms (T. Gneiting, A. E. Raftery, Strictly
      Proper Scoring Rules, 2007; less is better): by what fits to other outings were off, and by the spread \
      of the fitted days
      alone, which is what earlier versions gave.

      | what | values | within | width | score | by days: within | width | score |
      | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |

      """ + rows.joined() + "\n"
  }

  /// What a distance filter does to errors.
  private var filterEffects: String {
    guard !validation.filterEffects.isEmpty else { return "" }
    let filter = DecimalText.string(FilterEffect.filter, decimals: 0)
    var text = """
      ## What a distance filter does

      Median errors on the move of phones without a filter, m: of all their fixes, and of those that one of \
      \(filter) m would
      have let through; and the same days replayed without a filter and behind that one, by profiles fitted \
      on the others.

      | left out | tier | regime | ranges | measured | n | through the filter | n | predicted | through the \
      filter | off by |
      | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |

      """
    for effect in validation.filterEffects {
      let all = effect.all
      text +=
        "| \(all.split.rawValue) | \(all.tier) | \(all.regime) | \(all.ranges) | \(Self.number(all.measured)) | \(all.count) "
      text += "| \(Self.number(effect.measured.median)) | \(effect.measured.count) "
      text += "| \(Self.number(all.predicted)) | \(Self.number(effect.predicted.median)) "
      text += "| \(Self.percent(effect.predicted.median / effect.measured.median - 1)) |\n"
    }
    return text
  }

  // MARK: Pictures and the page

  /// The names of the files that are written for some splits, and their pictures.
  static func names(_ splits: [Validation.Split]) -> [String] {
    ["validation.md", "validation.html", "validation.csv", "validation.json"] + splits.map(picture)
  }

  private static func picture(of split: Validation.Split) -> String { "validation-\(split.rawValue).svg" }

  /// The contents of the files of ``names(_:)``.
  var contents: [[UInt8]] {
    [markdown, html, csv, json]
      + validation.splits.map { Array(ValidationPlot(validation, $0.split).svg.utf8) }
  }

  /// The comparisons with goals as a page: the pictures first.
  private var html: [UInt8] {
    let head = [
      "tier", "regime", "phones", "what", "measured", "95 %", "predicted", "90 % of new days", "off by",
      "goal",
    ]
    let sections = validation.splits.map { split, names in
      let plot = ValidationPlot(validation, split)
      let rows = validation.rows.filter { $0.split == split && $0.quantity.goal != nil }
      let tables = profiles.map { profile in
        TablePage.Table(
          caption: profile.title, head: head,
          rows: rows.filter { $0.platform == profile.platform }.map { row in
            [
              row.tier, row.regime, row.isMoving ? "moving" : "at rest",
              "\(row.quantity.rawValue), \(row.quantity.unit)", Self.number(row.measured),
              Self.interval(row.interval), Self.number(row.predicted), Self.interval(row.newDays),
              Self.percent(row.difference), Self.verdict(row).replacing("*", with: ""),
            ]
          })
      }
      let order = validation.energyOrder(split)
      return TablePage.Section(
        title: plot.title,
        words: [
          "Judged: \(names.joined(separator: ", ")). Goals: \(Self.phrase(validation.goals(split))). \(newDays(rows)) Of "
            + "\(order.pairs) pairs of regimes whose measured drains do not overlap, \(order.right) are predicted in the measured order."
        ], tables: tables.filter { !$0.rows.isEmpty })
    }
    return TablePage(
      title: "Predicted against measured",
      subtitle:
        "\(profiles.map(\.title).joined(separator: "; ")): what the simulated phone predicts of days that it was not fitted on",
      pictures: validation.splits.map { ValidationPlot(validation, $0.split).svg }, sections: sections
    ).html()
  }

  // MARK: CSV and JSON

  /// A row per comparison.
  var csv: [UInt8] {
    var rows = CSVRows(
      "split,platform,tier,regime,moving,quantity,unit,measured,low,high,n,ranges,predicted,difference,goal,met,by_interval,predicted_low,predicted_high,spread,note"
    )
    for row in validation.rows {
      rows.text(row.split.rawValue)
      rows.text(row.platform.rawValue)
      rows.text(row.tier)
      rows.text(row.regime)
      rows.text(row.isMoving ? "true" : "false")
      rows.text(row.quantity.rawValue)
      rows.text(row.quantity.unit)
      rows.number(row.measured, 4)
      rows.number(row.interval?.lowerBound, 4)
      rows.number(row.interval?.upperBound, 4)
      rows.integer(row.count)
      rows.integer(row.ranges)
      rows.number(row.predicted, 4)
      rows.number(row.difference, 4)
      rows.number(row.quantity.goal, 4)
      rows.text(row.verdict.map { $0.isMet ? "true" : "false" } ?? "")
      rows.text(row.verdict.map { $0 == .metByInterval ? "true" : "false" } ?? "")
      rows.number(row.newDays?.lowerBound, 4)
      rows.number(row.newDays?.upperBound, 4)
      rows.number(row.spread, 4)
      rows.text(row.note)
      rows.end()
    }
    return rows.bytes
  }

  /// The comparisons, days and notes.
  var json: [UInt8] {
    func list(_ texts: [String]) -> String {
      "[\(texts.map { JSONText.literal($0) }.joined(separator: ", "))]"
    }
    func rows(_ objects: [String]) -> String { objects.map { "\n    \($0)" }.joined(separator: ",") }
    let splits = validation.splits.map { split, names in
      let goals = validation.goals(split)
      let counts = JSONText.object([
        ("met", "\(goals.met)"), ("met_by_interval", "\(goals.metByInterval)"), ("missed", "\(goals.missed)"),
        ("not_counted", "\(goals.notCounted)"),
      ])
      return JSONText.object([
        ("split", JSONText.literal(split.rawValue)), ("names", list(names)), ("goals", counts),
        ("energy_pairs", "\(validation.energyOrder(split).pairs)"),
        ("energy_pairs_right", "\(validation.energyOrder(split).right)"),
      ])
    }
    let effects = validation.filterEffects.map { JSONText.object(Self.members($0)) }
    let held = validation.values.map { JSONText.object(Self.members($0)) }
    let text = """
      {
        "truth_noise_m": \(JSONText.literal(validation.truthNoise, decimals: 4)),
        "notes": \(list(validation.notes)),
        "splits": [\(rows(splits))
        ],
        "comparisons": [\(rows(validation.rows.map { JSONText.object(Self.members($0)) }))
        ],
        "held_back": [\(rows(held))\(held.isEmpty ? "" : "\n  ")],
        "filter_effects": [\(rows(effects))\(effects.isEmpty ? "" : "\n  ")]
      }

      """
    return Array(text.utf8)
  }

  private static func members(_ row: Validation.Row) -> [(String, String)] {
    let texts = [
      ("split", row.split.rawValue), ("platform", row.platform.rawValue), ("tier", row.tier),
      ("regime", row.regime),
      ("quantity", row.quantity.rawValue), ("unit", row.quantity.unit), ("note", row.note),
    ]
    let numbers: [(String, Double?)] = [
      ("measured", row.measured), ("low", row.interval?.lowerBound), ("high", row.interval?.upperBound),
      ("spread", row.spread),
      ("predicted", row.predicted), ("predicted_low", row.newDays?.lowerBound),
      ("predicted_high", row.newDays?.upperBound), ("difference", row.difference),
      ("goal", row.quantity.goal),
    ]
    return texts.map { ($0, JSONText.literal($1)) } + numbers.map { ($0, JSONText.literal($1, decimals: 4)) }
      + [
        ("moving", "\(row.isMoving)"), ("n", "\(row.count)"), ("ranges", "\(row.ranges)"),
        ("met", row.verdict.map { "\($0.isMet)" } ?? "null"),
        ("by_interval", row.verdict.map { "\($0 == .metByInterval)" } ?? "null"),
      ]
  }

  private static func members(_ value: Validation.Value) -> [(String, String)] {
    let texts = [
      ("split", value.split.rawValue), ("platform", value.key.platform.rawValue),
      ("outing", value.key.outing), ("regime", value.key.regime), ("quantity", value.key.quantity.rawValue),
      ("unit", value.key.quantity.unit),
    ]
    let numbers: [(String, Double?)] = [
      ("measured", value.measured), ("predicted", value.predicted),
      ("predicted_low", value.interval?.lowerBound), ("predicted_high", value.interval?.upperBound),
      ("by_days_low", value.simulated?.lowerBound), ("by_days_high", value.simulated?.upperBound),
    ]
    return texts.map { ($0, JSONText.literal($1)) } + numbers.map { ($0, JSONText.literal($1, decimals: 4)) }
      + [
        ("moving", "\(value.key.isMoving)"), ("ranges", "\(value.ranges)"),
        ("counted", "\(value.isCounted)"),
      ]
  }

  private static func members(_ effect: FilterEffect) -> [(String, String)] {
    let numbers = [
      ("filter_m", FilterEffect.filter), ("measured_behind", effect.measured.median),
      ("predicted_behind", effect.predicted.median),
    ]
    return members(effect.all) + numbers.map { ($0, JSONText.literal($1, decimals: 4)) } + [
      ("n_behind", "\(effect.measured.count)")
    ]
  }

  // MARK: Numbers

  private static func number(_ value: Double) -> String {
    let size = abs(value)
    return DecimalText.string(value, decimals: size >= 100 ? 0 : size >= 10 ? 1 : 2)
  }

  private static func spread(_ spread: Sensitivity.Spread) -> String {
    "\(number(spread.value)) (\(number(spread.low)) to \(number(spread.high)))"
  }

  private static func assumption(_ path: String, _ figure: Figure) -> String {
    let range = number(figure.low) + " to " + number(figure.high)
    return path + " " + number(figure.value) + " (" + range + ")"
  }

  private static func interval(_ interval: ClosedRange<Double>?) -> String {
    interval.map { "\(number($0.lowerBound)) to \(number($0.upperBound))" } ?? ""
  }

  private static func percent(_ difference: Double?) -> String {
    guard let difference else { return "" }
    if difference > 9 { return DecimalText.string(difference + 1, decimals: 0) + " times" }
    let text = DecimalText.string(difference * 100, decimals: 0)
    return (difference > 0 && text != "0" ? "+" : "") + text + " %"
  }

  private static func verdict(_ row: Validation.Row) -> String {
    switch row.verdict {
    case .met: "met"
    case .metByInterval: "met by the interval"
    case .missed: "**missed**"
    case nil: row.quantity.goal == nil ? "" : "not counted"
    }
  }

  /// How the goals of all splits are met, in words.
  static func phrase(_ validation: Validation) -> String {
    validation.splits.map { split, _ in
      let name =
        switch split {
        case .day: "days left out: "
        case .outing: "outings left out: "
        case .folder: ""
        }
      return name + phrase(validation.goals(split))
    }.joined(separator: "; ")
  }

  /// How goals are met, in words: the total never stands without its parts.
  static func phrase(_ goals: Validation.Goals) -> String {
    "\(goals.met + goals.metByInterval) of \(goals.total) met (\(goals.met) by the share, "
      + "\(goals.metByInterval) by the interval alone), \(goals.missed) missed"
  }
}
