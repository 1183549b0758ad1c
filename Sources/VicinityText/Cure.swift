/// What a caller can do about an error or a warning, where an option is the answer.
///
/// ``FormatError/cures`` and ``Diagnostic/cure`` have them; a program that has options of its own says which
/// of those it means.
public enum Cure: String, CaseIterable, Sendable {
  /// Times without a zone: ``ReadingOptions/zone``.
  case utcOffset
  /// Fixes out of order: ``ReadingOptions/sorts``.
  case sort
  /// Points without a radius: ``ReadingOptions/defaultRadius``, ``ReadingOptions/radiusField``.
  case defaultRadius
  /// Fixes out of order in GPX: ``ReadingOptions/sorts``, ``ReadingOptions/tracksAreDevices``.
  case sortTracks
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
}
