/// The directory of a long run: sorted runs of events and, for a run that can be resumed, a checkpoint.
///
/// One beside an output is one process's. Files appear whole or not at all. What a checkpoint refers to is on
/// the disk before the checkpoint is.
package final class RunDirectory {
  let path: String
  private let isTemporary: Bool
  /// Of a directory that another process may want.
  private let lock: FileLock?

  /// A temporary directory, removed with this object.
  init() throws {
    let parent = System.temporaryDirectory
    let made = UnfinishedWork.making { System.makeDirectory(prefix: "\(parent)/vicinity-") }
    guard made.error == 0 else {
      throw CommandFailure("cannot write", systemError: made.error, at: parent)
    }
    path = made.path
    isTemporary = true
    lock = nil
  }

  /// The directory beside the file `output`, which stays until that is finished.
  init(beside output: String) throws {
    path = Self.path(beside: output)
    isTemporary = false
    let code = System.makeDirectory(at: path)
    guard code == 0 else { throw CommandFailure("cannot write", systemError: code, at: path) }
    lock = try FileLock(path, isDirectory: true, use: "writing this output")
  }

  deinit {
    guard isTemporary else { return }
    System.removeDirectory(path)
    UnfinishedWork.unregister(path)
  }

  package static func path(beside output: String) -> String { System.resolved(output) + ".partial" }

  /// Whether an interrupted run has kept progress beside the file `output`.
  package static func holdsProgress(beside output: String) -> Bool {
    System.file(at: "\(path(beside: output))/\(Checkpoint.name)") != nil
  }

  /// Removes what an abandoned run has left beside the file `output`.
  ///
  /// - Throws: ``CommandFailure`` where the run is not abandoned.
  package static func discard(beside output: String) throws {
    guard System.file(at: path(beside: output)) != nil else { return }
    let directory = try RunDirectory(beside: output)
    System.removeDirectory(directory.path)
  }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file in the directory, whole or not at all.
  func write(_ bytes: [UInt8], to name: String) throws {
    try WholeFile.write(bytes, to: path(name), isDurable: !isTemporary)
  }

  /// Writes a piece; what is to be known of it when it is read.
  func write(_ writer: PieceWriter, as name: String) throws -> KeptPiece {
    var writer = writer
    writer.finish()
    try write(writer.bytes, to: name)
    return writer.piece
  }
}
