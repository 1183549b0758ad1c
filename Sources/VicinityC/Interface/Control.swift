internal import CVicinity
internal import VicinityIndex

/// How many threads may work, and whom to tell of progress.
@safe struct Control {
  let threads: Int
  private let progress: vicinity_progress?
  private let context: UnsafeMutableRawPointer?

  init(_ control: UnsafePointer<vicinity_control>?) throws(Failure) {
    guard let control = unsafe control else {
      threads = Parallel.coreCount
      unsafe progress = nil
      unsafe context = nil
      return
    }
    let given = unsafe control.pointee
    guard unsafe given.size >= MemoryLayout<vicinity_control>.size else {
      throw .argument("control.size must be sizeof(vicinity_control)")
    }
    let count = unsafe Int(given.threads)
    guard count >= 0, count <= 4096 else {
      throw .argument("control.threads must be 0 to 4096; found \(count)")
    }
    threads = count == 0 ? Parallel.coreCount : count
    unsafe progress = given.progress
    unsafe context = given.context
  }

  /// Tells how much is done; to be called on the caller's own thread alone.
  ///
  /// - Parameter total: nil where it is not known.
  /// - Throws: ``Failure/cancelled``
  func report(_ done: Int, of total: Int? = nil) throws(Failure) {
    guard let progress = unsafe progress else { return }
    if unsafe progress(context, Int64(done), Int64(total ?? -1)) != 0 { throw .cancelled }
  }
}
