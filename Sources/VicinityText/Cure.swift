/// What a caller can do about an error, where an option is the answer.
///
/// Messages contain the words below, by which a program that has options of its own finds out which of them
/// to name.
package enum Cure: String, CaseIterable, Sendable {
  /// Times without a zone: ``ReadingOptions/zone``.
  case utcOffset
  /// Fixes out of order: ``ReadingOptions/sorts``.
  case sort
  /// Points without a radius: ``ReadingOptions/defaultRadius``.
  case defaultRadius
  /// Identifiers that repeat: ``ReadingOptions/identifierField``, ``ReadingOptions/mergesIdentifiers``.
  case identifier
  /// Nothing that holds identifiers: ``ReadingOptions/identifierField``. This one is of warnings.
  case unnamed
  /// Tracks that may be of several devices: ``ReadingOptions/identifierField``,
  /// ``ReadingOptions/isSingleDevice``.
  case device
  /// No column for latitudes or longitudes: ``ReadingOptions/latitudeField``,
  /// ``ReadingOptions/longitudeField``.
  case coordinateField
  /// No column for times: ``ReadingOptions/timeField``.
  case timeField
  /// Times far ahead of the clock: ``ReadingOptions/notAfter``.
  case notAfter
  /// Times that are numbers of something else than seconds: ``ReadingOptions/timeUnit``. Of errors and of
  /// notes.
  case timeUnit
  /// Edges across more than half a turn: ``ReadingOptions/wideEdges``.
  case wideEdges
  /// Files with several layers: ``ReadingOptions/layer``.
  case layer
  /// Systems that have only ballpark transformations: ``ReadingOptions/allowsBallparkTransformations``.
  case ballpark
  /// Bad rows: ``ReadingOptions/skipInvalid``.
  case skipInvalid

  /// The words of messages that this is the cure of.
  package var words: String { allWords[0] }

  package var allWords: [String] {
    switch self {
    case .utcOffset: ["has no zone"]
    case .sort: ["time runs backwards"]
    case .defaultRadius: ["points without a radius", "the radius is missing"]
    case .identifier: ["is already that of"]
    case .unnamed: ["for identifiers"]
    case .device: ["no column or field names devices"]
    case .coordinateField: ["no column \"latitude\"", "no column \"longitude\""]
    case .timeField: ["no column \"time\"", "no times: a field"]
    case .notAfter: ["is more than a day after its arrival"]
    case .timeUnit: ["is too large for Unix seconds", "that are read as seconds"]
    case .wideEdges: ["may be meant straight or across the antimeridian"]
    case .layer: ["several layers have features"]
    case .ballpark: ["only by a ballpark transformation"]
    case .skipInvalid: [" bad row"]
    }
  }

  /// Whether this is a cure of an error that says `text`.
  package func fits(_ text: String) -> Bool { allWords.contains { text.contains($0) } }
}
