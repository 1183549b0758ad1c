extension SimulatedPhone {
  /// Whether the standard location service keeps the app running in the background: it is on, the app has the `location`
  /// mode and may use it there, and updates are not paused.
  var standardKeepsAppRunning: Bool { false }
}
