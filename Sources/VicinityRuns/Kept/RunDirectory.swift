internal import VicinityFormats
internal import VicinityIndex

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
    path = try CommandFailure.writing(parent) {
      try UnfinishedWork.makeDirectory(prefix: "\(parent)/vicinity-")
    }
    isTemporary = true
    lock = nil
  }

  /// The directory beside the file `output`, which stays until that is finished.
  init(beside output: String) throws {
    let path = Self.path(beside: output)
    self.path = path
    isTemporary = false
    try CommandFailure.writing(path) { try FileSystem.makeDirectory(path) }
    lock = try FileLock(path, isDirectory: true, use: "writing this output")
  }

  deinit {
    guard isTemporary else { return }
    FileSystem.removeDirectory(path)
    UnfinishedWork.unregister(path)
  }

  package static func path(beside output: String) -> String { FileSystem.resolved(output) + ".partial" }

  /// Whether an interrupted run has kept progress beside the file `output`.
  package static func holdsProgress(beside output: String) -> Bool {
    FileSystem.exists("\(path(beside: output))/\(Checkpoint.name)")
  }

  /// Removes what an abandoned run has left beside the file `output`.
  ///
  /// - Throws: ``CommandFailure`` where the run is not abandoned.
  package static func discard(beside output: String) throws {
    guard FileSystem.exists(path(beside: output)) else { return }
    let directory = try RunDirectory(beside: output)
    FileSystem.removeDirectory(directory.path)
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
