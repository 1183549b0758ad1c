import VicinityCrossings
import VicinityFormats
import VicinityIndex

/// A fingerprint of a run's inputs and options: runs with the same fingerprint write the same bytes.
///
/// Regions enter by their content, tracks by path, size and time of the last change.
struct EventsQuestion {
  let fingerprint: UInt64

  /// The extended attribute of a finished file that holds the fingerprint.
  static let note = "user.vicinity.events"

  init(
    index: RegionIndex, tracks: [String], options: CrossingOptions, format: EventFormatter.Format,
    reading: [String]
  ) {
    var text = "regions=\(index.fingerprint)\nformat=\(format.rawValue)\n"
    text += "rule=\(options.rule)\n"
    text += "gap=\(options.maximumGap)\ndwell=\(options.dwell.map { "\($0)" } ?? "")\n"
    text += reading.joined(separator: "\n") + "\n"
    for path in tracks {
      let version = System.version(of: path)
      text += "\(path)\u{0}\(version?.size ?? -1)\u{0}\(version?.written ?? 0)\n"
    }
    fingerprint = Array(text.utf8).checksum
  }

  /// Records the fingerprint on a finished file.
  func mark(_ path: String) {
    var bytes: [UInt8] = []
    bytes.append(number: fingerprint)
    System.setNote(Self.note, bytes, onFileAt: path)
  }

  /// Whether the file at `path` has this fingerprint; `nil` if it has none.
  func isAnswered(by path: String) -> Bool? {
    guard let bytes = System.note(Self.note, onFileAt: path) else { return nil }
    var reader = ByteReader(bytes[...])
    guard let number: UInt64 = try? reader.number() else { return nil }
    return number == fingerprint
  }
}
