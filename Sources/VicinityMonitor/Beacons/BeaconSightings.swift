internal import Synchronization

/// Passes the sightings of one radio on to any number of consumers: a monitor's inputs and rangers of the app.
///
///     let sightings = BeaconSightings()
///     for await sighting in sightings.stream() { for report in ranger.see(sighting) { print(report.beacons) } }
///
/// Each stream gets what is passed on from its beginning to its end, and its consumer takes nothing away from the others. A stream
/// ends with ``finish()``, or when its consumer ends.
public final class BeaconSightings: Sendable {
  private struct Consumers {
    var streams: [Int: AsyncStream<BeaconSighting>.Continuation] = [:]
    var last = 0
    var isFinished = false
  }

  private let consumers = Mutex(Consumers())

  public init() {}

  deinit { finish() }

  /// How many streams have not ended.
  public var count: Int { consumers.withLock { $0.streams.count } }

  /// A stream of the sightings from now on; it ends at once after ``finish()``.
  public func stream() -> AsyncStream<BeaconSighting> {
    let (stream, continuation) = AsyncStream.makeStream(of: BeaconSighting.self)
    let number = consumers.withLock { consumers -> Int? in
      guard !consumers.isFinished else { return nil }
      consumers.last += 1
      consumers.streams[consumers.last] = continuation
      return consumers.last
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.consumers.withLock { $0.streams[number] = nil }
    }
    return stream
  }

  /// Passes a sighting on.
  public func yield(_ sighting: BeaconSighting) {
    let streams = consumers.withLock { Array($0.streams.values) }
    for stream in streams { stream.yield(sighting) }
  }

  /// Ends all streams, also those that are asked for later.
  public func finish() {
    let streams = consumers.withLock { consumers in
      defer {
        consumers.streams = [:]
        consumers.isFinished = true
      }
      return Array(consumers.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}
