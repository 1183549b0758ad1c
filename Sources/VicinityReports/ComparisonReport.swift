internal import VicinityCrossings
public import VicinityEvaluation
public import VicinityGeodesy
internal import VicinityIndex
internal import VicinitySimulation

/// A study as a report: its result, a map, and advice on radii.
public struct ComparisonReport: Sendable {
  /// The answer of a search, in sentences, with the figures that it rests on.
  public struct Answer: Sendable {
    public var words: String
    /// The chosen setting where it was not chosen; nil for none.
    public var confirmation: SearchConfirmation?
    /// Whether the chosen setting met the requirement where it was chosen.
    public var isMetWhereChosen: Bool

    public init(words: String, confirmation: SearchConfirmation? = nil, isMetWhereChosen: Bool = false) {
      self.words = words
      self.confirmation = confirmation
      self.isMetWhereChosen = isMetWhereChosen
    }
  }

  public var result: StudyResult
  /// The devices' paths, with only as many points as a map needs; empty for no map.
  public var paths: [[Coordinate]]
  /// The regions that are too small or too crowded; nil for no advice.
  public var advice: RadiusAdvice?
  /// What a policy should reach; nil for no requirement.
  public var requirement: Requirement?
  /// The answer of a search; where there is none, the page answers from the study's own policies.
  public var answer: Answer?
  /// The same study on several phones; nil where they were not compared.
  public var phones: PhoneComparison?
  /// Each policy with its own and with tuned settings; empty where they were not looked for.
  public var tuned: [TunedPolicy] = []

  public init(
    _ result: StudyResult, paths: [[Coordinate]] = [], advice: RadiusAdvice? = nil,
    requirement: Requirement? = nil, answer: Answer? = nil
  ) {
    self.result = result
    self.paths = paths
    self.advice = advice
    self.requirement = requirement
    self.answer = answer
  }

  /// Makes a report with paths and advice. This makes the scenarios of the study's devices again.
  ///
  /// - Parameters:
  ///   - result: The result of the study.
  ///   - study: The study that it is the result of.
  ///   - requirement: What a policy should reach; nil for no requirement.
  ///   - search: The outcome of a search; the requirement is its own.
  ///   - advisor: Gives the advice; by default, one for the study's phone.
  ///   - threads: The report does not depend on it.
  /// - Throws: `AdviceError`, for the first device that fails.
  public init(
    _ result: StudyResult, of study: Study, requirement: Requirement? = nil, search: SearchOutcome? = nil,
    advisor: RadiusAdvisor? = nil, threads: Int = 1
  ) throws(AdviceError) {
    let track: @Sendable (Int) throws -> TrueTrack = { try study.devices[$0].scenario(study.profile).track }
    let advisor = advisor ?? RadiusAdvisor(profile: study.profile)
    // Advice depends on the most common passes, which a part of many devices shows as well.
    let stride = (study.devices.count + Self.mostAdvisedOn - 1) / Self.mostAdvisedOn
    let asked = Array(Swift.stride(from: 0, to: study.devices.count, by: max(1, stride)))
    let advice = try advisor.advise(study.regions, trackCount: asked.count, threads: threads) {
      try track(asked[$0])
    }
    let drawn = min(study.devices.count, Self.mostPaths)
    let paths = try Parallel.map(drawn, threads: threads) { number throws(AdviceError) in
      do { return Self.path(of: try track(number), points: Self.mostPoints / max(1, drawn)) } catch {
        throw .track(number: number, reason: "\(error)")
      }
    }
    self.init(
      result, paths: paths, advice: advice, requirement: search?.requirement ?? requirement,
      answer: search.map {
        Answer(words: $0.words, confirmation: $0.confirmation, isMetWhereChosen: $0.isMetWhereChosen)
      })
  }

  /// The report as a page that needs only a browser: the answer and what could make it wrong, what was asked
  /// of each policy, a sortable table, energies above idle, plots of arrivals and departures, and a map of
  /// what was missed. UTF-8; the same report gives the same bytes.
  public func html() -> [UInt8] {
    HTMLPage.html(
      PackageResources.comparison_html, title: ComparisonPageData.title,
      style: PackageResources.comparison_css, script: PackageResources.comparison_js,
      data: ComparisonPageData(self).value)
  }

  /// The most devices to take advice from; of more, every n-th.
  static let mostAdvisedOn = 250
  /// The most paths to draw: with more, a map shows only a blot.
  static let mostPaths = 200
  /// The most points of all paths together; a screen has few more pixels.
  static let mostPoints = 30_000

  /// A track as a line of about `points` points, equally far apart.
  static func path(of track: TrueTrack, points: Int) -> [Coordinate] {
    let positions = (0..<track.count).map { ECEF(unchecked: track.fix(at: $0).coordinate) }
    let length = zip(positions, positions.dropFirst()).reduce(0.0) { $0 + $1.0.chord(to: $1.1) }
    let step = length / Double(max(2, points))
    var path: [Coordinate] = []
    var last: ECEF?
    for (index, position) in positions.enumerated() {
      if let last, position.chord(to: last) < step, index < positions.count - 1 { continue }
      path.append(track.fix(at: index).coordinate)
      last = position
    }
    return path
  }
}
