/// Which nodes and leaves a packed tree has, and which stretch of its ordered regions each covers.
///
/// The shape follows from the counts alone: all leaves are full but the last of each stratum, and all
/// subtrees are complete but the last of each node. So it is known before any region is looked at.
struct TreeShape {
  /// A stretch of ordered regions that becomes one subtree.
  struct Subtree {
    var start: Int
    var count: Int
    /// 0 for a leaf.
    var height: Int
    var isPolygonal: Bool

    var range: Range<Int> { start..<start + count }
  }

  /// How many of a block's sixteen lanes are used where there are regions enough.
  struct Fill {
    var leaf: Int
    var node: Int

    /// Trees that never change.
    static let full = Fill(leaf: TreeLayout.width, node: TreeLayout.width)

    /// How many regions a complete subtree of `height` covers.
    func capacity(_ height: Int) -> Int {
      var capacity = leaf
      for _ in 0..<height { capacity *= node }
      return capacity
    }

    /// The lowest complete subtree that holds `count` regions.
    func height(_ count: Int) -> Int {
      var height = 0
      while capacity(height) < count { height += 1 }
      return height
    }
  }

  /// Children of all nodes, node by node in breadth-first order.
  private(set) var children: [Subtree] = []
  /// Where each node's children start in `children`, and one past the last.
  private(set) var childStarts: [Int] = [0]
  private(set) var leaves: [Subtree] = []
  /// The subtrees that are ordered independently of each other.
  let strata: [Subtree]
  let fill: Fill

  var nodeCount: Int { childStarts.count - 1 }

  /// The shape of a tree over consecutive strata of these sizes.
  init(strata sizes: [(count: Int, isPolygonal: Bool)], fill: Fill = .full) {
    self.fill = fill
    var start = 0
    var roots: [Subtree] = []
    for size in sizes where size.count > 0 {
      roots.append(
        Subtree(
          start: start, count: size.count, height: fill.height(size.count),
          isPolygonal: size.isPolygonal))
      start += size.count
    }
    strata = roots
    guard !roots.isEmpty else { return }

    // A single stratum needs no node above it, unless it is a leaf: leaves take their origin from
    // the node above.
    var queue: [[Subtree]] = []
    if roots.count == 1, roots[0].height > 0 {
      queue.append(split(roots[0]))
    } else {
      queue.append(roots)
    }
    var next = 0
    while next < queue.count {
      for child in queue[next] {
        children.append(child)
        if child.height == 0 {
          leaves.append(child)
        } else {
          queue.append(split(child))
        }
      }
      childStarts.append(children.count)
      next += 1
    }
  }

  private func split(_ subtree: Subtree) -> [Subtree] {
    let step = fill.capacity(subtree.height - 1)
    var result: [Subtree] = []
    var start = subtree.start
    let end = subtree.start + subtree.count
    while start < end {
      let count = min(step, end - start)
      // A short last child goes straight to the height it needs.
      result.append(
        Subtree(
          start: start, count: count, height: fill.height(count), isPolygonal: subtree.isPolygonal))
      start += count
    }
    return result
  }
}
