/// The segments that a sweep line meets, from the lowest to the highest.
///
/// A linked list for neighbours, and an AVL tree (Adelson-Velsky and Landis 1962) over it for searches:
/// logarithmic whatever the order of insertions. Nodes keep their numbers until they are removed.
struct SweepStatus {
  /// No node.
  static let none: Int32 = -1

  /// A ring's edge, from its lesser end to its greater one; points are ordered by x, then y.
  struct Segment {
    var start: SIMD2<Double>
    var end: SIMD2<Double>
    /// The vertex at `end`.
    var target: Int32
    var ring: Int32
    /// Whether the ring traverses the edge from `start` to `end`.
    var isForward: Bool
    /// How far the edge may leave the straight line between its ends: ``bend(_:_:)``; zero for a straight
    /// edge.
    var bend: Float = 0
  }

  private struct Node {
    var segment: Segment
    var below: Int32
    var above: Int32
    var low: Int32 = none
    var high: Int32 = none
    var parent: Int32 = none
    /// Of the subtree; an AVL tree of 2^31 nodes is at most 45 high.
    var height: Int8 = 1
  }

  /// How edges run between their ends.
  let edges: PlanarEdges
  private var nodes: [Node] = []
  private var free: [Int32] = []
  private var root = none
  private(set) var lowest = none

  init(edges: PlanarEdges) { self.edges = edges }

  /// The segment of a node; setting it keeps the node's place.
  subscript(node: Int32) -> Segment {
    get { nodes[Int(node)].segment }
    set { nodes[Int(node)].segment = newValue }
  }

  func above(_ node: Int32) -> Int32 { nodes[Int(node)].above }
  func below(_ node: Int32) -> Int32 { nodes[Int(node)].below }

  /// ``Segment/side(_:)`` of a node's segment.
  @inline(__always)
  func side(of node: Int32, _ point: SIMD2<Double>) -> Double { nodes[Int(node)].segment.side(point) }

  /// Moves the end of a node's segment along its ring, when `point`, its present end, lies strictly between
  /// the neighbours.
  ///
  /// - Returns: false, having changed nothing, when it does not.
  @inline(__always)
  mutating func advance(_ node: Int32, from point: SIMD2<Double>, to end: SIMD2<Double>, target: Int32)
    -> Bool
  {
    let above = nodes[Int(node)].above
    if above != Self.none && side(of: above, point) >= 0 { return false }
    let below = nodes[Int(node)].below
    if below != Self.none && side(of: below, point) <= 0 { return false }
    nodes[Int(node)].segment.start = point
    nodes[Int(node)].segment.end = end
    nodes[Int(node)].segment.target = target
    if edges == .geodesic { nodes[Int(node)].segment.bend = Segment.bend(point, end) }
    return true
  }

  /// A segment through `point`, if there is one, or else the neighbours of `point`.
  func search(_ point: SIMD2<Double>) -> (hit: Int32, below: Int32, above: Int32) {
    var node = root
    var below = Self.none
    var above = Self.none
    while node != Self.none {
      let side = side(of: node, point)
      if side == 0 { return (node, Self.none, Self.none) }
      if side > 0 {
        below = node
        node = nodes[Int(node)].high
      } else {
        above = node
        node = nodes[Int(node)].low
      }
    }
    return (Self.none, below, above)
  }

  mutating func insert(_ segment: Segment, below: Int32, above: Int32) -> Int32 {
    var node = Node(segment: segment, below: below, above: above)
    let number = free.last ?? Int32(nodes.count)
    // One of the neighbours has no child on the side of the gap: the tree's order is the list's.
    let isHigh = below != Self.none && nodes[Int(below)].high == Self.none
    let parent = isHigh ? below : above
    node.parent = parent
    if free.popLast() != nil { nodes[Int(number)] = node } else { nodes.append(node) }
    if below != Self.none { nodes[Int(below)].above = number } else { lowest = number }
    if above != Self.none { nodes[Int(above)].below = number }
    if parent == Self.none {
      root = number
    } else {
      if isHigh { nodes[Int(parent)].high = number } else { nodes[Int(parent)].low = number }
      rebalance(from: parent)
    }
    return number
  }

  mutating func remove(_ number: Int32) {
    let node = nodes[Int(number)]
    if node.below != Self.none { nodes[Int(node.below)].above = node.above } else { lowest = node.above }
    if node.above != Self.none { nodes[Int(node.above)].below = node.below }
    free.append(number)
    var unbalanced = node.parent
    if node.low == Self.none || node.high == Self.none {
      replace(number, with: node.low == Self.none ? node.high : node.low)
    } else {
      // The next node has no low child. It takes the place of the removed one.
      let next = node.above
      unbalanced = nodes[Int(next)].parent
      if unbalanced == number {
        unbalanced = next
      } else {
        replace(next, with: nodes[Int(next)].high)
        nodes[Int(next)].high = node.high
        nodes[Int(node.high)].parent = next
      }
      replace(number, with: next)
      nodes[Int(next)].low = node.low
      nodes[Int(node.low)].parent = next
      nodes[Int(next)].height = node.height
    }
    rebalance(from: unbalanced)
  }

  /// Puts `new`, which may be none, in the place of `old` below the parent of `old`.
  private mutating func replace(_ old: Int32, with new: Int32) {
    let parent = nodes[Int(old)].parent
    if new != Self.none { nodes[Int(new)].parent = parent }
    if parent == Self.none {
      root = new
    } else if nodes[Int(parent)].low == old {
      nodes[Int(parent)].low = new
    } else {
      nodes[Int(parent)].high = new
    }
  }

  private func height(_ node: Int32) -> Int8 { node == Self.none ? 0 : nodes[Int(node)].height }

  /// Positive where the high side is higher.
  private func lean(_ node: Int32) -> Int8 {
    height(nodes[Int(node)].high) - height(nodes[Int(node)].low)
  }

  private mutating func updateHeight(_ node: Int32) {
    nodes[Int(node)].height = 1 + max(height(nodes[Int(node)].low), height(nodes[Int(node)].high))
  }

  /// Restores the balance on the way from `start` to the root, as far as heights change.
  private mutating func rebalance(from start: Int32) {
    var node = start
    while node != Self.none {
      let before = nodes[Int(node)].height
      let lean = lean(node)
      if lean > 1 {
        let high = nodes[Int(node)].high
        if self.lean(high) < 0 { rotateUp(nodes[Int(high)].low) }
        node = rotateUp(nodes[Int(node)].high)
      } else if lean < -1 {
        let low = nodes[Int(node)].low
        if self.lean(low) > 0 { rotateUp(nodes[Int(low)].high) }
        node = rotateUp(nodes[Int(node)].low)
      } else {
        updateHeight(node)
      }
      if nodes[Int(node)].height == before { return }
      node = nodes[Int(node)].parent
    }
  }

  /// Exchanges `node` with its parent, which becomes its child; the order stays.
  @discardableResult
  private mutating func rotateUp(_ node: Int32) -> Int32 {
    let parent = nodes[Int(node)].parent
    replace(parent, with: node)
    let moved: Int32
    if nodes[Int(parent)].low == node {
      moved = nodes[Int(node)].high
      nodes[Int(node)].high = parent
      nodes[Int(parent)].low = moved
    } else {
      moved = nodes[Int(node)].low
      nodes[Int(node)].low = parent
      nodes[Int(parent)].high = moved
    }
    if moved != Self.none { nodes[Int(moved)].parent = parent }
    nodes[Int(parent)].parent = node
    updateHeight(parent)
    updateHeight(node)
    return node
  }
}
