internal import VicinityGeodesy

extension TrackOrder.Verdict {
  /// What is wrong with a fix of a device, whose name is shown like this; `nil` for a fix with which nothing
  /// is.
  package func words(_ fix: Fix, device: String) -> String? {
    switch self {
    case .contradicted(let next):
      return isForSorting(fix)
        ? "time runs backwards: \(fix.time) of device \(device) comes before \(next)"
        : "the time \(fix.time) of device \(device) is wrong: the rows after it go on at \(next)"
    case .conflicting(let other):
      return
        "device \(device) is at two places at \(fix.time): \(Self.words(other)) and \(Self.words(fix.coordinate))"
    case .backwards(let last):
      return "time runs backwards: \(fix.time) of device \(device) comes after \(last)"
    case .accepted, .repeated, .invalid: return nil
    }
  }

  /// Whether putting fixes in the order of their times would help: with what is a little late, not with a
  /// wrong clock.
  package func isForSorting(_ fix: Fix) -> Bool {
    switch self {
    case .backwards: true
    case .contradicted(let next): fix.time.seconds(since: next) < 86_400
    case .accepted, .repeated, .invalid, .conflicting: false
    }
  }

  private static func words(_ place: Coordinate) -> String { "\(place.latitude), \(place.longitude)" }
}

extension TrackOrder.Restart {
  /// What is told of the fixes that have turned out to be wrong.
  ///
  /// - Parameters:
  ///   - next: The time that time goes back to.
  ///   - device: The device's name, as it is shown.
  package func words(_ next: Timestamp, _ device: String) -> String {
    let wrong =
      wrongCount == 1
      ? "a fix before it, at \(wrongTime), is wrong"
      : "\(wrongCount) fixes before it, the last at \(wrongTime), are wrong"
    return "time goes back to \(next) for device \(device): \(wrong), and what came between is not known"
  }
}

extension TrackOrder.OddSteps {
  /// What is told of odd steps.
  ///
  /// - Parameter device: The name of ``device``, as it is shown.
  package func words(_ oddity: TrackOrder.Oddity, device: String) -> String {
    let (steps, are, take) = count == 1 ? ("step", "is", "takes") : ("steps", "are", "take")
    let what =
      switch oddity {
      case .fasterThanAnyVehicle:
        "\(are) faster than any vehicle (\(Int(TrackOrder.fastestVehicle)) m/s)"
      case .longerThanAYear: "\(take) longer than a year"
      }
    return
      "\(count) \(steps) between fixes \(what), the first to \(time) of device \(device); are times or places wrong?"
  }
}
