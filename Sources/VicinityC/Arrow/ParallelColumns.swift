internal import VicinityIndex

/// Fills columns on many threads.
enum ParallelColumns {
  private static let chunkSize = 8192

  /// Calls `body` for ranges that together cover `0 ..< count`.
  static func forEach(_ count: Int, threads: Int, _ body: @Sendable (Range<Int>) -> Void) {
    Parallel.forEachChunk(of: count, size: chunkSize, threads: threads, body)
  }

  /// A column of numbers, each from its row.
  static func values<T: BitwiseCopyable>(
    _ count: Int, threads: Int, _ value: @Sendable (Int) -> T
  ) -> ArrowNode {
    let buffer = ArrowBuffer(byteCount: count * MemoryLayout<T>.stride)
    forEach(count, threads: threads) { range in
      // SAFETY: each row is written once, within the buffer.
      let base = unsafe buffer.base.assumingMemoryBound(to: T.self)
      for i in range { unsafe (base + i).initialize(to: value(i)) }
    }
    return ArrowNode(length: count, buffers: [nil, buffer])
  }

  /// A column of numbers that may be missing, as NaN.
  static func numbers(_ count: Int, threads: Int, _ value: @Sendable (Int) -> Double) -> ArrowNode {
    var node = values(count, threads: threads, value)
    guard let buffer = node.buffers[1] else { return node }
    let base = unsafe buffer.base.assumingMemoryBound(to: Double.self)
    var isThere: [Bool] = []
    for i in 0..<count where unsafe base[i].isNaN {
      if isThere.isEmpty { isThere = [Bool](repeating: true, count: count) }
      isThere[i] = false
      unsafe base[i] = 0
      node.nullCount += 1
    }
    if node.nullCount > 0 { node.buffers[0] = ArrowBuffer(bits: isThere) }
    return node
  }

  /// A column of values of one width, each the bytes of its row.
  static func copies(
    _ count: Int, width: Int, threads: Int, _ value: @Sendable (Int) -> UnsafeRawBufferPointer
  ) -> ArrowNode {
    let buffer = ArrowBuffer(byteCount: count * width)
    forEach(count, threads: threads) { range in
      for i in range {
        let piece = unsafe value(i)
        // SAFETY: each row is written once, within the buffer.
        if let from = piece.baseAddress, piece.count == width {
          unsafe (buffer.base + i * width).copyMemory(from: from, byteCount: width)
        }
      }
    }
    return ArrowNode(length: count, buffers: [nil, buffer])
  }

  /// A column of strings, each the bytes of its row.
  ///
  /// - Throws: ``Failure`` where they take more than 2 GB together.
  static func texts(
    _ count: Int, threads: Int, _ text: @Sendable (Int) -> UnsafeRawBufferPointer
  ) throws(Failure) -> ArrowNode {
    let chunks = (count + chunkSize - 1) / chunkSize
    let sizes = Parallel.map(chunks, threads: threads) { chunk in
      var sum = 0
      for i in chunk * chunkSize..<min(count, (chunk + 1) * chunkSize) { sum += unsafe text(i).count }
      return sum
    }
    var starts = [0]
    for size in sizes { starts.append(starts[starts.count - 1] + size) }
    let total = starts[starts.count - 1]
    try ArrowNode.checkOffsets(total, "identifiers of \(total) bytes")
    let offsets = ArrowBuffer(byteCount: (count + 1) * 4)
    let bytes = ArrowBuffer(byteCount: total)
    let ends = unsafe offsets.base.assumingMemoryBound(to: Int32.self)
    unsafe ends.initialize(to: 0)
    let ready = starts
    forEach(count, threads: threads) { range in
      // SAFETY: each chunk writes its own rows and its own bytes, whose sizes have just been added up.
      let ends = unsafe offsets.base.assumingMemoryBound(to: Int32.self)
      var position = ready[range.lowerBound / chunkSize]
      for i in range {
        let piece = unsafe text(i)
        if let from = piece.baseAddress {
          unsafe (bytes.base + position).copyMemory(from: from, byteCount: piece.count)
        }
        position += piece.count
        unsafe (ends + i + 1).initialize(to: Int32(truncatingIfNeeded: position))
      }
    }
    return ArrowNode(length: count, buffers: [nil, offsets, bytes])
  }
}
