internal import VicinityMonitor
internal import VicinitySimulation

/// A request for a position, and the background task that keeps the app running until it comes.
struct PositionRequest {
  private var task: BackgroundTask?

  /// Requests a position, even while a request is pending: an app that was suspended gets no answer to an
  /// earlier one.
  mutating func ask(_ phone: any Phone, _ accuracy: DesiredAccuracy) {
    hold(phone)
    phone.requestLocation(accuracy)
  }

  /// Keeps the app running until ``finish(on:)``.
  mutating func hold(_ phone: any Phone) {
    guard task == nil else { return }
    let begun = phone.beginBackgroundTask("position")
    if begun != .invalid { task = begun }
  }

  /// Ends the request: the position has come, or none will.
  mutating func finish(on phone: any Phone) {
    guard let task else { return }
    // First, because ending the task may suspend the app.
    self.task = nil
    phone.endBackgroundTask(task)
  }

  /// Ends a task whose time is nearly up.
  mutating func expire(_ expired: BackgroundTask, on phone: any Phone) {
    if task == expired { task = nil }
    phone.endBackgroundTask(expired)
  }
}
