/// Passes the sightings of one radio on to any number of consumers: a monitor's inputs and rangers of the
/// app.
///
///     let sightings = BeaconSightings()
///     for await sighting in sightings.stream() { for report in ranger.see(sighting) { print(report.beacons) } }
///
/// Each stream gets what is passed on from its beginning to its end, and its consumer takes nothing away from
/// the others. A stream ends with ``finish()``, or when its consumer ends.
public final class BeaconSightings: Sendable {
  private let consumers = Broadcast<BeaconSighting>()

  public init() {}

  /// How many streams have not ended.
  public var count: Int { consumers.count }

  /// A stream of the sightings from now on; it ends at once after ``finish()``.
  public func stream() -> AsyncStream<BeaconSighting> { consumers.stream() }

  /// Passes a sighting on.
  public func yield(_ sighting: BeaconSighting) { consumers.send(sighting) }

  /// Ends all streams, also those that are asked for later.
  public func finish() { consumers.finish() }
}
