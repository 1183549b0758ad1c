/// Numbers of events to be delivered, in their order.
struct EventQueue {
  private var numbers: [UInt64]
  private var head = 0

  init(_ numbers: [UInt64] = []) { self.numbers = numbers }

  /// The first; nil when there is none.
  var first: UInt64? { head < numbers.count ? numbers[head] : nil }

  mutating func append(_ number: UInt64) { numbers.append(number) }

  /// - Complexity: amortised O(1)
  mutating func removeFirst() {
    head += 1
    if 2 * head > numbers.count {
      numbers.removeSubrange(..<head)
      head = 0
    }
  }

  /// Puts back what was removed last.
  mutating func prepend(_ number: UInt64) {
    if head > 0 {
      head -= 1
      numbers[head] = number
    } else {
      numbers.insert(number, at: 0)
    }
  }
}
