/// The regions that are watched: how many, and what their options want of plans.
struct WatchedRegions {
  private(set) var count: Int
  private(set) var pinned: Set<String> = []
  /// Priorities other than zero.
  private(set) var priorities: [String: Int] = [:]

  init(count: Int) { self.count = count }

  mutating func insert() { count += 1 }

  mutating func remove(_ identifier: String) {
    count -= 1
    pinned.remove(identifier)
    priorities[identifier] = nil
  }

  /// There are other regions now, of which some stay with their options.
  mutating func reset(count: Int, keeping stays: (String) -> Bool) {
    self.count = count
    pinned = pinned.filter(stays)
    priorities = priorities.filter { stays($0.key) }
  }

  mutating func setPriority(_ priority: Int, of identifier: String) {
    priorities[identifier] = priority == 0 ? nil : priority
  }

  mutating func pin(_ identifier: String) { pinned.insert(identifier) }

  /// - Returns: Whether it was pinned.
  @discardableResult
  mutating func unpin(_ identifier: String) -> Bool { pinned.remove(identifier) != nil }
}
