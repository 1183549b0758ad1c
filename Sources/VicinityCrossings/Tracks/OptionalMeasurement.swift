package import VicinityGeodesy

/// What values beside a fix mean that stand for "not available": the one rule for readers of every format.
///
/// No crossing needs a speed or a course, so a value that cannot be one is unknown, and never makes a row
/// bad.
package enum OptionalMeasurement {
  /// What is known of a speed or a course.
  package enum Reading: Hashable, Sendable {
    case known(Double)
    /// The source says that it is not known: negative (Core Location), NaN.
    case unknown
    /// It cannot be right, or is a source's number for "not available": AIS's heading 511.
    case outOfRange
  }

  /// How Fix states that a speed or a course is not known.
  package static let unknown = -1.0

  /// A course of `degrees` clockwise from north; 360 is 0.
  @inline(__always)
  package static func course(_ degrees: Double) -> Reading {
    if degrees >= 0, degrees < 360 { return .known(degrees) }
    if degrees == 360 { return .known(0) }
    return degrees < 0 && degrees.isFinite || degrees.isNaN ? .unknown : .outOfRange
  }

  /// A speed over the ground, metres a second.
  @inline(__always)
  package static func speed(_ metersPerSecond: Double) -> Reading {
    if metersPerSecond >= 0, metersPerSecond.isFinite { return .known(metersPerSecond) }
    return metersPerSecond < 0 && metersPerSecond.isFinite || metersPerSecond.isNaN ? .unknown : .outOfRange
  }

  /// Whether a position is AIS's for "not available": latitude 91 with longitude 181. It is dropped and
  /// counted as a fix of negative accuracy is.
  @inline(__always)
  package static func isNoPosition(_ coordinate: Coordinate) -> Bool {
    coordinate.latitude == 91 && coordinate.longitude == 181
  }

  /// Whether `text`, without blanks around it, is a word for "no value": empty, `null`, `nan`, `na`, `n/a`,
  /// `#n/a`, `none`, `nil`, `unknown`, `-`, `--`, `?`, `\n` in two characters; case does not matter.
  package static func isAbsent(_ text: some Collection<UInt8>) -> Bool {
    guard text.count <= 7 else { return false }
    let lower = text.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    return absentWords.contains { lower.elementsEqual($0.utf8) }
  }

  package static let absentWords = [
    "", "null", "nan", "na", "n/a", "#n/a", "none", "nil", "unknown", "-", "--", "?", "\\n",
  ]
}
