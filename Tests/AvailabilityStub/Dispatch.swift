// The part of Apple's module Dispatch that the package uses.

// dispatch/dispatchqueue
open class DispatchQueue {
  // dispatch/dispatchqueue/concurrentperform(iterations:execute:)
  public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {}
}
