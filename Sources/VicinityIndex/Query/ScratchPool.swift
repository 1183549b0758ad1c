internal import Synchronization

/// Working memory for the convenient calls, lent from query to query instead of allocated for each.
enum ScratchPool {
  /// Working memory on the heap, in one pair of hands at a time.
  final class Loan {
    var value = QueryScratch()
  }

  /// A loan that nobody holds may change threads.
  // SAFETY: a box is either in the pool, where nobody reads its loan, or has just been taken out of it by the
  // one thread that will use it; the pool's lock orders the two.
  private struct Idle: @unchecked Sendable {
    let loan: Loan
  }

  private static let idle = Mutex<[Idle]>([])

  /// More than there are cores to run queries on; what is given back beyond that is freed.
  private static let capacity = 64

  static func take() -> Loan {
    idle.withLock { $0.popLast() }?.loan ?? Loan()
  }

  static func giveBack(_ loan: Loan) {
    let box = Idle(loan: loan)
    idle.withLock { if $0.count < capacity { $0.append(box) } }
  }
}
