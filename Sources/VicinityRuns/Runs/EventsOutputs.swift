internal import VicinityFormats
internal import VicinityIndex

/// The files that a run of `vicinity events` writes; they take their places together, once all are written.
package struct EventsOutputs {
  var events: ByteWriter
  var visits: ByteWriter?
  var rejects: ByteWriter?

  /// Where they go: `-` is standard output, for events alone.
  package struct Paths {
    var events: String
    var visits: String?
    var rejects: String?
    /// Files that must not be overwritten.
    package var inputs: [String]

    package init(events: String, visits: String?, rejects: String?, inputs: [String]) {
      self.events = events
      self.visits = visits
      self.rejects = rejects
      self.inputs = inputs
    }

    /// The files, the events' first.
    package var files: [String] { (events == "-" ? [] : [events]) + [visits, rejects].compactMap { $0 } }

    /// Fails where two outputs would be one file, or a file cannot be written.
    package func check(besides others: [String]) throws {
      var seen: Set<OutputPlace> = []
      for path in [events] + [visits, rejects].compactMap({ $0 }) + others {
        let place = OutputPlace(path)
        guard seen.insert(place).inserted else {
          throw CommandFailure("two outputs would be one file", at: path)
        }
        if place.isFile { try StagedFile.check(path, inputs: inputs) }
      }
    }
  }

  /// - Parameters:
  ///   - pipe: The writer of events that is open already; `nil` where they go to a regular file.
  ///   - folder: The run's directory, if that stays after a kill: what is staged there leaves nothing else
  ///     behind.
  package init(_ paths: Paths, pipe: ByteWriter?, stagingIn folder: String?) throws {
    func writer(_ path: String, _ name: String) throws -> ByteWriter {
      let isBeside =
        FileSystem.parent(of: FileSystem.absolute(path))
        == folder.map { FileSystem.parent(of: FileSystem.absolute($0)) }
      return try ByteWriter(path: path, inputs: paths.inputs, stagingIn: isBeside ? folder : nil, as: name)
    }
    events = try pipe ?? writer(paths.events, "output")
    visits = try paths.visits.map { try writer($0, "visits") }
    rejects = try paths.rejects.map { try writer($0, "rejects") }
  }

  /// Writes what is left, without putting files in their places.
  func close() throws {
    for writer in [visits, rejects, events] { try writer?.close() }
  }

  /// Where the files are until they take their places, the events' first.
  package var staged: [String] { [events, visits, rejects].compactMap { $0?.stagedPath } }

  /// Puts the files in their places, the events last.
  package func commit() throws {
    for writer in [visits, rejects, events] { try writer?.commit() }
  }
}
