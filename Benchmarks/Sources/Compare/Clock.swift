#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Readings of the system's clocks, nanoseconds.
enum Clock {
  /// CPU time of the calling thread: what the medians are made of.
  static var thread: Double { read(CLOCK_THREAD_CPUTIME_ID) }
  /// CPU time of all threads of the process.
  static var process: Double { read(CLOCK_PROCESS_CPUTIME_ID) }
  /// Elapsed time.
  static var wall: Double { read(CLOCK_MONOTONIC) }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}

/// What a piece of work took.
struct Cost: Encodable {
  /// Elapsed seconds.
  var wall: Double
  /// CPU seconds, all threads.
  var cpu: Double

  /// Runs `body`, measured.
  static func of<Result>(_ body: () throws -> Result) rethrows -> (Result, Cost) {
    let cpu = Clock.process
    let wall = Clock.wall
    let result = try body()
    return (result, Cost(wall: (Clock.wall - wall) / 1e9, cpu: (Clock.process - cpu) / 1e9))
  }
}
