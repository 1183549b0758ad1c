import Testing
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityMonitor

/// Entries and exits of beacon identities.
@Suite struct BeaconPresenceTests {
  static let family = ProximityUUID(high: 0x2F23_4454_CF6D_4A0F, low: 0xADF2_F491_1BA9_FFA6)

  static func time(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: 1_600_000_000_000_000 + Int64(seconds * 1e6))
  }

  static func sighting(
    _ major: UInt16, _ minor: UInt16, at seconds: Double, rssi: Int = -60, power: Int = -59
  ) -> BeaconSighting {
    BeaconSighting(
      uuid: family, major: major, minor: minor, rssi: rssi, measuredPower: power, time: time(seconds))
  }

  static let any = BeaconIdentity(uuid: family)
  static let ones = BeaconIdentity(uuid: family, major: 1)
  static func one(_ minor: UInt16) -> BeaconIdentity { BeaconIdentity(uuid: family, major: 1, minor: minor) }

  private func presence(_ identities: BeaconIdentity..., timeout: Double = 30) throws -> BeaconPresence {
    var presence = try BeaconPresence(timeout: .microseconds(Int64(timeout * 1e6)))
    for identity in identities { #expect(presence.watch(identity, at: Self.time(0)).isEmpty) }
    return presence
  }

  private typealias Change = BeaconPresence.Change

  @Test func entersAtTheFirstAndLeavesAfterTheLast() throws {
    var presence = try presence(Self.ones)
    #expect(presence.state(of: Self.ones) == .unknown)
    #expect(presence.nextDeadline == Self.time(30))
    let entry = Change(identity: Self.ones, state: .satisfied, refinement: Self.one(7), date: Self.time(3))
    #expect(presence.see(Self.sighting(1, 7, at: 3)) == [entry])
    #expect(presence.state(of: Self.ones) == .satisfied)
    for second in 4..<40 { #expect(presence.see(Self.sighting(1, 7, at: Double(second))).isEmpty) }
    #expect(presence.nextDeadline == Self.time(69))
    #expect(presence.advance(to: Self.time(68.999)).isEmpty)
    // Asked late, it still says when.
    let exit = Change(identity: Self.ones, state: .unsatisfied, date: Self.time(69))
    #expect(presence.advance(to: Self.time(500)) == [exit])
    #expect(presence.refinement(of: Self.ones) == nil)
    #expect(presence.nextDeadline == nil)
    #expect(presence.advance(to: Self.time(1000)).isEmpty)
  }

  @Test func silenceDetermines() throws {
    var presence = try presence(Self.ones)
    #expect(presence.see(Self.sighting(2, 7, at: 10)).isEmpty)
    let outside = Change(identity: Self.ones, state: .unsatisfied, date: Self.time(30))
    #expect(presence.advance(to: Self.time(30)) == [outside])
    #expect(presence.nextDeadline == nil)
    #expect(presence.state(of: Self.any) == .unmonitored)
  }

  @Test func wildcardsShareSightings() throws {
    var presence = try presence(Self.one(7), Self.any, Self.ones)
    let entries = presence.see(Self.sighting(1, 7, at: 1))
    #expect(entries.map(\.identity) == [Self.any, Self.ones, Self.one(7)])
    #expect(entries.allSatisfy { $0.refinement == Self.one(7) })
    #expect(presence.see(Self.sighting(1, 8, at: 20)).isEmpty)
    #expect(presence.advance(to: Self.time(31)).map(\.identity) == [Self.one(7)])
    // The next takes over, which is no change of state.
    #expect(presence.refinement(of: Self.any) == Self.one(8))
    #expect(presence.refinement(of: Self.ones) == Self.one(8))
    // In the order in which they were watched.
    #expect(presence.advance(to: Self.time(50)).map(\.identity) == [Self.any, Self.ones])
  }

  @Test func theRefinementStaysWithTheFirst() throws {
    var presence = try presence(Self.ones)
    _ = presence.see(Self.sighting(1, 3, at: 0, rssi: -95))
    _ = presence.see(Self.sighting(1, 2, at: 1, rssi: -40))
    _ = presence.see(Self.sighting(1, 1, at: 2, rssi: -30))
    for second in 3..<40 { _ = presence.see(Self.sighting(1, 3, at: Double(second))) }
    #expect(presence.refinement(of: Self.ones) == Self.one(3))
    // The others have left and come back in another order.
    _ = presence.see(Self.sighting(1, 1, at: 40))
    _ = presence.see(Self.sighting(1, 2, at: 41))
    #expect(presence.advance(to: Self.time(69)).isEmpty)
    #expect(presence.refinement(of: Self.ones) == Self.one(1))
  }

  @Test func aSightingAtTheLastInstantComesFirst() throws {
    var presence = try presence(Self.ones, Self.one(1))
    _ = presence.see(Self.sighting(1, 1, at: 0))
    #expect(presence.see(Self.sighting(1, 1, at: 30)).isEmpty)
    // Another beacon keeps the group, not the identity.
    #expect(presence.see(Self.sighting(1, 2, at: 60)).map(\.identity) == [Self.one(1)])
    #expect(presence.refinement(of: Self.ones) == Self.one(2))
    // A moment later it is a new stay.
    let changes = presence.see(Self.sighting(1, 2, at: 90.000001))
    #expect(changes.map(\.state) == [.unsatisfied, .satisfied])
    #expect(changes.map(\.date) == [Self.time(90), Self.time(90.000001)])
  }

  @Test func timeRunsForwardOnly() throws {
    var presence = try presence(Self.ones)
    _ = presence.see(Self.sighting(1, 1, at: 100))
    #expect(presence.advance(to: Self.time(50)).isEmpty)
    // Late, but later than the last: puts off the exit. Older: changes nothing.
    _ = presence.advance(to: Self.time(120))
    _ = presence.see(Self.sighting(1, 1, at: 110))
    _ = presence.see(Self.sighting(1, 1, at: 90))
    #expect(presence.nextDeadline == Self.time(140))
    #expect(presence.advance(to: Self.time(200)).map(\.date) == [Self.time(140)])
    #expect(presence.see(Self.sighting(1, 1, at: 170)).isEmpty)
    let late = presence.see(Self.sighting(1, 1, at: 171))
    #expect(late.map(\.date) == [Self.time(200)])
    #expect(presence.nextDeadline == Self.time(201))
  }

  @Test func watchingLaterAndForgetting() throws {
    var presence = try presence(Self.any)
    _ = presence.see(Self.sighting(1, 1, at: 5))
    let known = presence.watch(Self.ones, at: Self.time(6))
    #expect(
      known == [Change(identity: Self.ones, state: .satisfied, refinement: Self.one(1), date: Self.time(6))])
    #expect(presence.watch(Self.ones, at: Self.time(7)).isEmpty)
    presence.unwatch(Self.any)
    #expect(presence.state(of: Self.any) == .unmonitored)
    #expect(presence.state(of: Self.ones) == .satisfied)
    presence.unwatch(Self.ones)
    // With nobody to look for it, it is not remembered.
    #expect(presence.watch(Self.any, at: Self.time(8)).isEmpty)
    _ = presence.see(Self.sighting(1, 1, at: 9))
    presence.forget(at: Self.time(20))
    #expect(presence.state(of: Self.any) == .unknown)
    #expect(presence.advance(to: Self.time(49)).isEmpty)
    #expect(presence.advance(to: Self.time(50)).map(\.state) == [.unsatisfied])
  }

  @Test func extremes() throws {
    #expect(throws: BeaconOptionsError.durationNotPositive(option: "beacon timeout", value: .zero)) {
      _ = try BeaconPresence(timeout: .zero)
    }
    var presence = try BeaconPresence(timeout: .seconds(Int64.max))
    let (first, last) = (Timestamp(microseconds: .min), Timestamp(microseconds: .max))
    _ = presence.watch(Self.any, at: first)
    var sighting = Self.sighting(0, 0, at: 0)
    sighting.time = first
    #expect(presence.see(sighting).map(\.state) == [.satisfied])
    sighting.time = last
    _ = presence.see(sighting)
    _ = presence.advance(to: last)
    #expect(presence.advance(to: last).isEmpty)
  }

  // MARK: Against a model

  /// A beacon is in range over the union of the spans of its sightings; nothing else is remembered.
  private struct Model {
    struct Span {
      var beacon: BeaconIdentity
      var from: Int64
      var to: Int64
      /// Which sighting began the unbroken row of spans that this belongs to.
      var stay: Int
    }
    struct Watch {
      var since: Int64
      var state = MonitoringState.unknown
    }
    let timeout: Int64
    var now = Int64.min / 2
    var sightings = 0
    var spans: [Span] = []
    var watched: [BeaconIdentity: Watch] = [:]

    mutating func step(to time: Int64, sighting: BeaconSighting? = nil) -> Set<Change> {
      let before = now
      now = max(now, time)
      if let sighting, watched.keys.contains(where: { $0.matches(sighting.beacon) }) {
        sightings += 1
        let end = sighting.time.microseconds + timeout
        let last = spans.filter { $0.beacon == sighting.beacon }.max { $0.to < $1.to }
        let goesOn = last.map { $0.to > before && $0.to >= now } ?? false
        if goesOn || end > now {
          spans.append(
            Span(
              beacon: sighting.beacon, from: now, to: end, stay: goesOn ? last?.stay ?? 0 : sightings))
        }
      }
      var changes: Set<Change> = []
      for (identity, watch) in watched {
        let mine = spans.filter { identity.matches($0.beacon) }
        let instants = Set(mine.map(\.to) + [watch.since + timeout, now]).filter { before < $0 && $0 <= now }
        for instant in instants.union([now]).sorted() {
          let inside = mine.contains { $0.from <= instant && instant < $0.to }
          let old = watched[identity]?.state ?? .unknown
          let new: MonitoringState =
            inside
            ? .satisfied
            : old == .unknown && instant < watch.since + timeout ? .unknown : .unsatisfied
          if new != old {
            watched[identity]?.state = new
            changes.insert(
              Change(
                identity: identity, state: new, refinement: inside ? refinement(identity) : nil,
                date: Timestamp(microseconds: instant)))
          }
        }
      }
      return changes
    }

    func refinement(_ identity: BeaconIdentity) -> BeaconIdentity? {
      spans.filter { identity.matches($0.beacon) && $0.to > now }.min { $0.stay < $1.stay }?.beacon
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>) func agreesWithTheModel(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let timeout = Int64(1 + random.below(12))
    var presence = try BeaconPresence(timeout: .microseconds(timeout))
    var model = Model(timeout: timeout)
    let all = [Self.any, Self.ones, Self.one(0), Self.one(1), BeaconIdentity(uuid: Self.family, major: 2)]
    var clock: Int64 = 0
    for step in 0..<400 {
      clock += Int64(random.below(5))
      let time = Timestamp(microseconds: clock - (random.below(4) == 0 ? Int64(random.below(15)) : 0))
      let identity = all[random.below(all.count)]
      let changes: [Change]
      let expected: Set<Change>
      switch random.below(20) {
      case 0..<12:
        var sighting = Self.sighting(UInt16(1 + random.below(2)), UInt16(random.below(3)), at: 0)
        sighting.time = time
        changes = presence.see(sighting)
        expected = model.step(to: time.microseconds, sighting: sighting)
      case 12..<17:
        changes = presence.advance(to: time)
        expected = model.step(to: time.microseconds)
      case 17, 18:
        changes = presence.watch(identity, at: time)
        let before = model.step(to: time.microseconds)
        if model.watched[identity] == nil { model.watched[identity] = .init(since: model.now) }
        expected = before.union(model.step(to: model.now))
      default:
        if random.below(2) == 0 {
          presence.unwatch(identity)
          model.watched[identity] = nil
          model.spans.removeAll { span in !model.watched.keys.contains { $0.matches(span.beacon) } }
          changes = []
          expected = []
        } else {
          changes = []
          expected = []
          presence.forget(at: time)
          model.now = max(model.now, time.microseconds)
          model.spans = []
          for key in model.watched.keys { model.watched[key] = .init(since: model.now) }
        }
      }
      #expect(Set(changes) == expected && changes.count == expected.count, "seed \(seed), step \(step)")
      #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.date <= $1.date })
      for identity in all {
        #expect(presence.state(of: identity) == model.watched[identity]?.state ?? .unmonitored)
        if presence.state(of: identity) == .satisfied {
          #expect(
            presence.refinement(of: identity) == model.refinement(identity), "seed \(seed), step \(step)")
        }
      }
      let ends = model.spans.map(\.to).filter { $0 > model.now }
      if let deadline = presence.nextDeadline {
        #expect(deadline.microseconds > model.now, "seed \(seed), step \(step)")
      } else {
        #expect(ends.isEmpty, "seed \(seed), step \(step)")
      }
    }
  }
}
