internal import VicinityGeodesy
package import VicinityIndex

/// A polygon as stores keep it: its vertices, from which it is packed again.
///
/// Little-endian, and no more than it has to say, so that it outlives the ways of packing:
///
/// | bytes | contents |
/// | --- | --- |
/// | 4 | `VPR` and the version, 1 |
/// | 4 | the number of chains, UInt32; 0 for the whole Earth |
/// | 4 each | the number of a chain's vertices, UInt32, 2 or more |
/// | 16 each | latitude and longitude of the vertices, `Float64`, chain after chain |
///
/// A closed chain repeats its first vertex at its end; the region lies on the left.
package enum PolygonRecord {
  private static let magic: [UInt8] = Array("VPR".utf8)
  private static let version: UInt8 = 1

  /// The record of a polygon.
  ///
  /// - Complexity: O(n)
  package static func bytes(of polygon: Polygon) -> [UInt8] {
    let chains = polygon.chains
    var bytes = magic + [version]
    bytes.reserveCapacity(8 + chains.reduce(0) { $0 + 4 + 16 * $1.count })
    put(UInt32(truncatingIfNeeded: chains.count), in: &bytes)
    for chain in chains { put(UInt32(truncatingIfNeeded: chain.count), in: &bytes) }
    for chain in chains {
      for vertex in chain {
        put(vertex.latitude.bitPattern, in: &bytes)
        put(vertex.longitude.bitPattern, in: &bytes)
      }
    }
    return bytes
  }

  /// The polygon of a record.
  ///
  /// - Throws: ``PolygonRecordError`` for bytes that are no polygon's record.
  /// - Complexity: O(n)
  package static func polygon(_ bytes: [UInt8]) throws(PolygonRecordError) -> Polygon {
    guard bytes.count >= 8, Array(bytes[..<3]) == magic else { throw .notARecord }
    guard bytes[3] == version else {
      throw .unsupportedVersion(found: Int(bytes[3]), supported: Int(version))
    }
    let chainCount = Int(word32(bytes, 4))
    // Before anything is made of it: each chain takes four bytes here and two vertices.
    guard chainCount <= (bytes.count - 8) / 36 else {
      throw .truncated(expectedBytes: 8 + 36 * chainCount, actualBytes: bytes.count)
    }
    let counts = (0..<chainCount).map { Int(word32(bytes, 8 + 4 * $0)) }
    let expected = 8 + 4 * chainCount + 16 * counts.reduce(0, +)
    guard expected == bytes.count else {
      throw .truncated(expectedBytes: expected, actualBytes: bytes.count)
    }
    var offset = 8 + 4 * chainCount
    var chains: [[Coordinate]] = []
    chains.reserveCapacity(chainCount)
    for count in counts {
      chains.append(
        (0..<count).map { i in
          Coordinate(
            latitude: Double(bitPattern: word64(bytes, offset + 16 * i)),
            longitude: Double(bitPattern: word64(bytes, offset + 16 * i + 8)))
        })
      offset += 16 * count
    }
    do {
      return try Polygon(chains: chains)
    } catch {
      throw .invalid(error)
    }
  }

  private static func put(_ value: some FixedWidthInteger, in bytes: inout [UInt8]) {
    var value = value
    for _ in 0..<value.bitWidth / 8 {
      bytes.append(UInt8(truncatingIfNeeded: value))
      value >>= 8
    }
  }

  private static func word32(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
  }

  private static func word64(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }
}

/// Bytes that are no polygon's record.
package enum PolygonRecordError: Error, Hashable, Sendable {
  case notARecord
  case unsupportedVersion(found: Int, supported: Int)
  /// Fewer bytes than there should be, or more.
  case truncated(expectedBytes: Int, actualBytes: Int)
  case invalid(PolygonError)
}

extension PolygonRecordError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notARecord: "not a polygon's record"
    case .unsupportedVersion(let found, let supported):
      "a polygon's record of version \(found) (supported: \(supported))"
    case .truncated(let expected, let actual): "a polygon's record of \(actual) bytes in place of \(expected)"
    case .invalid(let error): error.description
    }
  }
}
