package import VicinityCrossings

extension TimeText {
  /// The instant that a text states, as a track's row would: ISO 8601 with a zone, or seconds since 1970; nil for any other.
  package static func parsed(_ text: String) -> Timestamp? {
    var parser = TimeParser()
    var bytes = Array(text.utf8)
    let value = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      // SAFETY: the bytes are only read, while they are there.
      unsafe parser.parse(UnsafeBufferPointer(buffer))
    }
    guard case .value(let time) = value else { return nil }
    return time
  }
}
