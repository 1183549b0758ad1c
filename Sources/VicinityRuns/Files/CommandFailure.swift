package import VicinityFormats
internal import VicinityIndex

/// Work that failed: what went wrong, and where. Printed as `vicinity: error: <what> (<where>)`; exit code 1.
package struct CommandFailure: Error, Equatable {
  /// What was wrong, with the offending value.
  package var what: String
  /// The file, line, feature or option, with control characters written as escapes; empty where `what` says
  /// it already.
  package var place: String
  /// What can be done about it.
  package var cures: [Cure]

  package init(_ what: String, at place: String = "", cures: [Cure] = []) {
    self.what = what
    self.place = VisibleText.of(place)
    self.cures = cures
  }

  /// What the file system refused while working on `path`, in the system's own words.
  init(_ what: String, _ error: FileError, at path: String) {
    self.init("\(what): \(error.message)", at: path)
  }

  /// Any error met while working on the file at `path`; its place, or else the path, is
  /// what the message ends with.
  package init(_ error: any Error, at path: String) {
    if let failure = error as? CommandFailure {
      self = failure
      return
    }
    let (what, place) = ErrorText.split(String(describing: error), path: VisibleText.of(path))
    self.init(what, at: place, cures: (error as? FormatError)?.cures ?? [])
  }
}

extension CommandFailure {
  /// Does `work`; an error becomes a failure at `place`, the path of the file worked on.
  package static func at<Result>(_ place: String = "", _ work: () throws -> Result) throws -> Result {
    do { return try work() } catch { throw CommandFailure(error, at: place) }
  }
}

extension CommandFailure {
  /// Does `work` for the file at `path`; what the file system refuses is a failure to write that.
  static func writing<Result: ~Copyable>(_ path: String, _ work: () throws -> Result) throws -> Result {
    do { return try work() } catch let error as FileError {
      throw CommandFailure("cannot write", error, at: path)
    }
  }
}

extension CommandFailure: CustomStringConvertible {
  package var description: String { place.isEmpty ? what : "\(what) (\(place))" }
}

/// The reader of standard output went away (`| head`): not an error, just the end.
package struct OutputClosed: Error {}
