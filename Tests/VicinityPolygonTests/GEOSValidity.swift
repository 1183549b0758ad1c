import CGEOS

@testable import VicinityPolygon

/// GEOS's verdicts on planar polygons: the oracle of ``PlanarSweep``.
@safe
struct GEOSValidity: ~Copyable {
  private let handle: GEOSContextHandle_t

  struct Unavailable: Error {}

  init() throws {
    guard let handle = unsafe GEOS_init_r() else { throw Unavailable() }
    unsafe self.handle = unsafe handle
  }

  deinit { unsafe GEOS_finish_r(handle) }

  /// GEOS's reason for calling the polygons invalid, "" for valid ones, and `nil` where GEOS fails.
  borrowing func reason(_ parts: [PlanarPart]) -> String? {
    guard let geometry = unsafe geometry(parts) else { return nil }
    defer { unsafe GEOSGeom_destroy_r(handle, geometry) }
    var reason: UnsafeMutablePointer<CChar>?
    var location: OpaquePointer?
    let answer = unsafe GEOSisValidDetail_r(handle, geometry, 0, &reason, &location)
    defer {
      if let reason = unsafe reason { unsafe GEOSFree_r(handle, reason) }
      if let location = unsafe location { unsafe GEOSGeom_destroy_r(handle, location) }
    }
    if answer == 1 { return "" }
    guard answer == 0 else { return nil }
    return unsafe reason.map { unsafe String(cString: $0) } ?? "invalid"
  }

  /// A geometry to ask ``isValid(_:)`` about many times; to be given to ``destroy(_:)``.
  borrowing func geometry(_ parts: [PlanarPart]) -> OpaquePointer? {
    var polygons: [OpaquePointer?] = unsafe []
    for part in parts {
      var rings: [OpaquePointer?] = unsafe part.map { ring in
        let sequence = unsafe ring.withUnsafeBytes { bytes in
          // SAFETY: SIMD2<Double> is two doubles without padding, the layout GEOS asks for.
          unsafe GEOSCoordSeq_copyFromBuffer_r(
            handle, bytes.bindMemory(to: Double.self).baseAddress, UInt32(ring.count), 0, 0)
        }
        return unsafe sequence.flatMap { unsafe GEOSGeom_createLinearRing_r(handle, $0) }
      }
      // A ring that GEOS does not take, of two points for example, fails the whole. What was made is lost: a
      // test's leak.
      guard unsafe rings.allSatisfy({ unsafe $0 != nil }), unsafe !rings.isEmpty else { return nil }
      let exterior = unsafe rings.removeFirst()
      let polygon = unsafe GEOSGeom_createPolygon_r(handle, exterior, &rings, UInt32(rings.count))
      guard unsafe polygon != nil else { return nil }
      unsafe polygons.append(polygon)
    }
    return unsafe GEOSGeom_createCollection_r(
      handle, Int32(GEOS_MULTIPOLYGON.rawValue), &polygons, UInt32(polygons.count))
  }

  borrowing func isValid(_ geometry: OpaquePointer) -> Bool { unsafe GEOSisValid_r(handle, geometry) == 1 }

  borrowing func destroy(_ geometry: OpaquePointer) { unsafe GEOSGeom_destroy_r(handle, geometry) }
}

/// What two validators must agree on: the kind of fault, since among several faults either may name another
/// one first.
enum FaultKind: Hashable, CaseIterable {
  case valid, collapsed, intersection, nesting, disconnected

  init(_ fault: PlanarFault?) {
    self =
      switch fault?.reason {
      case nil: .valid
      case .collapsedRing: .collapsed
      case .ringCrossesItself, .ringOverlapsItself, .ringTouchesItself, .ringsCross, .ringsOverlap,
        .duplicateRings:
        .intersection
      case .holeOutsideExterior, .nestedHoles, .nestedExteriors: .nesting
      case .disconnectedInterior: .disconnected
      }
  }

  /// - Parameter reason: GEOS's words.
  init?(_ reason: String) {
    switch reason {
    case "": self = .valid
    case "Too few points in geometry component": self = .collapsed
    case "Self-intersection", "Ring Self-intersection": self = .intersection
    case "Hole lies outside shell", "Holes are nested", "Nested shells": self = .nesting
    case "Interior is disconnected": self = .disconnected
    default: return nil
    }
  }
}
