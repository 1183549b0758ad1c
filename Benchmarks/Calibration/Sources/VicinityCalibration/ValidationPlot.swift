internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinitySimulation

/// The comparisons of one split as a picture: predicted against measured, both with intervals, as SVG.
///
/// Both axes are logarithmic, since medians of seconds, metres and per cent an hour share them. A point on
/// the diagonal is predicted as measured; the band is the goal of 15 %. Upright lines hold 90 % of new days,
/// level ones 95 % of what was measured.
package struct ValidationPlot {
  package let split: Validation.Split
  /// Those of the comparisons that are judged.
  ///
  /// What is zero has no place on a logarithmic scale and is left out.
  private let rows: [Validation.Row]
  private let goals: Validation.Goals
  /// Whether each measured value is within the interval of new days.
  private let within: [Bool]

  private static let width = 520.0
  private static let height = 560.0
  private static let left = 52.0
  private static let right = 508.0
  private static let top = 92.0
  private static let floor = 514.0
  private static let band = 0.15
  private static let ink = "#1d2733"
  private static let soft = "#5c6b7a"

  package init(_ validation: Validation, _ split: Validation.Split) {
    self.split = split
    rows = validation.rows.filter {
      $0.split == split && $0.verdict != nil && $0.measured > 0 && $0.predicted > 0
    }
    goals = validation.goals(split)
    within = validation.rows.filter { $0.split == split }.compactMap(\.isWithinNewDays)
  }

  package var title: String {
    switch split {
    case .day: "Days left out"
    case .outing: "Outings left out"
    case .folder: "Another folder"
    }
  }

  /// What the picture says, in a sentence.
  package var words: String {
    "\(goalWords); \(intervalWords)"
  }

  private var goalWords: String {
    "\(goals.met + goals.metByInterval) of \(goals.total) goals met"
  }

  private var intervalWords: String {
    "\(within.count { $0 }) of \(within.count) measured values within the intervals of new days"
  }

  /// The decades around all numbers, as exponents; a tenth to a hundred where there are none.
  private var exponents: ClosedRange<Double> {
    let all = rows.flatMap { row in
      [row.measured, row.predicted, row.newDays?.lowerBound, row.newDays?.upperBound].compactMap { $0 }
    }.filter { $0 > 0 }
    guard let low = all.min(), let high = all.max() else { return -1...2 }
    return (log10(low) - 0.08)...(log10(high) + 0.08)
  }

  package var svg: String {
    let exponents = exponents
    let span = exponents.upperBound - exponents.lowerBound
    func share(_ value: Double) -> Double {
      min(1, max(0, (log10(max(value, 1e-9)) - exponents.lowerBound) / span))
    }
    func x(_ value: Double) -> String { Self.text(Self.left + share(value) * (Self.right - Self.left)) }
    func y(_ value: Double) -> String { Self.text(Self.floor - share(value) * (Self.floor - Self.top)) }
    let (least, most) = (exp(exponents.lowerBound * log(10)), exp(exponents.upperBound * log(10)))
    // With a size of its own: a page that shows the file as a picture would make one without a size very
    // small.
    let (width, height) = (Self.text(Self.width), Self.text(Self.height))
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
      height="\(height)" role="img">
      <title>\(title): predicted against measured; \(words)</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      \(Self.words(title, x: Self.left, y: 20, Self.ink, "font-size:15px;font-weight:600"))
      \(Self.words(goalWords + ";", x: Self.left, y: 38, Self.soft))
      \(Self.words(intervalWords, x: Self.left, y: 54, Self.soft))

      """
    text += legend
    let slope = 1 + Self.band
    text += """
      <path d="M\(x(least)) \(y(least))L\(x(least * slope)) \(y(least))L\(x(most)) \(y(most / slope))\
      L\(x(most)) \(y(most))L\(x(most / slope)) \(y(most))L\(x(least)) \(y(least * slope))Z" \
      fill="#2b8a3e" fill-opacity="0.13"/>
      <path d="M\(x(least)) \(y(least))L\(x(most)) \(y(most))" stroke="#2b8a3e" stroke-dasharray="4 3"/>

      """
    for tick in Self.ticks(exponents) {
      text += """
        <path d="M\(x(tick)) \(Self.text(Self.top))V\(Self.text(Self.floor))M\(Self.text(Self.left)) \
        \(y(tick))H\(Self.text(Self.right))" stroke="#d7dee5" stroke-width="0.7"/>
        \(Self.words(tick.shortestText, x: Double(x(tick)) ?? 0, y: Self.floor + 16, Self.soft, "text-anchor:middle"))
        \(Self.words(tick.shortestText, x: Self.left - 5, y: (Double(y(tick)) ?? 0) + 4, Self.soft, "text-anchor:end"))

        """
    }
    text += """
      \(Self.words("measured: m, %/h or s", x: (Self.left + Self.right) / 2, y: Self.floor + 34, Self.ink, "text-anchor:middle"))
      <g transform="translate(13 \(Self.text((Self.top + Self.floor) / 2))) rotate(-90)">\
      \(Self.words("predicted: m, %/h or s", x: 0, y: 0, Self.ink, "text-anchor:middle"))</g>

      """
    for row in rows {
      let colour = Self.colour(row.quantity)
      if let interval = row.newDays {
        text += "<path d=\"M\(x(row.measured)) \(y(interval.lowerBound))V\(y(interval.upperBound))\" "
        text += "stroke=\"\(colour)\" stroke-opacity=\"0.55\"/>\n"
      }
      if let interval = row.interval {
        text += "<path d=\"M\(x(interval.lowerBound)) \(y(row.predicted))H\(x(interval.upperBound))\" "
        text += "stroke=\"\(colour)\" stroke-opacity=\"0.3\"/>\n"
      }
    }
    for row in rows {
      let at = (Double(x(row.measured)) ?? 0, Double(y(row.predicted)) ?? 0)
      text += Self.mark(at, row.platform, isMoving: row.isMoving, Self.colour(row.quantity), label(row))
    }
    return text + "</svg>\n"
  }

  /// What a point shows when it is pointed at.
  private func label(_ row: Validation.Row) -> String {
    let number = { (value: Double) in DecimalText.string(value, decimals: value >= 10 ? 1 : 2) }
    var label =
      "\(row.platform.rawValue) \(row.tier) \(row.regime), \(row.isMoving ? "moving" : "at rest"), \(row.quantity.rawValue): "
    label += "measured \(number(row.measured)) \(row.quantity.unit), predicted \(number(row.predicted))"
    if let interval = row.newDays {
      label += " (\(number(interval.lowerBound)) to \(number(interval.upperBound)))"
    }
    return label.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("{", with: "&#123;")
  }

  private var legend: String {
    var text = ""
    var at = Self.left + 5
    for quantity in [Validation.Quantity.errorMedian, .drain, .exitLatency] {
      text += Self.mark((at, 72), .ios, isMoving: true, Self.colour(quantity), "")
      text += Self.words("\(quantity.rawValue), \(quantity.unit)", x: at + 8, y: 76, Self.ink) + "\n"
      at += 26 + 6.6 * Double("\(quantity.rawValue), \(quantity.unit)".count)
    }
    let shapes: [(DeviceProfile.Platform, Bool, String)] = [
      (.ios, true, "iPhone, moving"), (.ios, false, "at rest"), (.android, true, "Android"),
    ]
    at = Self.left + 5
    for (platform, isMoving, name) in shapes {
      text += Self.mark((at, 87), platform, isMoving: isMoving, Self.soft, "")
      text += Self.words(name, x: at + 8, y: 91, Self.soft) + "\n"
      at += 26 + 6.6 * Double(name.count)
    }
    return text
  }

  /// Text whose look a page's styles do not change.
  private static func words(
    _ words: String, x: Double, y: Double, _ colour: String, _ style: String = ""
  ) -> String {
    "<text x=\"\(text(x))\" y=\"\(text(y))\" style=\"font:12px system-ui,sans-serif;fill:\(colour);\(style)\">\(words)</text>"
  }

  private static func mark(
    _ at: (x: Double, y: Double), _ platform: DeviceProfile.Platform, isMoving: Bool, _ colour: String,
    _ label: String
  ) -> String {
    let style = "fill=\"\(isMoving ? colour : "#ffffff")\" stroke=\"\(colour)\" stroke-width=\"1.5\""
    let title = label.isEmpty ? "" : "<title>\(label)</title>"
    return platform == .ios
      ? "<circle cx=\"\(text(at.x))\" cy=\"\(text(at.y))\" r=\"4\" \(style)>\(title)</circle>\n"
      : "<rect x=\"\(text(at.x - 3.5))\" y=\"\(text(at.y - 3.5))\" width=\"7\" height=\"7\" \(style)>\(title)</rect>\n"
  }

  private static func colour(_ quantity: Validation.Quantity) -> String {
    switch quantity {
    case .drain: "#dd7500"
    case .exitLatency: "#7b61d1"
    default: "#2f7ed8"
    }
  }

  private static func ticks(_ exponents: ClosedRange<Double>) -> [Double] {
    (Int(exponents.lowerBound.rounded(.down))...Int(exponents.upperBound.rounded(.up))).flatMap { exponent in
      [1.0, 2, 5].map { factor in
        var value = factor
        for _ in 0..<abs(exponent) { value = exponent > 0 ? value * 10 : value / 10 }
        return (value * 1e6).rounded() / 1e6
      }
    }.filter { exponents.contains(log10($0)) }
  }

  private static func text(_ number: Double) -> String { DecimalText.string(number, decimals: 1) }
}
