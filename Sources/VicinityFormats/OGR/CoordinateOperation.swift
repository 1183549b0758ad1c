internal import CPROJ
internal import VicinityGeodesy
internal import VicinityPolygon
internal import VicinityText

/// The way from a coordinate reference system to WGS84: PROJ's operations, of which it takes the best for
/// each position.
///
/// GDAL's own transformations do not say which operation they take, and take ballpark ones where there is no
/// other. PROJ's default choice is kept: among the operations whose area of use holds the position, the most
/// accurate whose grids are there.
///
/// One PROJ context each, which is not shared between threads.
@safe final class CoordinateOperation {
  /// An operation that was taken.
  struct Step: Equatable {
    var name: String
    /// `nil` where PROJ does not know it.
    var accuracy: Meters?
  }

  /// What a ballpark transformation is, for messages.
  static let ballpark = "a ballpark transformation, which leaves out the shift between datums"

  private let context: OpaquePointer
  private let operation: OpaquePointer
  /// The operations taken so far, in the order of their first use.
  private(set) var steps: [Step] = []
  /// Where PROJ keeps the names of `steps`, and the one taken last: comparing addresses is enough to find a
  /// new one.
  private var addresses: [UnsafePointer<CChar>] = unsafe []
  private var last: UnsafePointer<CChar>?

  /// The way from the system that `wkt` describes, in the order of its own axes.
  ///
  /// - Parameters:
  ///   - name: What messages call the system.
  ///   - allowsBallpark: Whether a ballpark transformation will do where there is no other.
  init(wkt: UnsafePointer<CChar>, name: String, allowsBallpark: Bool) throws(GeometryFault) {
    guard let context = unsafe proj_context_create() else { throw GeometryFault("no memory for PROJ") }
    // Failures are asked for; nothing is printed, and nothing fetched over a network.
    unsafe proj_log_func(context, nil, { _, _, _ in })
    _ = unsafe proj_context_set_enable_network(context, 0)
    let source = unsafe proj_create(context, wkt)
    let target = unsafe proj_create(context, "EPSG:4326")
    defer {
      unsafe proj_destroy(source)
      unsafe proj_destroy(target)
    }
    guard let source = unsafe source else {
      unsafe proj_context_destroy(context)
      throw GeometryFault("PROJ does not understand \(name)")
    }
    guard let target = unsafe target else {
      unsafe proj_context_destroy(context)
      throw GeometryFault("PROJ's database is not there, or damaged: WGS84 is not in it")
    }
    var operation = unsafe Self.operation(context, source, target, allowsBallpark: false)
    if unsafe operation == nil {
      let ballpark = unsafe Self.operation(context, source, target, allowsBallpark: true)
      guard allowsBallpark, unsafe ballpark != nil else {
        let isThere = unsafe ballpark != nil
        unsafe proj_destroy(ballpark)
        unsafe proj_context_destroy(context)
        guard isThere else { throw GeometryFault("PROJ knows no way from \(name) to WGS84") }
        throw GeometryFault(
          "\(name) can be brought to WGS84 only by a ballpark transformation, which leaves out the shift between"
            + " datums and may be wrong by hundreds of metres", decision: .ballpark)
      }
      unsafe operation = unsafe ballpark
    }
    guard let operation = unsafe operation else { preconditionFailure("a failure has been thrown above") }
    unsafe self.context = unsafe context
    unsafe self.operation = unsafe operation
  }

  deinit {
    unsafe proj_destroy(operation)
    unsafe proj_context_destroy(context)
  }

  private static func operation(
    _ context: OpaquePointer, _ source: OpaquePointer, _ target: OpaquePointer, allowsBallpark: Bool
  ) -> OpaquePointer? {
    unsafe "ALLOW_BALLPARK=\(allowsBallpark ? "YES" : "NO")".withCString { option in
      var options: [UnsafePointer<CChar>?] = unsafe [option, nil]
      return unsafe proj_create_crs_to_crs_from_pj(context, source, target, nil, &options)
    }
  }

  /// The position on WGS84 of `first` and `second`, in the order of the system's axes; `nil` where PROJ finds
  /// none.
  func coordinate(_ first: Double, _ second: Double) -> Coordinate? {
    _ = unsafe proj_errno_reset(operation)
    let result = unsafe proj_trans(operation, PJ_FWD, proj_coord(first, second, 0, .infinity))
    let (latitude, longitude) = unsafe (result.v.0, result.v.1)
    guard latitude.isFinite, longitude.isFinite else { return nil }
    let info = unsafe proj_pj_info(operation)
    if unsafe info.description != last {
      unsafe last = unsafe info.description
      unsafe note(info)
    }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// The way back: a position in the order of the system's axes; `nil` where PROJ finds none.
  func position(of coordinate: Coordinate) -> (Double, Double)? {
    _ = unsafe proj_errno_reset(operation)
    let result = unsafe proj_trans(
      operation, PJ_INV, proj_coord(coordinate.latitude, coordinate.longitude, 0, .infinity))
    let (first, second) = unsafe (result.v.0, result.v.1)
    return first.isFinite && second.isFinite ? (first, second) : nil
  }

  private func note(_ info: PJ_PROJ_INFO) {
    guard let address = unsafe info.description, unsafe !addresses.contains(address) else { return }
    unsafe addresses.append(address)
    let accuracy = unsafe info.accuracy
    steps.append(
      Step(name: unsafe String(cString: address), accuracy: accuracy >= 0 ? accuracy : nil))
  }

  /// Why the last position has none on WGS84, in PROJ's words.
  var failure: String? {
    let code = unsafe proj_errno(operation)
    guard code != 0 else { return nil }
    return unsafe proj_context_errno_string(context, code).map { unsafe String(cString: $0) }
  }
}

extension CoordinateOperation.Step: CustomStringConvertible {
  /// The name and the accuracy, for people.
  var description: String {
    let isBallpark = name.contains("Ballpark")
    let text =
      if let accuracy { "accurate to \(Self.metres(accuracy)) m" } else { "of unknown accuracy" }
    return "\"\(name)\", " + (isBallpark ? "\(CoordinateOperation.ballpark), " : "") + text
  }

  private static func metres(_ value: Meters) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
