extension Metric {
  /// A figure of this metric for people, with its unit: `0.993`, `41.2 s`, `1.234 %/h`; `infinite` and `-` for none.
  public func text(_ value: Double?) -> String {
    guard let value, !value.isNaN else { return "-" }
    guard value.isFinite else { return "infinite" }
    let unit = self.unit
    return value.text(decimals: decimals) + (unit.isEmpty || unit.hasPrefix("/") ? unit : " \(unit)")
  }
}

extension Double {
  /// A finite number with some decimals, rounded; zero has no sign.
  func text(decimals: Int) -> String {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = (magnitude * scale).rounded()
    guard scaled < 0x1p53 else { return "\(self)" }
    var digits = String(Int64(scaled))
    digits = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let text = decimals == 0 ? digits : "\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
    return self < 0 && scaled > 0 ? "-\(text)" : text
  }
}
