import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex

@testable import VicinityMonitor

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Errors of positions that wander across a boundary, and departures.
@Suite("Rest beside a boundary")
struct RestTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  private static func place(_ east: Double) -> Coordinate { MonitorSample.east(east) }

  private static func circle(_ identifier: String, _ east: Double, _ radius: Double) -> Region {
    Region(identifier: identifier, center: place(east), radius: radius)
  }

  @Test(
    "What was decided is taken back by a proof, until the device has moved away; and an exit of one that stands needs it always"
  )
  func proof() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    let margins = BoundaryEvidence.Margins(entry: 0.3, exit: 0)
    var evidence = BoundaryEvidence()
    evidence.resume()
    func handle(_ east: Double, isStill: Bool = false) throws -> [Bool] {
      try evidence.handle(Self.place(east), accuracy: 10, margins: margins, isStill: isStill, in: regions)
      return evidence.changes.map(\.isInside)
    }
    #expect(try handle(300) == [] && handle(95) == [true])
    // Errors wander by some metres beyond the boundary, for as long as they like; and no one waits for the
    // next position.
    for east in [105.0, 98, 110, 114, 114] {
      #expect(try handle(east) == [] && !evidence.isAmbiguous, "\(east) m")
    }
    // More than twenty metres away from where the entry was told.
    #expect(try handle(116) == [false])
    for east in [105.0, 99, 97, 97] { #expect(try handle(east) == [], "\(east) m") }
    #expect(try handle(95) == [true])
    // One that stands must be beyond the boundary by as much.
    #expect(try handle(119, isStill: true) == [] && handle(121, isStill: true) == [false])
    #expect(try handle(81, isStill: true) == [] && handle(79, isStill: true) == [true])
    // Away from there, a position outside is enough, unless the device stands.
    #expect(try handle(50) == [] && handle(110, isStill: true) == [] && handle(110, isStill: true) == [])
    #expect(evidence.disagreeing == [0])
    #expect(try handle(110) == [false])
    // One that stands enters as ever, once it has been away.
    #expect(try handle(200) == [] && handle(96, isStill: true) == [true])
    evidence.remove(0)
    #expect(evidence.disagreeing.isEmpty && evidence.inside.isEmpty)
  }

  @Test("A mean takes nothing back that a position could not, however many positions it is of")
  func proofOfMeans() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    var evidence = BoundaryEvidence()
    evidence.resume()
    func handle(_ east: Double, usual: Double?) throws -> [Bool] {
      try evidence.handle(
        Self.place(east), accuracy: 2, usualAccuracy: usual, margins: .init(entry: 1, exit: 1), isStill: true,
        in: regions)
      return evidence.changes.map(\.isInside)
    }
    // What is decided for the first time needs no more than the mean's accuracy.
    #expect(try handle(97, usual: 10) == [true])
    #expect(try handle(119, usual: 10) == [] && handle(121, usual: 10) == [false])
    #expect(try handle(81, usual: 10) == [] && handle(79, usual: 10) == [true])
    #expect(try handle(105, usual: nil) == [false])
  }

  @Test(
    "A position that is farther from earlier ones than the device's speeds have brought it has jumped, for 25 seconds"
  )
  func jumps() {
    var detector = MotionDetector()
    func jumps(_ seconds: Double, _ east: Double, speed: Double = 1.4) -> Bool {
      let fix = Fix(
        time: Self.start.advanced(by: .seconds(seconds)), coordinate: Self.place(east),
        horizontalAccuracy: 5, speed: speed)
      _ = detector.isMoving(to: fix, accuracy: 5)
      return detector.isImplausible
    }
    // Somebody who walks, with errors of a few metres.
    for second in 0..<60 {
      #expect(!jumps(Double(second), 1.4 * Double(second) + (second % 2 == 0 ? 4 : -4)), "\(second) s")
    }
    // Thirty metres at once; what is compared is up to 25 seconds old, and one in five seconds.
    let jumped = (60..<90).filter { jumps(Double($0), 1.4 * Double($0) + 30) }
    #expect(
      jumped.first == 60 && (80...84).contains(jumped.last ?? 0)
        && jumped.count == jumped.last.map { $0 - 59 })
    // A car that is as fast as it says has not jumped, and one whose speed is not known may have gone any
    // way.
    for second in 90..<120 { #expect(!jumps(Double(second), 156 + 20 * Double(second - 90), speed: 20)) }
    for second in 120..<150 { #expect(!jumps(Double(second), 756 + 30 * Double(second - 120), speed: -1)) }
  }

  @Test("While positions jump nothing is told, of those that come every few seconds")
  func heldWhileJumping() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    /// When changes are told of somebody who walks east, seconds, at one of whose seconds positions go ahead
    /// by a distance for eight seconds.
    func changes(
      from start: Double = 20.5, by jump: Double, at jumping: Double = 20, every step: Double,
      isVouched: Bool = false
    ) throws -> [Double] {
      var tracker = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
      var told: [Double] = []
      for seconds in stride(from: 0.0, through: 200, by: step) {
        let time = Self.start.advanced(by: .seconds(seconds))
        let error = (jumping..<jumping + 8).contains(seconds) ? jump : 0
        let fix = Fix(
          time: time, coordinate: Self.place(start + 1.25 * seconds + error), horizontalAccuracy: 5,
          speed: 1.25)
        _ = try tracker.handle(fix, now: time, isVouched: isVouched, in: regions)
        if !tracker.evidence.changes.isEmpty, seconds > 0 { told.append(seconds) }
      }
      return told
    }
    // The boundary is reached after 63.6 s. The jump alone would have told the exit, an entry after it, and
    // the exit again.
    #expect(try changes(by: 0, every: 1) == [64])
    #expect(try changes(by: 70, every: 1) == [64])
    #expect(try changes(by: 70, every: 1, isVouched: true) == [21, 29, 64])
    // Somebody who comes, reaches the boundary after 24.4 s, and is told to have entered two positions later,
    // and to have left after 184.4 s. One who comes after 40.4 s, whose positions go ahead; and one who has
    // left, whose positions go back.
    #expect(try changes(from: -130.5, by: 0, every: 1) == [26, 185])
    #expect(try changes(from: -150.5, by: 60, at: 10, every: 1) == [42])
    #expect(try changes(by: -60, at: 90, every: 1) == [64])
    // A drive whose speeds nobody knows is as good as any.
    var drive = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
    var driven: [Double] = []
    for seconds in stride(from: 0.0, through: 60, by: 1) {
      let time = Self.start.advanced(by: .seconds(seconds))
      let fix = Fix(time: time, coordinate: Self.place(-201 + 7.5 * seconds), horizontalAccuracy: 5)
      _ = try drive.handle(fix, now: time, in: regions)
      if !drive.evidence.changes.isEmpty { driven.append(seconds) }
    }
    #expect(driven == [14, 41])
    // A device that says that it stands all the time is told to have left twenty seconds later.
    var liar = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
    var left: [Double] = []
    for seconds in stride(from: 0.0, through: 100, by: 1) {
      let time = Self.start.advanced(by: .seconds(seconds))
      let fix = Fix(
        time: time, coordinate: Self.place(20.5 + 7.5 * seconds), horizontalAccuracy: 5, speed: 0)
      _ = try liar.handle(fix, now: time, in: regions)
      if !liar.evidence.changes.isEmpty, seconds > 0 { left.append(seconds) }
    }
    #expect(left.count == 1 && left.allSatisfy { (30...36).contains($0) })
    // Where positions are rare, whoever waited for the next one would be late.
    #expect(try changes(by: 70, every: 10) == [20, 30, 70])
  }

  @Test("At rest the mean is the best linear estimate where errors are a Gauss-Markov process")
  func meanOfCorrelatedErrors() {
    // Of four positions, at 0, 60, 400 and 460 s: the weights that solve the normal equations for
    // correlations of exp(-d/300 s).
    let times = [0.0, 60, 400, 460]
    let places = [0.0, 8, -4, 12]
    var place = StopDetector()
    for (time, east) in zip(times, places) {
      place.handle(
        Fix(
          time: Self.start.advanced(by: .seconds(time)), coordinate: Self.place(east), horizontalAccuracy: 12)
      )
    }
    // Gauss's elimination of R w = 1, where R are the correlations.
    var rows = times.map { a in times.map { exp(-abs(a - $0) / 300) } + [1] }
    for i in rows.indices {
      let pivot = rows[i].map { $0 / rows[i][i] }
      rows[i] = pivot
      for j in rows.indices where j != i {
        let factor = rows[j][i]
        rows[j] = zip(rows[j], pivot).map { $0 - factor * $1 }
      }
    }
    let weights = rows.compactMap(\.last)
    let information = weights.reduce(0, +)
    let mean = zip(weights, places).reduce(0) { $0 + $1.0 * $1.1 } / information
    #expect(abs(place.meanAccuracy - 12 / information.squareRoot()) < 1e-9)
    #expect(Geodesic.uncheckedDistance(place.mean, Self.place(mean)) < 1e-4)
    // Across the antimeridian as elsewhere.
    var far = StopDetector()
    for (time, east) in zip(times, [179.99999, -179.99999, 179.99999, -179.99999]) {
      far.handle(
        Fix(
          time: Self.start.advanced(by: .seconds(time)), coordinate: Coordinate(latitude: 0, longitude: east),
          horizontalAccuracy: 12))
    }
    #expect(abs(abs(far.mean.longitude) - 180) < 0.00001)
    // Ever so many positions close to each other are hardly more than one.
    var dense = StopDetector()
    for second in 0...600 {
      dense.handle(
        Fix(
          time: Self.start.advanced(by: .seconds(Double(second))), coordinate: Self.place(0),
          horizontalAccuracy: 10))
    }
    #expect(abs(dense.meanAccuracy - 10 / 2.0.squareRoot()) < 0.01)
  }

  @Test("A walk is motion, at every accuracy; errors that wander half as fast are none")
  func motion() {
    for accuracy in [3.0, 10, 20, 65] {
      for (speed, moves) in [(1.4, true), (0.45, false)] {
        var motion = MotionDetector()
        var isMoving = false
        // Stands for ten minutes, then goes.
        for second in 0...700 {
          let fix = Fix(
            time: Self.start.advanced(by: .seconds(Double(second))),
            coordinate: Self.place(max(0, Double(second) - 600) * speed), horizontalAccuracy: accuracy)
          isMoving = motion.isMoving(to: fix, accuracy: accuracy)
          if second > 60, second <= 600 { #expect(!isMoving) }
        }
        #expect(isMoving == moves, "\(speed) m/s, good to \(accuracy) m")
      }
    }
    var motion = MotionDetector()
    func fix(_ seconds: Double, _ east: Double, speed: Double = -1) -> Fix {
      Fix(
        time: Self.start.advanced(by: .seconds(seconds)), coordinate: Self.place(east), horizontalAccuracy: 5,
        speed: speed)
    }
    // The first position, a speed, and a step that is too large for errors.
    #expect(
      motion.isMoving(to: fix(0, 0), accuracy: 5) && motion.isMoving(to: fix(1, 0, speed: 2), accuracy: 5))
    #expect(
      !motion.isMoving(to: fix(600, 28), accuracy: 5) && motion.isMoving(to: fix(1200, 60), accuracy: 5))
    // Under a roof errors go forty metres in as many seconds; whoever is to have left goes sixty.
    func moves(_ speed: Double, isAtRest: Bool, isRoofed: Bool = true) -> Double? {
      var motion = MotionDetector()
      let places = (0...200).map {
        fix(Double($0), max(0, Double($0) - 100) * speed, speed: isRoofed ? -1 : speed)
      }
      return places.first {
        motion.isMoving(to: $0, accuracy: 10, isAtRest: isAtRest) && $0.time.seconds(since: Self.start) > 80
      }?.time.seconds(since: Self.start)
    }
    #expect(moves(1.2, isAtRest: false) == 124 && moves(1.2, isAtRest: true) == 151)
    #expect(moves(1.2, isAtRest: true, isRoofed: false) == 124 && moves(0.9, isAtRest: true) == nil)
  }

  @Test("After a drive, and after a jump, a device is known to stand within half a minute")
  func standing() {
    for (last, accuracy) in [(0.0, 5.0), (0.0, 20), (0.3, 20)] {
      var motion = MotionDetector()
      func isMoving(_ second: Int, _ east: Double, speed: Double) -> Bool {
        motion.isMoving(
          to: Fix(
            time: Self.start.advanced(by: .seconds(Double(second))), coordinate: Self.place(east),
            horizontalAccuracy: accuracy, speed: speed), accuracy: accuracy)
      }
      for second in 0...120 { #expect(isMoving(second, 15 * Double(second), speed: 15)) }
      // It stands at 1800 m, while its error grows. Of positions one in five seconds is compared.
      let stood = (121...240).filter {
        !isMoving($0, 1800 + last * Double($0 - 120), speed: 0)
      }
      #expect((140...145).contains(stood.first ?? 0) && stood.count == 240 - (stood.first ?? 0) + 1)
      // The position jumps by forty metres, and stays there; the error had twenty seconds.
      let moved = (241...300).filter { isMoving($0, 1840 + last * 120, speed: 0) }
      #expect(moved.allSatisfy { $0 <= 266 })
    }
  }

  @Test(
    "At rest a position away from there counts as its error, where one comes every second and the device has not gone"
  )
  func wandering() throws {
    let regions = try RegionIndex([Self.circle("a", 60, 100)])
    var tracker = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
    var seconds = 0.0
    func go(
      _ east: Double, after step: Double = 1, accuracy: Double = 10, speed: Double = -1
    ) throws -> FixTracker.Outcome {
      seconds += step
      let time = Self.start.advanced(by: .seconds(seconds))
      return try tracker.handle(
        Fix(time: time, coordinate: Self.place(east), horizontalAccuracy: accuracy, speed: speed), now: time,
        in: regions)
    }
    for _ in 0..<900 { _ = try go(0) }
    // The errors wander to 50 m outside, in three minutes, and back.
    for east in (1...180).map({ Double($0) / 2 }) + (1...180).map({ 90 - Double($0) / 2 }) {
      #expect(try go(-east) == .accepted && tracker.evidence.changes.isEmpty && tracker.stop.isAtRest)
    }
    // A walk leaves, and its exit is told within half a minute of it.
    var exit: Double?
    for second in 1...90 {
      _ = try go(-1.4 * Double(second))
      if !tracker.evidence.changes.isEmpty { exit = Double(second) }
    }
    #expect(exit.map { $0 < 40 / 1.4 + 30 } == true && !tracker.stop.isAtRest)
    // Back, and at rest. Half a minute apart, positions with a speed tell that there was a walk, and two of
    // them are enough.
    for _ in 0..<900 { _ = try go(0) }
    #expect(tracker.stop.isAtRest && tracker.evidence.inside == [0])
    #expect(try go(-60, after: 30, speed: 1.3) == .contradicted && go(-60, after: 30, speed: 0) == .accepted)
    #expect(tracker.evidence.inside.isEmpty)
  }

  @Test(
    "At rest positions without satellites, far apart in time, are errors up to a hundred metres, unless they stay away"
  )
  func wanderingUnderRoofs() throws {
    let regions = try RegionIndex([Self.circle("a", 60, 100)])
    var tracker = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
    var seconds = 0.0
    func go(_ east: Double) throws -> FixTracker.Outcome {
      seconds += 60
      let time = Self.start.advanced(by: .seconds(seconds))
      return try tracker.handle(
        Fix(time: time, coordinate: Self.place(east), horizontalAccuracy: 15), now: time, in: regions)
    }
    func rest() throws {
      for _ in 0..<60 { _ = try go(0) }
      #expect(tracker.stop.isAtRest && tracker.evidence.inside == [0])
    }
    try rest()
    // Ten minutes seventy metres away, and back.
    for east in [Double](repeating: -70, count: 10) + [Double](repeating: 0, count: 10) {
      #expect(try go(east) == .accepted && tracker.evidence.changes.isEmpty && tracker.stop.isAtRest)
    }
    // For longer than errors last: another place, and the exit is told there.
    var minutes = 0
    while tracker.evidence.inside == [0], minutes < 60 {
      _ = try go(-95)
      minutes += 1
    }
    #expect((20...30).contains(minutes), "\(minutes) min")
    #expect(tracker.stop.isAtRest)
    // Farther than errors: two positions, as ever.
    for _ in 0..<2 { _ = try go(300) }
    for _ in 0..<40 { _ = try go(0) }
    #expect(tracker.stop.isAtRest && tracker.evidence.inside == [0])
    #expect(try go(-160) == .contradicted && go(-160) == .accepted && tracker.evidence.inside.isEmpty)
  }
}
