import Foundation

@testable import VicinityText

extension LocalZone {
  /// An offset, or the zone of a place by Foundation; nil for what is neither.
  init?(text: String) {
    if let zone = LocalZone(offset: text) {
      self = zone
      return
    }
    guard let zone = TimeZone(identifier: text) else { return nil }
    self.init(place: text) { Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0)))) }
  }
}
