internal import VicinityCrossings

/// Options of crossings as callers write them.
enum OptionText {
  /// In what two sets of options differ: `max-gap is 300 s there and 60 s here`.
  static func difference(_ there: CrossingOptions, _ here: CrossingOptions) -> String {
    let (before, after) = (lines(there), lines(here))
    let names = before.map(\.name) + after.map(\.name).filter { name in !before.contains { $0.name == name } }
    let found = names.compactMap { name -> String? in
      let was = before.first { $0.name == name }?.value ?? "not given"
      let `is` = after.first { $0.name == name }?.value ?? "not given"
      return was == `is` ? nil : "\(name) is \(was) there and \(`is`) here"
    }
    return found.isEmpty ? "of which regions events are told" : found.joined(separator: ", ")
  }

  private static func lines(_ options: CrossingOptions) -> [(name: String, value: String)] {
    var result = [("rule", options.rule.name), ("max-gap", seconds(options.maximumGap))]
    if let dwell = options.dwell { result.append(("dwell", seconds(dwell))) }
    if case .coreLocation(let parameters) = options.rule {
      result.append(("cushion", "\(plain(parameters.cushion)) m"))
      result.append(("remain", seconds(parameters.timeToRemain)))
    }
    return result
  }

  private static func seconds(_ duration: Duration) -> String { "\(plain(duration / .seconds(1))) s" }

  /// Without the fraction of a whole number.
  private static func plain(_ value: Double) -> String {
    Int(exactly: value).map { String($0) } ?? "\(value)"
  }
}
