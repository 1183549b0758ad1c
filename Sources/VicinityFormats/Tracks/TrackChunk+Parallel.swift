internal import Synchronization
internal import VicinityIndex

extension TrackChunk {
  /// The rows of each of `chunks`, made on up to `threads` threads.
  static func parse(
    _ chunks: [TrackChunk], options: TrackReader.Options, known: DeviceTable, threads: Int
  ) -> [TrackRows] {
    guard chunks.count > 1, threads > 1 else { return chunks.map { $0.parsed(options, known: known) } }
    let parts = Mutex([TrackRows?](repeating: nil, count: chunks.count))
    Parallel.forEach(chunks.count, threads: threads) { i in
      let rows = chunks[i].parsed(options, known: known)
      parts.withLock { $0[i] = rows }
    }
    return parts.withLock { $0.compactMap(\.self) }
  }
}
