import Testing
import Vicinity
import VicinityMonitor

@testable import VicinityCoreLocation

/// The sequence of what a phone tells a monitor.
struct InputTests {
  @Test func aNewIteratorTakesOverAndWhatNobodyTookWaits() async {
    let queue = InputQueue {}
    let inputs = PhoneInputs(queue: queue)
    queue.tell([.noFix, .woken])
    var first = inputs.makeAsyncIterator()
    #expect(await first.next() == .noFix)
    var second = inputs.makeAsyncIterator()
    #expect(await second.next() == .woken)
    #expect(await first.next() == nil)
    queue.tell([.noFix])
    #expect(await second.next() == .noFix)
    queue.finish()
    #expect(await second.next() == nil)
  }

  @Test func anIteratorThatWaitsEndsWhenItIsCancelledOrReplaced() async {
    let queue = InputQueue {}
    let inputs = PhoneInputs(queue: queue)
    for isCancelled in [true, false] {
      let task = Task {
        var iterator = inputs.makeAsyncIterator()
        return await iterator.next()
      }
      await Task.yield()
      if isCancelled { task.cancel() } else { _ = queue.makeConsumer() }
      // Where the task has not begun, it comes after, and takes over: then it has to be ended.
      if !isCancelled { queue.finish() }
      #expect(await task.value == nil)
    }
  }

  @Test func askingForTheNextSaysThatTheLastIsDealtWith() async {
    let queue = InputQueue {}
    var iterator = PhoneInputs(queue: queue).makeAsyncIterator()
    queue.tell([.noFix, .woken])
    #expect(!queue.hasCaughtUp)
    _ = await iterator.next()
    _ = await iterator.next()
    #expect(!queue.hasCaughtUp, "the last one is being dealt with")
    queue.stored(unhandledEvents: 1)
    let waiting = Task { [iterator] in
      var iterator = iterator
      return await iterator.next()
    }
    await Task.yield()
    #expect(!queue.hasCaughtUp, "an event is left")
    queue.stored(unhandledEvents: 0)
    while !queue.hasCaughtUp { await Task.yield() }
    waiting.cancel()
    #expect(await waiting.value == nil)
  }
}
