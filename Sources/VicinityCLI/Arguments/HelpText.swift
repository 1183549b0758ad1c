import VicinityFormats

/// Parts of help texts that the argument parser would break in the wrong places: it wraps lines at 80 columns
/// without an indent.
enum HelpText {
  /// The formats of vector files, beside GPX.
  static let vectorFormats = RegionReader.vectorFormats.joined(separator: ", ")

  /// What tracks may be.
  static let tracks =
    TrackReader.formats.joined(separator: ", ")
    + "; rows have device,time,latitude,longitude and perhaps accuracy,speed,course"

  private static let width = 79

  /// An entry of a list: a name, and what it is, which goes on under itself.
  static func entry(_ name: String, _ text: String) -> String {
    var lines: [String] = []
    var line = "  \(name):"
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > width {
        lines.append(line)
        line = "   "
      }
      line += " \(word)"
    }
    return (lines + [line]).joined(separator: "\n")
  }
}
