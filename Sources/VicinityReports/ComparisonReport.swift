internal import VicinityCrossings
public import VicinityEvaluation
public import VicinityGeodesy
internal import VicinityMonitor
internal import VicinitySimulation

/// Everything that the page of a study is made of.
public struct ComparisonReport: Sendable {
  /// What came of the study.
  public var result: StudyResult
  /// Where the devices went, as few points as a map needs; none where no map is wanted.
  public var ways: [[Coordinate]]
  /// Which regions are too small or too crowded; nil where nobody asked.
  public var advice: RadiusAdvice?
  /// What a policy is to reach; nil where nothing was asked for.
  public var requirement: Requirement?
  /// Whether a policy reaches it, and in words which: of a search, say. Where there are none, the policies of the study
  /// are looked at.
  public var answer: (isMet: Bool, words: [String])?

  /// A report.
  public init(
    _ result: StudyResult, ways: [[Coordinate]] = [], advice: RadiusAdvice? = nil,
    requirement: Requirement? = nil, answer: (isMet: Bool, words: [String])? = nil
  ) {
    self.result = result
    self.ways = ways
    self.advice = advice
    self.requirement = requirement
    self.answer = answer
  }

  /// A report with ways and advice, for which the tracks of the study's devices are made once more.
  ///
  /// - Parameters:
  ///   - advisor: Who says which regions are too small; one for the study's phone by default.
  ///   - threads: How many to use; the report is the same whatever it is.
  /// - Throws: ``AdviceError``, of the first device whose track cannot be had.
  public init(
    _ result: StudyResult, of study: Study, requirement: Requirement? = nil,
    answer: (isMet: Bool, words: [String])? = nil, advisor: RadiusAdvisor? = nil, threads: Int = 1
  ) throws(AdviceError) {
    let track: @Sendable (Int) throws -> TrueTrack = { try study.devices[$0].scenario(study.profile).track }
    let advisor = advisor ?? RadiusAdvisor(profile: study.profile)
    // Advice asks for the most common passes, which a part of many devices shows as well.
    let stride = (study.devices.count + Self.mostAdvisedOn - 1) / Self.mostAdvisedOn
    let asked = Array(Swift.stride(from: 0, to: study.devices.count, by: max(1, stride)))
    let advice = try advisor.advise(study.regions, trackCount: asked.count, threads: threads) {
      try track(asked[$0])
    }
    let drawn = min(study.devices.count, Self.mostWays)
    let ways = try RadiusAdvisor.inOrder(drawn, threads) { number throws(AdviceError) in
      do { return Self.way(try track(number), points: Self.mostPoints / max(1, drawn)) } catch {
        throw .track(number: number, reason: "\(error)")
      }
    }
    self.init(result, ways: ways, advice: advice, requirement: requirement, answer: answer)
  }

  /// The most devices that advice is from; of more, one of several.
  static let mostAdvisedOn = 250
  /// The most ways that are drawn: of more a map shows nothing but a blot.
  static let mostWays = 200
  /// The most points of all of them together; a screen has not many more pixels.
  static let mostPoints = 30_000

  /// A track as a line of about so many points, equally far apart.
  static func way(_ track: TrueTrack, points: Int) -> [Coordinate] {
    let places = (0..<track.count).map { ECEF(unchecked: track.fix(at: $0).coordinate) }
    let length = zip(places, places.dropFirst()).reduce(0.0) { $0 + $1.0.chord(to: $1.1) }
    let step = length / Double(max(2, points))
    var way: [Coordinate] = []
    var last: ECEF?
    for (index, place) in places.enumerated() {
      if let last, place.chord(to: last) < step, index < places.count - 1 { continue }
      way.append(track.fix(at: index).coordinate)
      last = place
    }
    return way
  }
}
