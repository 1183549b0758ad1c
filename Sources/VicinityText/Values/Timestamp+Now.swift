internal import CLibrary
package import VicinityCrossings

extension Timestamp {
  /// What time it is.
  package static func now() -> Timestamp {
    var time = timespec()
    // SAFETY: `time` is a variable of its own, valid for the call; the call cannot fail for this clock.
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
