internal import CLibrary
internal import VicinityCrossings
internal import VicinityIndex
package import VicinityText

/// Sorts fixes by device, time and position in the input, in bounded memory.
///
/// When the allowed memory is full, the fixes held are sorted and written to a temporary file without a name;
/// at the end the files are merged.
@safe package final class TrackSorter {
  private struct Entry {
    var fix: Fix
    var sequence: UInt64
    var device: UInt32
    /// Whether the track was broken before it in the input.
    var isAfterBreak: Bool

    static func < (a: Entry, b: Entry) -> Bool {
      if a.device != b.device { return a.device < b.device }
      if a.fix.time != b.fix.time { return a.fix.time < b.fix.time }
      return a.sequence < b.sequence
    }
  }

  /// A sorted run: in memory, or in a file that is read a piece at a time.
  @safe private struct Run {
    var file: UnsafeMutablePointer<FILE>?
    var left = 0
    var entries: [Entry] = []
    var next = 0
  }

  private static let batchCount = 1 << 16
  private static let mergeCount = 1 << 12

  private let capacity: Int
  private var entries: [Entry] = []
  private var sequence: UInt64 = 0
  private var runs: [Run] = []
  private var emitted = 0

  /// A sorter that holds about `byteCount` bytes.
  package init(byteCount: Int) {
    // The standard library's sort takes half as much again.
    capacity = max(1024, byteCount / (MemoryLayout<Entry>.stride * 3 / 2))
  }

  deinit {
    for run in runs { if let file = unsafe run.file { _ = unsafe fclose(file) } }
  }

  /// Adds a batch.
  ///
  /// - Throws: ``FormatError/unreadable(path:reason:)`` where a temporary file cannot be written.
  package func add(_ batch: TrackBatch) throws(FormatError) {
    var breaks = batch.breaks[...]
    for run in batch.runs {
      for i in run.range {
        if entries.count >= capacity { try spill() }
        let isAfterBreak = breaks.first?.fix == i
        if isAfterBreak { breaks.removeFirst() }
        entries.append(
          Entry(
            fix: batch.fixes[i], sequence: sequence, device: UInt32(truncatingIfNeeded: run.device),
            isAfterBreak: isAfterBreak))
        sequence += 1
      }
    }
  }

  /// Ends the input; from now on ``next()`` returns the fixes in order.
  package func finish() throws(FormatError) {
    if runs.isEmpty {
      sort()
      unsafe runs.append(Run(entries: entries))
      entries = []
    } else {
      if !entries.isEmpty { try spill() }
      entries = []
      for i in runs.indices { try refill(i) }
    }
  }

  /// The next fixes in order; nil at the end.
  package func next() throws(FormatError) -> TrackBatch? {
    var rows = TrackRows(ReadingOptions())
    rows.reserve(Self.batchCount)
    while rows.count < Self.batchCount, let entry = try pop() {
      if entry.isAfterBreak {
        rows.appendAfterBreak(entry.fix, device: entry.device, number: rows.count)
      } else {
        rows.append(entry.fix, device: entry.device, number: rows.count)
      }
    }
    guard rows.count > 0 else { return nil }
    defer { emitted += rows.count }
    return TrackBatch(rows, first: emitted)
  }

  private func pop() throws(FormatError) -> Entry? {
    var best: Int?
    for i in runs.indices where runs[i].next < runs[i].entries.count {
      if let current = best, !(runs[i].entries[runs[i].next] < runs[current].entries[runs[current].next]) {
        continue
      }
      best = i
    }
    guard let best else { return nil }
    let entry = runs[best].entries[runs[best].next]
    runs[best].next += 1
    if runs[best].next == runs[best].entries.count { try refill(best) }
    return entry
  }

  private func sort() {
    // Rows that are grouped and in order are left alone.
    let isSorted = entries.indices.dropFirst().allSatisfy { entries[$0 - 1] < entries[$0] }
    if !isSorted { entries.sort { $0 < $1 } }
  }

  private func spill() throws(FormatError) {
    sort()
    guard let file = unsafe tmpfile() else { throw failure() }
    unsafe runs.append(Run(file: file, left: entries.count))
    let written = unsafe entries.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
    guard written == entries.count * MemoryLayout<Entry>.stride, unsafe fflush(file) == 0 else {
      throw failure()
    }
    unsafe rewind(file)
    entries.removeAll(keepingCapacity: true)
  }

  private func refill(_ run: Int) throws(FormatError) {
    runs[run].next = 0
    let count = min(runs[run].left, Self.mergeCount)
    guard count > 0, let file = unsafe runs[run].file else {
      runs[run].entries = []
      return
    }
    var read = 0
    let entries = unsafe [Entry](unsafeUninitializedCapacity: count) { buffer, initialized in
      unsafe read = fread(buffer.baseAddress, MemoryLayout<Entry>.stride, count, file)
      initialized = read
    }
    guard read == count else { throw failure() }
    runs[run].entries = entries
    runs[run].left -= count
  }

  private func failure() -> FormatError {
    FormatError(.last("use", "a temporary file"))
  }
}
