internal import VicinityCrossings
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
    let vertices = chains.joined()
    var bytes = magic + [version]
    bytes += [UInt8](repeating: 0, count: 4 + 4 * chains.count + 16 * vertices.count)
    bytes.put(UInt32(truncatingIfNeeded: chains.count), at: 4)
    for (i, chain) in chains.enumerated() {
      bytes.put(UInt32(truncatingIfNeeded: chain.count), at: 8 + 4 * i)
    }
    for (i, vertex) in vertices.enumerated() {
      bytes.put(vertex.latitude, at: 8 + 4 * chains.count + 16 * i)
      bytes.put(vertex.longitude, at: 16 + 4 * chains.count + 16 * i)
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
    let chainCount = Int(bytes.number(4, as: UInt32.self))
    // Before anything is made of it: each chain takes four bytes here and two vertices.
    guard chainCount <= (bytes.count - 8) / 36 else {
      throw .truncated(expectedBytes: 8 + 36 * chainCount, actualBytes: bytes.count)
    }
    let counts = (0..<chainCount).map { Int(bytes.number(8 + 4 * $0, as: UInt32.self)) }
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
          Coordinate(latitude: bytes.number(offset + 16 * i), longitude: bytes.number(offset + 16 * i + 8))
        })
      offset += 16 * count
    }
    do {
      return try Polygon(chains: chains)
    } catch {
      throw .invalid(error)
    }
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
