public import VicinitySimulation

/// The same study on several phones, side by side, and whether they lead to the same choice.
public struct PhoneComparison: Sendable {
  /// One phone's study.
  public struct Entry: Sendable {
    public var profile: DeviceProfile
    public var cards: [ScoreCard]
    /// The search for the cheapest policy that meets the requirement; nil without one.
    public var answer: SearchOutcome?

    public init(_ result: StudyResult, _ answer: SearchOutcome? = nil) {
      profile = result.profile
      cards = result.cards
      self.answer = answer
    }

    /// The name of the policy that is chosen for this phone, without its settings: of the search's answer if
    /// it is met, otherwise nil. Without a search it is the cheapest policy with at least
    /// ``PhoneComparison/sufficientRecall``.
    public var choice: String? { chosenCard.map { String($0.policy.prefix { $0 != ":" }) } }

    /// The figures of that policy: confirmed ones with a search.
    public var chosenCard: ScoreCard? {
      if let answer { return answer.best }
      let enough = cards.filter { ($0.value(.recall) ?? 0) >= PhoneComparison.sufficientRecall }
      return enough.min { ($0.value(.energy) ?? .infinity) < ($1.value(.energy) ?? .infinity) }
    }
  }

  /// The recall that a policy needs to be chosen where nothing is required.
  public static let sufficientRecall = 0.9

  public var entries: [Entry]

  public init(_ entries: [Entry]) { self.entries = entries }

  /// Whether all phones lead to the same policy, whatever its settings.
  public var isUnanimous: Bool {
    guard let first = entries.first?.choice else { return false }
    return entries.allSatisfy { $0.choice == first }
  }

  /// The comparison in a sentence or two.
  public var words: String {
    let isSearch = entries.contains { $0.answer != nil }
    let choices = entries.map { "\($0.profile.name): \($0.chosenCard?.policy ?? "none")" }.joined(
      separator: ", ")
    let question = isSearch ? "meets the requirement" : "notices 90 % of crossings"
    if entries.allSatisfy({ $0.choice == nil }) { return "No policy \(question) on any of these phones." }
    var words = "The cheapest policy that \(question) "
    if !isUnanimous {
      words += "depends on the phone (\(choices))."
    } else if Set(entries.map { $0.chosenCard?.policy }).count == 1 {
      words += "is the same on all phones (\(choices))."
    } else {
      words += "is the same on all phones, with settings of its own on each (\(choices))."
    }
    if isSearch {
      words += " It is sure on \(entries.count { $0.answer?.isSure == true }) of \(entries.count)."
    }
    return words
  }
}
