internal import VicinityGeodesy
internal import VicinityIndex
package import VicinityPolygon

/// A polygon as stores keep it: its vertices, from which it is packed again.
///
/// Little-endian, and no more than it has to say, so that it outlives the ways of packing:
///
/// | bytes | contents |
/// | --- | --- |
/// | 4 | `VPR` and the version: 2 where the region lies in a circle smaller than a hemisphere, else 1 |
/// | 4 | the number of chains, UInt32; 0 for the whole Earth |
/// | 4 each | the number of a chain's vertices, UInt32, 2 or more |
/// | 16 each | latitude and longitude of the vertices, `Float64`, chain after chain |
///
/// A closed chain repeats its first vertex at its end; the region lies on the left.
package enum PolygonRecord {
  private static let magic: [UInt8] = Array("VPR".utf8)
  private static let (version, boundedVersion): (UInt8, UInt8) = (1, 2)

  /// The record of a polygon.
  ///
  /// - Complexity: O(n)
  package static func bytes(of polygon: Polygon) -> [UInt8] {
    let chains = polygon.chains
    let isBounded = polygon.boundingRadius < Polygon.unboundedRadius
    var bytes = magic + [isBounded ? boundedVersion : version]
    bytes.append(number: UInt32(truncatingIfNeeded: chains.count))
    for chain in chains { bytes.append(number: UInt32(truncatingIfNeeded: chain.count)) }
    for vertex in chains.joined() {
      bytes.append(number: vertex.latitude)
      bytes.append(number: vertex.longitude)
    }
    return bytes
  }

  /// The polygon of a record.
  ///
  /// - Throws: ``PolygonRecordError`` for bytes that are no polygon's record.
  /// - Complexity: O(n)
  package static func polygon(_ bytes: [UInt8]) throws(PolygonRecordError) -> Polygon {
    guard bytes.count >= 8, Array(bytes[..<3]) == magic else { throw .notARecord }
    guard bytes[3] == version || bytes[3] == boundedVersion else {
      throw .unsupportedVersion(found: Int(bytes[3]), supported: Int(boundedVersion))
    }
    do {
      return try Polygon(chains: chains(in: bytes), isBounded: bytes[3] == boundedVersion)
    } catch let error as PolygonError {
      throw .invalid(error)
    } catch let error as PolygonRecordError {
      throw error
    } catch {
      throw .notARecord
    }
  }

  private static func chains(in bytes: [UInt8]) throws -> [[Coordinate]] {
    var reader = ByteReader(bytes[4...])
    let chainCount = Int(try reader.number(as: UInt32.self))
    // Before anything is made of it: each chain takes four bytes here and two vertices.
    guard chainCount <= reader.remaining / 36 else {
      throw PolygonRecordError.truncated(expectedBytes: 8 + 36 * chainCount, actualBytes: bytes.count)
    }
    var counts: [Int] = []
    for _ in 0..<chainCount { counts.append(Int(try reader.number(as: UInt32.self))) }
    let vertexCount = counts.reduce(0, +)
    guard 16 * vertexCount == reader.remaining else {
      throw PolygonRecordError.truncated(
        expectedBytes: bytes.count - reader.remaining + 16 * vertexCount, actualBytes: bytes.count)
    }
    return try counts.map { count in
      try (0..<count).map { _ in Coordinate(latitude: try reader.double(), longitude: try reader.double()) }
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
