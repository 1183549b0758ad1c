internal import CVicinity
internal import VicinityIndex

/// Objects on their way through C, as pointers to nothing in particular.
enum Handle {
  static func pass(_ object: AnyObject) -> OpaquePointer {
    unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
  }

  static func release(_ handle: OpaquePointer?) {
    guard let handle = unsafe handle else { return }
    unsafe Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(handle)).release()
  }

  /// The object behind a handle.
  ///
  /// - Throws: ``Failure`` for NULL.
  static func get<T: AnyObject>(_ handle: OpaquePointer?, as type: T.Type, _ name: String) throws(Failure)
    -> T
  {
    guard let handle = unsafe handle else { throw .argument("\(name) must not be NULL") }
    // SAFETY: the header says that a handle is one that was returned, and not released. Its type is C's to
    // check.
    return unsafe Unmanaged<T>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
  }
}

final class IndexHandle: Sendable {
  let index: RegionIndex
  /// What people should know of the regions.
  let notes: [Note]
  /// The rows that were left out.
  let bad: BadRows

  init(_ index: RegionIndex, notes: [Note] = [], bad: BadRows = BadRows(areSkipped: false)) {
    (self.index, self.notes, self.bad) = (index, notes, bad)
  }
}
