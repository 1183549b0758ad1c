import VicinityRuns

extension ByteWriter {
  /// A writer to `path`, or to standard output where that is `-`; on a terminal it takes the place of the
  /// line that says how far the work is.
  ///
  /// - Parameter inputs: Files that must not be overwritten.
  convenience init(output path: String, inputs: [String] = []) throws {
    try self.init(path: path, inputs: inputs, clearingTerminalBy: ProgressMeter.clearLine)
  }
}
