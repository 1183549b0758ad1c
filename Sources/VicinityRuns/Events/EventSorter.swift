internal import VicinityCrossings
internal import VicinityIndex

/// Sorts any number of events in bounded memory: when many are held they are written to a directory as a
/// sorted run, and at the end the runs are merged (D. E. Knuth, *The Art of Computer Programming* 3, 5.4).
struct EventSorter {
  /// The most events held in memory: 64 MB.
  static let mostHeld = 1 << 20

  private var held: [EventRecord] = []
  /// The runs in the directory, numbered from 0.
  private(set) var runs: [KeptPiece] = []
  /// How many events there are in all.
  private(set) var count = 0
  /// How many threads sort; the order does not depend on it.
  private let threads: Int

  /// A sorter over runs that are in the directory already.
  init(runs: [KeptPiece] = [], count: Int = 0, threads: Int = 1) {
    self.runs = runs
    self.count = count
    self.threads = threads
  }

  /// The name of a run's file.
  static func name(_ number: Int) -> String { "events-\(number)" }

  /// Whether the events held should be written out.
  var isFull: Bool { held.count >= Self.mostHeld }

  mutating func append(_ events: [EventRecord]) {
    held.append(contentsOf: events)
    count += events.count
  }

  /// Writes the events held to the directory as one run, if there are any.
  mutating func spill(to directory: RunDirectory, devices: DeviceNames) throws {
    guard !held.isEmpty else { return }
    EventRecord.sort(&held, devices.ranks(), threads: threads)
    let name = Self.name(runs.count)
    var writer = PieceWriter(name: name, byteCount: held.count * EventRecord.size)
    var bytes: [UInt8] = []
    for event in held {
      event.append(to: &bytes)
      if bytes.count == KeptPiece.blockSize {
        writer.append(bytes[...])
        bytes.removeAll(keepingCapacity: true)
      }
    }
    writer.append(bytes[...])
    runs.append(try directory.write(writer, as: name))
    held.removeAll(keepingCapacity: true)
  }

  /// Hands over all events in order.
  ///
  /// - Parameters:
  ///   - directory: Where the runs are; `nil` where there are none.
  ///   - earlier: Events found before all others, in their order.
  mutating func drain(
    from directory: RunDirectory?, after earlier: [EventRecord] = [], devices: DeviceNames,
    _ body: (EventRecord) throws -> Void
  ) throws {
    let ranks = devices.ranks()
    EventRecord.sort(&held, ranks, threads: threads)
    var merged: [EventRun] = [EventRun(earlier)]
    if let directory {
      for i in runs.indices { merged.append(try EventRun(runs[i], Self.name(i), in: directory)) }
    }
    merged.append(EventRun(held))
    held = []
    try Self.merge(&merged, ranks, body)
  }

  /// Merges runs: a binary heap of runs by their next event; of equal ones the earlier run comes first.
  private static func merge(
    _ runs: inout [EventRun], _ ranks: [Int], _ body: (EventRecord) throws -> Void
  ) throws {
    let allRanks = ranks[...]
    let ranks = allRanks.span
    func precedes(_ a: Int, _ b: Int) -> Bool {
      guard let x = runs[a].next, let y = runs[b].next else { return runs[a].next != nil }
      if EventRecord.precedes(x, y, ranks) { return true }
      return !EventRecord.precedes(y, x, ranks) && a < b
    }
    var heap: [Int] = []
    func siftDown(_ start: Int) {
      var hole = start
      while true {
        var least = hole
        for child in [2 * hole + 1, 2 * hole + 2]
        where child < heap.count && precedes(heap[child], heap[least]) {
          least = child
        }
        if least == hole { return }
        heap.swapAt(hole, least)
        hole = least
      }
    }
    for i in runs.indices {
      try runs[i].advance()
      if runs[i].next != nil { heap.append(i) }
    }
    for i in (0..<heap.count / 2).reversed() { siftDown(i) }
    while let first = heap.first, let event = runs[first].next {
      try body(event)
      try runs[first].advance()
      if runs[first].next == nil {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
      }
      siftDown(0)
    }
  }
}

/// A sorted run of events, read a piece at a time.
struct EventRun {
  /// The next event; `nil` at the end, and before the first ``advance()``.
  private(set) var next: EventRecord?
  private var events: [EventRecord]
  private var index = 0
  private var file: PieceReader?

  init(_ events: [EventRecord]) { self.events = events }

  init(_ piece: KeptPiece, _ name: String, in directory: RunDirectory) throws {
    events = []
    file = try PieceReader(piece, name, in: directory)
  }

  /// Goes on to the next event.
  mutating func advance() throws {
    if index == events.count { try refill() }
    next = index < events.count ? events[index] : nil
    index += 1
  }

  private mutating func refill() throws {
    events.removeAll(keepingCapacity: true)
    index = 0
    guard let bytes = try file?.next() else { return }
    var reader = ByteReader(bytes)
    // Checksums have been compared: these are the events that were written.
    while reader.remaining > 0, let event = try? EventRecord(&reader) { events.append(event) }
  }
}
