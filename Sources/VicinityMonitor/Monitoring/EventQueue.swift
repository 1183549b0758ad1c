/// The numbers of events to deliver, in their order, one at a time.
struct EventQueue {
  private var numbers: [UInt64]
  private var head = 0
  /// The event that is being handled.
  private var delivered: UInt64?

  init(_ numbers: [UInt64] = []) { self.numbers = numbers }

  /// Whether ``next()`` has a number.
  var hasNext: Bool { delivered == nil && head < numbers.count }

  mutating func append(_ number: UInt64) { numbers.append(number) }

  /// The next event, which counts as being handled from now on; nil when there is none, or while one is being handled.
  ///
  /// - Complexity: amortised O(1)
  mutating func next() -> UInt64? {
    guard hasNext else { return nil }
    delivered = numbers[head]
    head += 1
    if 2 * head > numbers.count {
      numbers.removeSubrange(..<head)
      head = 0
    }
    return delivered
  }

  /// Ends the handling of an event; the event, if there was one.
  mutating func finish() -> UInt64? {
    defer { delivered = nil }
    return delivered
  }

  /// Makes the event that is being handled the next one again.
  mutating func putBack() {
    guard let number = finish() else { return }
    if head > 0 {
      head -= 1
      numbers[head] = number
    } else {
      numbers.insert(number, at: 0)
    }
  }
}
