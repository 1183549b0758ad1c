import Testing
import VicinityCrossings
import VicinityMonitor

/// One radio, several consumers.
@Suite struct BeaconSightingsTests {
  @Test func everyConsumerGetsEverySighting() async {
    let sightings = BeaconSightings()
    let streams = (0..<3).map { _ in sightings.stream() }
    #expect(sightings.count == 3)
    for second in 0..<5 { sightings.yield(BeaconPresenceTests.sighting(1, 7, at: Double(second))) }
    let late = sightings.stream()
    sightings.yield(BeaconPresenceTests.sighting(1, 7, at: 5))
    sightings.finish()
    for (stream, count) in streams.map({ ($0, 6) }) + [(late, 1), (sightings.stream(), 0)] {
      var times: [Double] = []
      for await sighting in stream { times.append(sighting.time.seconds) }
      #expect(times.count == count && times == times.sorted())
    }
    #expect(sightings.count == 0)
  }

  @Test func aConsumerThatEndsTakesNothingAway() async {
    let sightings = BeaconSightings()
    let stays = sightings.stream()
    let leaves = Task { [stream = sightings.stream()] in
      for await _ in stream {}
    }
    leaves.cancel()
    await leaves.value
    #expect(sightings.count == 1)
    sightings.yield(BeaconPresenceTests.sighting(1, 7, at: 1))
    sightings.finish()
    var count = 0
    for await _ in stays { count += 1 }
    #expect(count == 1)
  }
}
