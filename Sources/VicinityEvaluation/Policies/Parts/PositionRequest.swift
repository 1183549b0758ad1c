internal import VicinitySimulation

/// A position that is asked for, and a background task for the time that it takes.
struct PositionRequest {
  private var task: BackgroundTask?

  /// Asks for a position, also where one has been asked for already: an app that was suspended meanwhile gets no answer.
  mutating func ask(_ phone: SimulatedPhone, _ accuracy: DesiredAccuracy) {
    hold(phone)
    phone.requestLocation(accuracy)
  }

  /// Keeps the app running until ``finish(on:)``.
  mutating func hold(_ phone: SimulatedPhone) {
    guard task == nil else { return }
    let begun = phone.beginBackgroundTask("position")
    if begun != .invalid { task = begun }
  }

  /// The position has come, or none will.
  mutating func finish(on phone: SimulatedPhone) {
    guard let task else { return }
    // First, as ending it may suspend the app.
    self.task = nil
    phone.endBackgroundTask(task)
  }

  /// A task's time is nearly up.
  mutating func expire(_ expired: BackgroundTask, on phone: SimulatedPhone) {
    if task == expired { task = nil }
    phone.endBackgroundTask(expired)
  }
}
