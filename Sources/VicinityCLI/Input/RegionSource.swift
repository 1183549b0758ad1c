import ArgumentParser
import VicinityFormats
import VicinityIndex
import VicinityRuns

/// Where the regions of a command come from: a finished index, or a file to be read and indexed.
enum RegionSource {
  /// The index over the regions that `arguments` names.
  ///
  /// What the reader warned about or skipped is printed on standard error.
  ///
  /// - Parameters:
  ///   - isOnlyInput: Whether the command reads no other file of positions.
  ///   - rejected: Where all bad rows and features go that are skipped, if not only the first few matter.
  static func index(
    _ arguments: RegionArguments, threads: Int, progress: ProgressMeter, isOnlyInput: Bool = false,
    rejected: ((Diagnostic) -> Void)? = nil
  ) throws -> RegionIndex {
    let path = arguments.path
    try checkIsFile(path)
    if isIndex(path) {
      if let option = arguments.fileOnlyOptions(isOnlyInput: isOnlyInput).first {
        throw ValidationError("\(option) has no effect on a finished index: \(VisibleText.of(path))")
      }
      progress.stage(arguments.verify ? "verifying index" : "opening index")
      return try open(path, verifying: arguments.verify ? .contents : .structure)
    }
    var options = arguments.readerOptions(isOnlyInput: isOnlyInput)
    options.keepsAllRejected = rejected != nil
    let set = try regions(options, path, progress: progress, rejected)
    progress.stage("building index")
    return try CommandFailure.at(path) { try RegionIndex(set, threads: threads) }
  }

  /// Writes the index over the regions that `arguments` names.
  ///
  /// - Returns: How many regions it has, and how many bytes.
  /// - Throws: What is wrong with the input as ``CommandFailure``; what the system refuses as it is.
  static func writeIndex(
    over arguments: RegionArguments, to path: String, threads: Int, progress: ProgressMeter
  ) throws -> (regions: Int, bytes: Int) {
    if isIndex(arguments.path) {
      let index = try index(arguments, threads: threads, progress: progress, isOnlyInput: true)
      progress.stage("writing index")
      try index.write(to: path)
      return (index.count, index.byteCount)
    }
    // An index takes the regions' memory over.
    var set: RegionSet? = try regions(
      arguments.readerOptions(isOnlyInput: true), arguments.path, progress: progress, nil)
    let count = set?.count ?? 0
    progress.stage("building and writing index")
    do {
      return (count, try RegionIndex.write(set.take() ?? RegionSet(), to: path, threads: threads))
    } catch let error as RegionError {
      return try CommandFailure.at(arguments.path) { throw error }
    }
  }

  /// The index in the file at `path`.
  static func open(_ path: String, verifying: RegionIndex.Verification) throws -> RegionIndex {
    SignalGuard.expectTruncation(ofIndexAt: path)
    return try CommandFailure.at(path) { try RegionIndex(contentsOf: path, verifying: verifying) }
  }

  /// The regions in the file at `path`; a table without rows is an empty set, with a note.
  private static func regions(
    _ options: ReadingOptions, _ path: String, progress: ProgressMeter, _ rejected: ((Diagnostic) -> Void)?
  ) throws -> RegionSet {
    progress.stage("reading regions")
    var options = options
    options.progress = progress.readingProgress
    let reading = try CommandFailure.at(path) { try RegionReader.read(path, options: options) }
    Notices.print(reading, identifierOption: "--id-field")
    if let rejected { reading.skipped.examples.forEach(rejected) }
    if reading.content.count == 0 { Notices.print("note", "no regions (\(path))") }
    return reading.content
  }

  /// Fails early, and in plain words, for a file that is not there.
  static func checkIsFile(_ path: String) throws {
    guard path != "-" else {
      throw ValidationError("regions cannot be read from standard input; name a file")
    }
    if !FileSystem.exists(path) {
      throw CommandFailure("no such file", at: path)
    }
  }

  /// Whether the file at `path` begins as an index does. Only regular files are looked into: what is read
  /// from a pipe is gone.
  static func isIndex(_ path: String) -> Bool {
    guard FileSystem.status(of: path)?.kind == .regular else { return false }
    // What cannot be opened is reported by the reader.
    return (try? RegionIndex.isIndexFile(path)) ?? false
  }
}
