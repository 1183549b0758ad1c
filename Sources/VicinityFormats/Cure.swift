/// What a caller can do about an error, where an option is the answer.
package enum Cure: String, CaseIterable, Sendable {
  /// Times without a zone: ``ReadingOptions/zone``.
  case utcOffset

  /// The words of messages that this is the cure of.
  package var words: String {
    switch self {
    case .utcOffset: "has no zone"
    }
  }
}
