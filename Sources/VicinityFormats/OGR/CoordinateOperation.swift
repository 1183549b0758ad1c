internal import CPROJ
internal import VicinityGeodesy
internal import VicinityPolygon
internal import VicinityText

/// The way from a coordinate reference system to WGS84: PROJ's operations, of which it takes the best for
/// each position.
///
/// GDAL's own transformations do not say which operation they take, and take ballpark ones where there is no
/// other. PROJ's default choice is kept: among the operations whose area of use holds the position, the most
/// accurate whose grids are there. Where no area holds the position, PROJ takes any operation, of which the
/// result is not taken.
///
/// One PROJ context each, which is not shared between threads.
@safe final class CoordinateOperation {
  /// An operation that was taken.
  struct Step: Equatable {
    var name: String
    /// `nil` where PROJ does not know it.
    var accuracy: Meters?
  }

  /// A position is in no operation's area of use, and a ballpark transformation is not allowed, or leaves out
  /// more than the accuracy of an operation for elsewhere.
  struct OutOfAreas: Error {}

  /// Where an operation may be used.
  private struct Area {
    static let everywhere = Area(
      south: -.infinity, west: -.infinity, north: .infinity, east: .infinity)
    /// PROJ gives areas to a hundredth of a degree, and does not say on which datum.
    static let tolerance: Degrees = 0.01

    var south: Degrees
    var west: Degrees
    var north: Degrees
    /// At least `west`, if necessary by a turn.
    var east: Degrees

    /// The area of use of `operation`; everywhere for the formulas of projections alone, which hold outside
    /// it too, and where PROJ knows none.
    init(of operation: OpaquePointer, _ context: OpaquePointer) {
      var (west, south, east, north) = (0.0, 0.0, 0.0, 0.0)
      guard unsafe Self.shiftsDatum(operation, context),
        unsafe proj_get_area_of_use(context, operation, &west, &south, &east, &north, nil) != 0, south >= -90
      else {
        self = .everywhere
        return
      }
      self.init(
        south: south - Self.tolerance, west: west - Self.tolerance, north: north + Self.tolerance,
        east: (east < west ? east + 360 : east) + Self.tolerance)
    }

    private init(south: Degrees, west: Degrees, north: Degrees, east: Degrees) {
      (self.south, self.west, self.north, self.east) = (south, west, north, east)
    }

    private static func shiftsDatum(_ operation: OpaquePointer, _ context: OpaquePointer) -> Bool {
      switch unsafe proj_get_type(operation) {
      case PJ_TYPE_CONVERSION: return false
      case PJ_TYPE_CONCATENATED_OPERATION:
        return (0..<(unsafe proj_concatoperation_get_step_count(context, operation))).contains { i in
          guard let step = unsafe proj_concatoperation_get_step(context, operation, i) else { return false }
          defer { unsafe proj_destroy(step) }
          return unsafe shiftsDatum(step, context)
        }
      default: return true
      }
    }

    @inline(__always)
    func contains(_ place: Coordinate) -> Bool {
      guard place.latitude >= south, place.latitude <= north else { return false }
      return place.longitude >= west && place.longitude <= east || containsTurned(place.longitude)
    }

    private func containsTurned(_ longitude: Degrees) -> Bool {
      let offset = longitude - west
      return offset - 360 * (offset / 360).rounded(.down) <= east - west
    }
  }

  /// One of PROJ's operations.
  @safe private final class Choice {
    let step: Step
    let area: Area
    let isBallpark: Bool
    /// Whether a position has been brought to WGS84 by it.
    var isTaken = false
    private let operation: OpaquePointer

    /// Keeps `operation`, which is destroyed with it, before `context`.
    init(_ operation: OpaquePointer, _ context: OpaquePointer) {
      unsafe self.operation = unsafe operation
      let info = unsafe proj_pj_info(operation)
      step = unsafe Step(
        name: info.description.map { unsafe String(cString: $0) } ?? "",
        accuracy: info.accuracy >= 0 ? info.accuracy : nil)
      area = unsafe Area(of: operation, context)
      isBallpark = unsafe proj_coordoperation_has_ballpark_transformation(context, operation) != 0
    }

    deinit { unsafe proj_destroy(operation) }

    func coordinate(_ first: Double, _ second: Double) -> Coordinate? {
      _ = unsafe proj_errno_reset(operation)
      let result = unsafe proj_trans(operation, PJ_FWD, proj_coord(first, second, 0, .infinity))
      let (latitude, longitude) = unsafe (result.v.0, result.v.1)
      guard latitude.isFinite, longitude.isFinite else { return nil }
      return Coordinate(latitude: latitude, longitude: longitude)
    }
  }

  /// What a ballpark transformation is, for messages.
  static let ballpark = "a ballpark transformation, which leaves out the shift between datums"

  private let context: OpaquePointer
  private let source: OpaquePointer?
  private let target: OpaquePointer?
  private let allowsBallpark: Bool
  private let operation: OpaquePointer
  /// The operations taken so far, in the order of their first use.
  private(set) var steps: [Step] = []
  /// What PROJ has chosen so far, where it keeps their names, and the one chosen last: comparing addresses is
  /// enough to find a new one.
  private var choices: [Choice] = []
  private var addresses: [UnsafePointer<CChar>?] = unsafe []
  private var last = 0
  /// All operations but ballpark ones, the most accurate first, for positions outside the area of PROJ's
  /// choice.
  private lazy var others = operations(around: nil)
    .filter { !$0.isBallpark }
    .sorted { $0.step.accuracy ?? .infinity < $1.step.accuracy ?? .infinity }
  /// The ballpark transformation for positions in no area, once one was asked for.
  private var ballpark: Choice?

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
        throw Self.ballparkOnly(name)
      }
      unsafe operation = unsafe ballpark
    }
    guard let operation = unsafe operation else { preconditionFailure("a failure has been thrown above") }
    unsafe self.context = unsafe context
    unsafe self.source = unsafe proj_clone(context, source)
    unsafe self.target = unsafe proj_clone(context, target)
    self.allowsBallpark = allowsBallpark
    unsafe self.operation = unsafe operation
  }

  deinit {
    (choices, others, ballpark) = ([], [], nil)
    unsafe proj_destroy(operation)
    unsafe proj_destroy(source)
    unsafe proj_destroy(target)
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

  /// Why `what` is not brought to WGS84.
  static func ballparkOnly(_ what: String) -> GeometryFault {
    GeometryFault(
      "\(what) can be brought to WGS84 only by a ballpark transformation, which leaves out the shift between"
        + " datums and may be wrong by hundreds of metres", decision: .ballpark)
  }

  /// The position on WGS84 of `first` and `second`, in the order of the system's axes; `nil` where PROJ finds
  /// none.
  func coordinate(_ first: Double, _ second: Double) throws(OutOfAreas) -> Coordinate? {
    guard let place = roughCoordinate(first, second) else { return nil }
    let address = unsafe proj_pj_info(operation).description
    let isKnown = unsafe !choices.isEmpty && address == addresses[last]
    guard unsafe isKnown || choose(address) else { return nil }
    guard choices[last].area.contains(place) else { return try coordinate(first, second, near: place) }
    note(choices[last])
    return place
  }

  /// The position by PROJ's choice, in its area of use or not; it is not noted as a step.
  func roughCoordinate(_ first: Double, _ second: Double) -> Coordinate? {
    _ = unsafe proj_errno_reset(operation)
    let result = unsafe proj_trans(operation, PJ_FWD, proj_coord(first, second, 0, .infinity))
    let (latitude, longitude) = unsafe (result.v.0, result.v.1)
    guard latitude.isFinite, longitude.isFinite else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// The position by an operation whose area contains it.
  ///
  /// - Parameter place: The position by PROJ's choice, whose area does not.
  private func coordinate(
    _ first: Double, _ second: Double, near place: Coordinate
  ) throws(OutOfAreas) -> Coordinate? {
    // PROJ compares with a box around the area in the system's plane, which holds more than the area.
    for other in others where other.area.contains(place) {
      guard let found = other.coordinate(first, second) else { continue }
      note(other)
      return found
    }
    if ballpark == nil { ballpark = operations(around: place).first { $0.isBallpark } }
    guard let ballpark, let found = ballpark.coordinate(first, second) else { throw OutOfAreas() }
    // Datums such as NAD83 and ETRS89 are that of WGS84 but for metres, wherever they are used.
    let isOfOneDatum =
      Geodesic.uncheckedDistance(found, place) <= choices[last].step.accuracy ?? 0
    guard allowsBallpark || isOfOneDatum else { throw OutOfAreas() }
    note(ballpark)
    return found
  }

  /// Makes the operation that PROJ has used last the `last` one; false where PROJ does not tell it.
  private func choose(_ address: UnsafePointer<CChar>?) -> Bool {
    if let known = unsafe addresses.firstIndex(of: address) {
      last = known
      return true
    }
    guard let used = unsafe proj_trans_get_last_used_operation(operation) else { return false }
    unsafe choices.append(Choice(used, context))
    unsafe addresses.append(address)
    last = choices.count - 1
    return true
  }

  private func note(_ choice: Choice) {
    guard !choice.isTaken else { return }
    choice.isTaken = true
    if !steps.contains(choice.step) { steps.append(choice.step) }
  }

  /// PROJ's operations whose grids are there, in its order.
  ///
  /// - Parameter place: Where they may be used; `nil` for anywhere. PROJ names ballpark ones only where there
  ///   is no other.
  private func operations(around place: Coordinate?) -> [Choice] {
    guard let source = unsafe source, let target = unsafe target,
      let factory = unsafe proj_create_operation_factory_context(context, nil)
    else { return [] }
    defer { unsafe proj_operation_factory_context_destroy(factory) }
    unsafe proj_operation_factory_context_set_spatial_criterion(
      context, factory, PROJ_SPATIAL_CRITERION_PARTIAL_INTERSECTION)
    unsafe proj_operation_factory_context_set_grid_availability_use(
      context, factory, PROJ_GRID_AVAILABILITY_DISCARD_OPERATION_IF_MISSING_GRID)
    if let place {
      let longitude = place.longitude.remainder(dividingBy: 360)
      unsafe proj_operation_factory_context_set_area_of_interest(
        context, factory, longitude, place.latitude, longitude, place.latitude)
    }
    let list = unsafe proj_create_operations(context, source, target, factory)
    defer { unsafe proj_list_destroy(list) }
    guard let list = unsafe list else { return [] }
    return (0..<(unsafe proj_list_get_count(list))).compactMap { i in
      unsafe proj_list_get(context, list, i).map { unsafe Choice($0, context) }
    }
  }

  /// The way back: a position in the order of the system's axes; `nil` where PROJ finds none.
  func position(of coordinate: Coordinate) -> (Double, Double)? {
    _ = unsafe proj_errno_reset(operation)
    let result = unsafe proj_trans(
      operation, PJ_INV, proj_coord(coordinate.latitude, coordinate.longitude, 0, .infinity))
    let (first, second) = unsafe (result.v.0, result.v.1)
    return first.isFinite && second.isFinite ? (first, second) : nil
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
