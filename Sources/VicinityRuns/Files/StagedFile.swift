internal import VicinityFormats
internal import VicinityIndex

/// A file that appears under its name whole or not at all.
///
/// It is written in a new directory beside its destination, on the same file system, then renamed into
/// place. Removing that directory also removes anything else that a writer leaves in it.
package final class StagedFile {
  /// Where to write.
  package let path: String
  /// Where the file will appear, symbolic links resolved.
  let destination: String
  /// The directory of the destination, with a slash at its end.
  private let parent: String
  private let directory: String
  /// Whether the directory was made for this file alone and is removed with it.
  private let isOwned: Bool
  private var isOpen = true

  /// Prepares to write `destination`.
  ///
  /// - Parameters:
  ///   - destination: Where the file is to appear.
  ///   - inputs: Files that must not be overwritten.
  ///   - folder: A folder on the same file system that the file is written in, and that others look after;
  ///     nil for one of its own.
  ///   - name: What the file is called there.
  /// - Throws: ``CommandFailure`` where a directory, a device or a pipe stands under that name, or symbolic
  ///   links lead in a circle, where it is one of `inputs` (by any name), or where its directory cannot be
  ///   written.
  package init(
    for destination: String, inputs: [String], stagingIn folder: String? = nil, as name: String = "output"
  )
    throws
  {
    (self.destination, parent) = try Self.place(of: destination, inputs: inputs)
    isOwned = folder == nil
    if let folder {
      directory = folder
      path = "\(folder)/\(name)"
      return
    }
    directory = try CommandFailure.writing(destination) { [parent] in
      try UnfinishedWork.makeDirectory(prefix: "\(parent).vicinity-")
    }
    path = "\(directory)/output"
  }

  /// Where a file called `destination` will appear, and the directory of that.
  private static func place(
    of destination: String, inputs: [String]
  ) throws -> (resolved: String, parent: String) {
    guard OutputPlace(destination).isFile else {
      throw CommandFailure("output is not a regular file", at: destination)
    }
    let resolved = FileSystem.resolved(destination)
    guard FileSystem.linkTarget(of: resolved) == nil else {
      throw CommandFailure("cannot write", .tooManyLinks(resolved), at: destination)
    }
    if let existing = FileSystem.status(of: resolved) {
      guard existing.kind == .regular else {
        throw CommandFailure("output is a directory", at: destination)
      }
      for input in inputs where FileSystem.status(of: input)?.identity == existing.identity {
        throw CommandFailure("output would overwrite the input", at: destination)
      }
    }
    guard !resolved.hasSuffix("/") else { throw CommandFailure("no such directory", at: destination) }
    return (resolved, FileSystem.parent(of: resolved))
  }

  /// Finds out whether `destination` could be written, and leaves nothing behind however the process ends.
  ///
  /// - Throws: As ``init(for:inputs:stagingIn:as:)``.
  static func check(_ destination: String, inputs: [String]) throws {
    let parent = try place(of: destination, inputs: inputs).parent
    try CommandFailure.writing(destination) { try FileSystem.checkWritable(parent) }
  }

  deinit { discard() }

  /// Moves the finished file into place.
  package func commit() throws {
    try CommandFailure.writing(destination) { try FileSystem.rename(path, to: destination) }
    discard()
    FileSystem.synchronize(directory: parent)
  }

  /// Removes what was written, unless it has been committed.
  func discard() {
    guard isOpen else { return }
    isOpen = false
    guard isOwned else { return }
    FileSystem.removeDirectory(directory)
    UnfinishedWork.unregister(directory)
  }
}
