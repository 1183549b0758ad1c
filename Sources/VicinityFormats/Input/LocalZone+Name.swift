internal import Foundation
public import VicinityText

extension LocalZone {
  /// `Z`, `UTC`, an offset such as `+02:00`, `+0200` or `+02`, or the name of a place's zone such as
  /// `Europe/Berlin`. Abbreviations are refused: `CST` is used in Chicago, in Havana and in Shanghai.
  ///
  /// - Throws: `FormatError/invalidOption(name:value:reason:)` for anything else.
  public init(_ text: String) throws(FormatError) {
    if let zone = LocalZone(offset: text) {
      self = zone
      return
    }
    guard text.contains("/"), let zone = TimeZone(identifier: text) else {
      throw .invalidOption(
        name: "zone", value: "\"\(text)\"",
        reason:
          "an offset such as +02:00, Z, UTC or the name of a zone such as Europe/Berlin is expected")
    }
    self.init(place: text) { Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0)))) }
  }
}
