internal import CVicinity
internal import VicinityPolygon

/// Repair of polygons whose rings cross, by a function of the caller's: there is no GEOS here.
@safe struct PolygonRepair: @unchecked Sendable {
  // SAFETY: the header says that the function may be called on any thread, and on several at once.
  private let function: vicinity_repair
  private let context: UnsafeMutableRawPointer?

  /// nil where the caller gives no function.
  init?(_ function: vicinity_repair?, _ context: UnsafeMutableRawPointer?) {
    guard let function = unsafe function else { return nil }
    unsafe (self.function, self.context) = (function, context)
  }

  /// What the caller's function has answered.
  private final class Answer {
    var bytes: [UInt8] = []
  }

  /// The parts made valid; nil where the function cannot repair anything.
  ///
  /// - Throws: `PolygonError.repairFailed(reason:)`
  func repaired(_ parts: [PlanarPart]) throws(PolygonError) -> [PlanarPart]? {
    let answer = Answer()
    let given = Self.text(of: parts)
    let code = unsafe given.withUnsafeBufferPointer { bytes in
      unsafe function(
        context, bytes.baseAddress, bytes.count,
        { sink, bytes, count in
          guard let sink = unsafe sink, let bytes = unsafe bytes, count >= 0 else { return }
          unsafe Unmanaged<Answer>.fromOpaque(sink).takeUnretainedValue().bytes = Array(
            UnsafeBufferPointer(start: bytes, count: count))
        }, Unmanaged.passUnretained(answer).toOpaque())
    }
    switch code {
    case 0: break
    case 1: return nil
    default: throw .repairFailed(reason: String(decoding: answer.bytes, as: UTF8.self))
    }
    // Nothing with an inside is left.
    if answer.bytes.isEmpty { return [] }
    let shape = unsafe answer.bytes.withUnsafeBytes { bytes in
      Result { () throws(GeometryFault) in try unsafe WKBReader.read(bytes) }
    }
    switch shape {
    case .success(.polygon(let parts)):
      return parts.map { rings in rings.map { ring in ring.map { SIMD2($0.x, $0.y) } } }
    case .success(.point): throw .repairFailed(reason: "what came back is a point")
    case .failure(let fault): throw .repairFailed(reason: "what came back is no polygon: \(fault.message)")
    }
  }

  /// A multipolygon as well-known binary.
  private static func text(of parts: [PlanarPart]) -> [UInt8] {
    var bytes: [UInt8] = []
    func put<T: FixedWidthInteger>(_ value: T) {
      var rest = value.littleEndian
      for _ in 0..<MemoryLayout<T>.size {
        bytes.append(UInt8(truncatingIfNeeded: rest))
        rest >>= 8
      }
    }
    func start(_ type: UInt32, _ count: Int) {
      put(UInt8(1))
      put(type)
      put(UInt32(truncatingIfNeeded: count))
    }
    start(6, parts.count)
    for part in parts {
      start(3, part.count)
      for ring in part {
        put(UInt32(truncatingIfNeeded: ring.count))
        for point in ring {
          put(point.x.bitPattern)
          put(point.y.bitPattern)
        }
      }
    }
    return bytes
  }
}
