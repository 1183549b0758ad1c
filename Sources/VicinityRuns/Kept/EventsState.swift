package import VicinityCrossings
internal import VicinityFormats
internal import VicinityIndex

/// What `--state` keeps from one batch to the next: the devices and where they are, what is pending, stays
/// without an end, and events held back; and which batches have been applied, with what outputs.
package struct EventsState {
  /// The regions and options; without the tracks, which are others in every batch.
  package var question: EventsQuestion
  package var states: DeviceStates
  /// Stays that have no end yet.
  var stays: [StayBook.Key: StayBook.Beginning]
  /// Events found but not yet written, in their order.
  var held: [EventRecord]
  /// The batches applied so far, oldest first, by their content; those without fixes, which may well be
  /// alike, are left out.
  package var batches: [UInt64]
  /// The last batch, by its content.
  var last: UInt64
  /// The files that the last batch wrote.
  var outputs: [Output]
  /// How far a run that follows a stream has come; nil where there has been none.
  var followed: FollowedInput?

  /// A file that a batch wrote.
  package struct Output: Equatable {
    package var path: String
    package var content: FileContent

    package init(path: String, content: FileContent) {
      self.path = path
      self.content = content
    }
  }

  /// Beyond this many batches the oldest are forgotten: ten years of hours.
  private static let mostBatches = 100_000
  private static let format = DeviceStates.file(writtenBy: "vicinity events")

  /// Tells a batch from others by the content of its files, whatever their names; `nil` where a file cannot
  /// be read.
  package static func batch(of tracks: [String]) -> UInt64? {
    var bytes: [UInt8] = []
    for path in tracks {
      guard let content = FileContent(of: path) else { return nil }
      bytes.append(number: UInt64(content.byteCount))
      bytes.append(number: content.checksum)
    }
    return bytes.checksum
  }

  // MARK: In files

  var bytes: [UInt8] {
    Self.format.seal { bytes in
      states.append(to: &bytes)
      question.append(to: &bytes)
      bytes.append(number: UInt64(stays.count))
      for (key, beginning) in stays.sorted(by: {
        ($0.key.device, $0.key.region) < ($1.key.device, $1.key.region)
      }) {
        bytes.append(number: key.device)
        bytes.append(number: key.region)
        bytes.append(number: beginning.time)
        bytes.append(number: UInt32((beginning.isOpen ? 1 : 0) | (beginning.isInferred ? 2 : 0)))
      }
      bytes.append(number: UInt64(held.count))
      for event in held { event.append(to: &bytes) }
      bytes.append(number: last)
      bytes.append(number: UInt64(batches.count))
      for batch in batches { bytes.append(number: batch) }
      bytes.append(number: UInt64(outputs.count))
      for output in outputs {
        bytes.append(block: Array(output.path.utf8))
        bytes.append(number: UInt64(output.content.byteCount))
        bytes.append(number: output.content.checksum)
      }
      followed?.append(to: &bytes)
    }
  }

  package init(
    question: EventsQuestion, states: DeviceStates, stays: [StayBook.Key: StayBook.Beginning],
    held: [EventRecord], batches: [UInt64], last: UInt64, outputs: [Output], after earlier: EventsState? = nil
  ) {
    followed = earlier?.followed
    self.question = question
    self.states = states
    self.stays = stays
    self.held = held
    self.batches = batches.suffix(Self.mostBatches)
    self.last = last
    self.outputs = outputs
  }

  init(_ bytes: [UInt8]) throws(SealedBytes.Fault) {
    self = try Self.format.open(bytes) { reader in
      let states = try DeviceStates(&reader)
      let question = try EventsQuestion(&reader)
      var stays: [StayBook.Key: StayBook.Beginning] = [:]
      for _ in 0..<(try reader.count(each: 20)) {
        let key = StayBook.Key(device: try reader.number(), region: try reader.number())
        let time: Int64 = try reader.number()
        let flags: UInt32 = try reader.number()
        guard key.device < states.devices.count else { throw ByteReader.Failure() }
        stays[key] = StayBook.Beginning(time: time, isOpen: flags & 1 != 0, isInferred: flags & 2 != 0)
      }
      var held: [EventRecord] = []
      for _ in 0..<(try reader.count(each: EventRecord.size)) { held.append(try EventRecord(&reader)) }
      let last: UInt64 = try reader.number()
      var batches: [UInt64] = []
      for _ in 0..<(try reader.count(each: 8)) { batches.append(try reader.number()) }
      var outputs: [Output] = []
      for _ in 0..<(try reader.count(each: 24)) {
        let path = String(decoding: try reader.block(), as: UTF8.self)
        guard let count = Int(exactly: try reader.number() as UInt64) else { throw ByteReader.Failure() }
        outputs.append(
          Output(path: path, content: FileContent(byteCount: count, checksum: try reader.number())))
      }
      var state = EventsState(
        question: question, states: states, stays: stays, held: held, batches: batches, last: last,
        outputs: outputs)
      // Behind all else, where there is one.
      if reader.remaining > 0 { state.followed = try FollowedInput(&reader) }
      return state
    }
  }
}

/// The file of `--state`, and how it changes together with the outputs of a batch.
///
/// A batch's outputs are written where nobody looks, then the new state to `FILE.next`; then the outputs take
/// their places, and last `FILE.next` that of `FILE`. Whenever the process ends, `FILE` says what was applied
/// before the batch, or after it, and `FILE.next` is there if outputs may already be in place: then the batch
/// must be finished before another comes. The empty `FILE.lock` keeps a second process out meanwhile, and
/// stays.
package struct StateFile {
  package let path: String
  /// The last batch's state; `nil` before the first batch.
  package private(set) var state: EventsState?
  /// The checksum of the file, to recognise it.
  package private(set) var checksum: UInt64 = 0
  private var pending: EventsState?
  private let lock: FileLock

  private var nextPath: String { path + ".next" }

  /// Reads the state; finishes a batch that was interrupted after all its outputs had taken their places.
  package init(_ path: String) throws {
    self.path = FileSystem.resolved(path)
    lock = try FileLock(self.path + ".lock", use: "applying a batch to this state")
    (state, checksum) = try Self.read(self.path) ?? (nil, 0)
    guard let (next, nextChecksum) = try Self.read(nextPath) else { return }
    if next.outputs.allSatisfy({ FileContent(of: $0.path) == $0.content }) {
      try put(nextPath)
      (state, checksum) = (next, nextChecksum)
    } else {
      pending = next
    }
  }

  private static func read(_ path: String) throws -> (EventsState, UInt64)? {
    guard let file = FileSystem.status(of: path) else { return nil }
    guard file.kind == .regular else { throw CommandFailure("the state is not a regular file", at: path) }
    let bytes = try InputFile.bytes(of: path)
    do throws(SealedBytes.Fault) {
      return (try EventsState(bytes), bytes.checksum)
    } catch {
      switch error {
      case .damaged:
        throw CommandFailure("damaged state; put a copy of it back, or begin anew without it", at: path)
      case .otherVersion(let version):
        throw CommandFailure("state of another version (\(version))", at: path)
      case .otherWriter(let writer):
        throw CommandFailure("state written by \(writer), which alone can go on from it", at: path)
      }
    }
  }

  /// Whether a batch has been applied already, with these outputs.
  ///
  /// - Throws: ``CommandFailure`` where it was applied otherwise, or another batch must be finished before.
  package func hasApplied(_ batch: UInt64, outputs: [String]) throws -> Bool {
    if pending?.last != batch { try checkIsFinished() }
    guard let state else { return false }
    guard state.last == batch else {
      guard let number = state.batches.firstIndex(of: batch) else {
        try checkKeeps(state, outputs)
        return false
      }
      throw CommandFailure(
        "these tracks were applied before, as batch \(number + 1) of \(state.batches.count)", at: path)
    }
    guard state.outputs.map(\.path) == outputs.map({ FileSystem.absolute($0) }) else {
      // A batch without fixes, after another one: both may be applied.
      guard state.batches.last == batch else {
        try checkKeeps(state, outputs)
        return false
      }
      throw CommandFailure(
        "these tracks were applied in the last batch, with other outputs: "
          + state.outputs.map(\.path).joined(separator: ", "), at: path)
    }
    for output in state.outputs where FileContent(of: output.path) != output.content {
      throw CommandFailure(
        "these tracks were applied in the last batch, but its output is gone or has changed", at: output.path)
    }
    return true
  }

  /// - Throws: ``CommandFailure`` where a batch would replace rows that the last one, or a run before it that
  ///   followed a stream, has written: they cannot be made again.
  private func checkKeeps(_ state: EventsState, _ outputs: [String]) throws {
    let places = Set(outputs.map { FileSystem.absolute($0) })
    let followed =
      state.followed?.outputs.filter { FollowedInput.output($0.path, $0.byteCount) == $0 }.map(\.path) ?? []
    let kept = state.outputs.filter { FileContent(of: $0.path) == $0.content }.map(\.path) + followed
    for path in kept where places.contains(path) && Self.hasRows(path) {
      throw CommandFailure(
        "has what the run before found, and would be replaced; name another file for each batch, or move it away",
        at: path)
    }
  }

  /// Whether a file has more than a header.
  private static func hasRows(_ path: String) -> Bool {
    guard let size = FileSystem.status(of: path)?.byteCount, size > 0 else { return false }
    guard size <= mostOfAHeader, let bytes = try? InputFile.bytes(of: path) else { return true }
    return bytes.dropLast().contains(UInt8(ascii: "\n")) || bytes.first == UInt8(ascii: "{")
  }

  /// Headers are shorter than this, bytes.
  private static let mostOfAHeader = 1024

  /// - Throws: ``CommandFailure`` where a batch must be finished before anything else comes.
  func checkIsFinished() throws {
    guard pending != nil else { return }
    throw CommandFailure(
      "the batch before was interrupted while its outputs took their places; run it again first", at: path)
  }

  /// Puts a state and the outputs of its batch in place.
  package func commit(_ state: EventsState, outputs: () throws -> Void = {}) throws {
    try WholeFile.write(state.bytes, to: nextPath, isDurable: true)
    try outputs()
    try put(nextPath)
  }

  private func put(_ next: String) throws {
    try CommandFailure.writing(path) { try FileSystem.rename(next, to: path) }
    FileSystem.synchronize(directory: FileSystem.directory(of: path))
  }
}
