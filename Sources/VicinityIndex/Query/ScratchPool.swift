internal import Synchronization

/// Working memory for the convenient calls, lent from query to query instead of allocated for each.
enum ScratchPool {
  /// Working memory on the heap, in one pair of hands at a time.
  final class Loan {
    var value = QueryScratch()
    /// Released by who gives the loan back and acquired by who takes it next: the order that the pool's lock gives, once
    /// more where the thread sanitizer sees it (the lock's contended path is not instrumented).
    let handover = Atomic<Bool>(false)
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
    guard let loan = idle.withLock({ $0.popLast() })?.loan else { return Loan() }
    _ = loan.handover.load(ordering: .acquiring)
    return loan
  }

  static func giveBack(_ loan: Loan) {
    loan.handover.store(true, ordering: .releasing)
    let box = Idle(loan: loan)
    idle.withLock { if $0.count < capacity { $0.append(box) } }
  }
}
