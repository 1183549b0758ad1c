internal import VicinityText

/// Finds points that repeat an identifier.
///
/// Only hashes are kept, and only those of the first ``maximumCount`` identifiers, so that any number of
/// points can be read in bounded memory. Two identifiers with one hash of 64 bits are taken for one, which
/// makes a warning too many.
struct RepeatedPoints {
  /// 16 MB of hashes.
  static let maximumCount = 1 << 20

  private var hashes: Set<Int> = []
  /// The first point that repeats an identifier.
  private var first: (number: Int64, identifier: String)?
  private var count = 0

  /// Takes in the next point's identifier.
  ///
  /// - Parameter number: Its line or feature.
  mutating func add(_ identifier: UnsafeBufferPointer<UInt8>, _ number: Int64) {
    var hasher = Hasher()
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(identifier))
    let hash = hasher.finalize()
    let isNew = hashes.count < Self.maximumCount ? hashes.insert(hash).inserted : !hashes.contains(hash)
    if isNew { return }
    count += 1
    if first == nil { first = (number, unsafe TextCheck.shown(identifier)) }
  }

  /// What to say of the first of them; `nil` where there is none.
  var warning: (number: Int64, message: String)? {
    guard let first else { return nil }
    let more = count == 1 ? "" : "; \(count) points in all repeat an identifier"
    return (first.number, "the identifier \(first.identifier) is that of an earlier point too\(more)")
  }
}
