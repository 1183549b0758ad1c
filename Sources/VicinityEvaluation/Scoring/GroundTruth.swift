public import VicinityCrossings
public import VicinityIndex
public import VicinitySimulation

extension TrueTrack {
  /// Every entry and exit of a track, by the geometric rule; ordered by time.
  ///
  /// - Parameter maximumGap: Beyond this the way between two fixes is not known, and what has changed counts at its end.
  /// - Complexity: as `CrossingDetector`'s.
  public func crossings(
    of regions: RegionIndex, maximumGap: Duration = .seconds(300)
  ) throws(SimulationError) -> [Crossing] {
    var detector: CrossingDetector
    do { detector = try CrossingDetector(regions, options: CrossingOptions(maximumGap: maximumGap)) } catch {
      throw .crossings(error)
    }
    var crossings: [Crossing] = []
    for index in 0..<count {
      do { try detector.advance(to: fix(at: index), into: &crossings) } catch {
        throw .track(LocatedTrackError(index: index, error: error))
      }
    }
    return crossings
  }
}
