/// The columns of a table of answers, in their order, and how its numbers are written. The only list: what
/// writes, hands over or describes such a table takes it from here.
package struct TableColumns: Sendable {
  package let names: [String]

  /// A row for each region near a position, or around it.
  package static let neighbors = TableColumns(
    names: ["query", "rank", "region", "boundary_distance", "centre_distance"])
  /// A row for each entry, exit or other event.
  package static let events = TableColumns(
    names: ["device", "time", "region", "kind", "latitude", "longitude", "inferred"])
  /// A row for each time within a region.
  package static let stays = TableColumns(
    names: ["device", "region", "enter", "exit", "duration", "open", "inferred"])

  /// Digits after the point of degrees: a millimetre.
  package static let coordinateDecimals = 8
  /// Digits after the point of durations, seconds.
  package static let durationDecimals = 3

  /// The names as the header of CSV, without a line end.
  package var header: String { names.joined(separator: ",") }
}
