/// Orders regions as the packed tree stores them.
///
/// Top-down: a stretch that will become several children is split near its middle, at a multiple of a
/// child's capacity, along whichever of x, y, z and radius spreads widest; until each part is one
/// child; then the same one level down. This packs like a k-d tree whose buckets are full, the scheme of
/// overlap-minimising top-down loading (T. Lee, S. Lee, *OMT: Overlap Minimizing Top-down Bulk Loading
/// Algorithm for R-tree*, CAiSE 2003). Radius counts as a fourth axis because a node reaches as far as its
/// largest region.
///
/// Ties along an axis are split by index, so that the order does not depend on the number of threads.
enum MedianOrder {
  /// A region as it is ordered: 20 bytes, moved as one.
  struct Item {
    var x: Float
    var y: Float
    var z: Float
    /// Radius in metres.
    var r: Float
    var index: UInt32
  }

  /// Orders the regions of a subtree, on up to `threads` threads.
  static func order(
    _ items: UnsafeMutablePointer<Item>, _ subtree: TreeShape.Subtree, fill: TreeShape.Fill,
    threads: Int, _ isStopped: @Sendable () -> Bool
  ) {
    // Split on one thread until there are enough parts for all, then divide them among the threads.
    var parts = [Part(start: subtree.start, count: subtree.count, height: subtree.height)]
    if threads > 1 {
      while parts.count < 4 * threads, !isStopped() {
        guard
          let widest = parts.indices.max(by: { parts[$0].count < parts[$1].count }),
          parts[widest].count > 4096
        else { break }
        let (left, right) = unsafe split(items, parts[widest], fill)
        parts[widest] = left
        if let right { parts.append(right) }
      }
      parts.sort { $0.count > $1.count }
    }
    let shared = parts
    // SAFETY: parts are disjoint stretches of `items`, and each is ordered by one call.
    nonisolated(unsafe) let items = unsafe items
    Parallel.forEach(shared.count, threads: threads) { i in
      unsafe finish(items, shared[i], fill, isStopped)
    }
  }

  /// A stretch that is still to be ordered, as children of one height.
  private struct Part {
    var start: Int
    var count: Int
    var height: Int
  }

  private static func finish(
    _ items: UnsafeMutablePointer<Item>, _ part: Part, _ fill: TreeShape.Fill,
    _ isStopped: @Sendable () -> Bool
  ) {
    var stack = [part]
    while let part = stack.popLast(), !isStopped() {
      guard part.count > fill.leaf else {
        continue
      }
      let (left, right) = unsafe split(items, part, fill)
      if let right { stack.append(right) }
      stack.append(left)
    }
  }

  /// Splits one part into two, or takes a part that is one child down to that child's children.
  private static func split(
    _ items: UnsafeMutablePointer<Item>, _ part: Part, _ fill: TreeShape.Fill
  ) -> (Part, Part?) {
    var height = part.height
    while fill.capacity(height) >= part.count, height > 0 { height -= 1 }
    let step = fill.capacity(height)
    let children = (part.count + step - 1) / step
    guard children > 1 else {
      return (Part(start: part.start, count: part.count, height: max(0, height - 1)), nil)
    }
    let left = (children / 2) * step
    let end = part.start + part.count
    let axis = unsafe widestAxis(items, part.start, end)
    unsafe select(items, from: part.start, to: end, nth: part.start + left, axis: axis)
    return (
      Part(start: part.start, count: left, height: height),
      Part(start: part.start + left, count: part.count - left, height: height)
    )
  }

  /// The axis (x, y, z or radius) along which items spread widest.
  static func widestAxis(
    _ items: UnsafeMutablePointer<Item>, _ start: Int, _ end: Int
  ) -> Int {
    var low = SIMD4<Float>(repeating: .infinity)
    var high = SIMD4<Float>(repeating: -.infinity)
    let base = UnsafeRawPointer(items)
    for i in start..<end {
      let v = unsafe base.loadUnaligned(
        fromByteOffset: i * MemoryLayout<Item>.stride, as: SIMD4<Float>.self)
      low.replace(with: v, where: v .< low)
      high.replace(with: v, where: v .> high)
    }
    let spread = high - low
    var axis = 0
    for candidate in 1..<4 where spread[candidate] > spread[axis] { axis = candidate }
    return axis
  }

  /// Moves the items that sort before the `nth` along `axis`, then by index, in front of it.
  ///
  /// Quickselect (C. A. R. Hoare, *Algorithm 65: Find*, CACM 4, 1961) with the median of three
  /// pseudo-random picks: linear on average whatever the input, since no input knows the picks.
  static func select(
    _ items: UnsafeMutablePointer<Item>, from: Int, to: Int, nth: Int, axis: Int
  ) {
    var low = from
    var high = to - 1
    var state = UInt64(truncatingIfNeeded: from &* 31 &+ to)
    while high > low {
      let pivot = unsafe pivot(items, low, high, axis, &state)
      var i = low - 1
      var j = high + 1
      while true {
        repeat { i += 1 } while unsafe key(items, i, axis) < pivot
        repeat { j -= 1 } while unsafe pivot < key(items, j, axis)
        if i >= j { break }
        let item = unsafe items[i]
        unsafe items[i] = items[j]
        unsafe items[j] = item
      }
      // All of low...j are at most the pivot, all of j + 1...high at least.
      if nth <= j { high = j } else { low = j + 1 }
    }
  }

  @inline(__always)
  private static func key(_ items: UnsafeMutablePointer<Item>, _ i: Int, _ axis: Int) -> Key {
    let value = unsafe UnsafeRawPointer(items).loadUnaligned(
      fromByteOffset: i * MemoryLayout<Item>.stride + axis * 4, as: Float.self)
    return Key(value: value, index: unsafe items[i].index)
  }

  /// What an item is ordered by.
  private struct Key {
    var value: Float
    var index: UInt32

    @inline(__always)
    static func < (a: Key, b: Key) -> Bool { a.value < b.value || a.value == b.value && a.index < b.index }
  }

  @inline(__always)
  private static func pivot(
    _ items: UnsafeMutablePointer<Item>, _ low: Int, _ high: Int, _ axis: Int,
    _ state: inout UInt64
  ) -> Key {
    let span = UInt64(high - low)
    func pick() -> Key {
      // Knuth's MMIX generator; its high bits are the good ones. Never `high` itself: a pivot equal to
      // a unique largest last item would leave the stretch as it was.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return unsafe key(items, low + Int((state >> 32) % span), axis)
    }
    var (a, b, c) = (pick(), pick(), pick())
    if b < a { swap(&a, &b) }
    if c < b { swap(&b, &c) }
    return b < a ? a : b
  }
}
