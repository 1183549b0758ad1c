import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityPolygon

/// Bytes at an address that is a multiple of 64, changed at will.
@safe final class AlignedBytes {
  let buffer: UnsafeMutableRawBufferPointer

  init(_ blob: PolygonBlob) {
    unsafe buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blob.byteCount, alignment: 64)
    unsafe blob.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
  }

  deinit { unsafe buffer.deallocate() }
}

@Suite("Polygon bytes")
struct PolygonBlobTests {
  private func sample(_ count: Int, seed: UInt64) throws -> Polygon {
    var random = SplitMix64(seed: seed)
    return try Polygon(
      exterior: PolygonSample.star(
        Coordinate(latitude: 47, longitude: 11), count: count, radii: 20_000...60_000, &random))
  }

  @Test("A copy of the bytes is the polygon")
  func roundTrip() throws {
    for count in [3, 7, 15, 16, 17, 32, 33, 100, 255, 256, 257, 300, 4096, 4097] {
      let polygon = try sample(count, seed: UInt64(count))
      let bytes = AlignedBytes(polygon.blob)
      let copy = Polygon(blob: try unsafe PolygonBlob(validating: UnsafeRawBufferPointer(bytes.buffer)))
      #expect(copy == polygon && copy.chains == polygon.chains)
      #expect(polygon.blob.byteCount % 64 == 0)
      #expect(polygon.edgeCount == count && copy.vertexCount == count)
    }
  }

  @Test("Cut short at every length")
  func truncation() throws {
    let bytes = AlignedBytes(try sample(20, seed: 1).blob)
    let whole = unsafe bytes.buffer.count
    for length in 0..<whole {
      #expect(throws: PolygonBlobError.self) {
        try unsafe PolygonView.validate(UnsafeRawBufferPointer(rebasing: bytes.buffer[..<length]))
      }
    }
  }

  @Test("Damaged bytes are refused, or searched without harm")
  func damage() throws {
    var random = SplitMix64(seed: 77)
    var accepted = 0
    for count in [3, 40, 150, 700] {
      let polygon = try sample(count, seed: UInt64(count))
      for _ in 0..<5000 {
        let bytes = AlignedBytes(polygon.blob)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let isHeader = random.unit() < 0.3
          let offset = unsafe Int.random(in: 0..<(isHeader ? 320 : bytes.buffer.count), using: &random)
          let old = unsafe bytes.buffer[offset]
          unsafe bytes.buffer[offset] =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: old ^ (1 << UInt8.random(in: 0..<8, using: &random))
            case 1: 0
            case 2: 0xFF
            default: UInt8.random(in: 0...255, using: &random)
            }
        }
        let raw = unsafe UnsafeRawBufferPointer(bytes.buffer)
        guard (try? unsafe PolygonView.validate(raw)) != nil, let base = raw.baseAddress else {
          continue
        }
        accepted += 1
        let view = unsafe PolygonView(base: base)
        for _ in 0..<3 {
          let position =
            random.unit() < 0.1 ? random.coordinate() : Coordinate(latitude: 47, longitude: 11)
          let ecef = ECEF(unchecked: position)
          _ = view.signedBoundaryDistance(from: position, ecef: ecef)
          _ = view.contains(position, ecef: ecef)
          if let point = view.nearestBoundaryPoint(to: position, ecef: ecef) {
            _ = view.coordinate(of: point)
          }
        }
        _ = view.chains
      }
    }
    #expect(accepted > 1000)
  }

  @Test("Hostile headers")
  func hostile() throws {
    let polygon = try sample(40, seed: 2)
    for (offset, size) in [
      (0, 4), (4, 4), (8, 4), (12, 4), (40, 4), (52, 4), (256, 8), (264, 4), (268, 4), (288, 8), (296, 8),
    ] {
      let bytes = AlignedBytes(polygon.blob)
      for i in 0..<size { unsafe bytes.buffer[offset + i] = 0xFF }
      #expect(throws: PolygonBlobError.self, "field at \(offset)") {
        try unsafe PolygonView.validate(UnsafeRawBufferPointer(bytes.buffer))
      }
    }
    let bytes = AlignedBytes(polygon.blob)
    #expect(throws: PolygonBlobError.self) {
      try unsafe PolygonView.validate(UnsafeRawBufferPointer(rebasing: bytes.buffer[8...]))
    }
  }
}
