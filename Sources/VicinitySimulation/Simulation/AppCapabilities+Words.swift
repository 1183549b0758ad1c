internal import VicinityMonitor

extension AppCapabilities {
  /// What an app with these cannot do from its first day on, in words; nil where nothing stands against it.
  ///
  /// - Parameter rules: The system's: whether it has a setting for the background.
  package func limitWords(by rules: BackgroundRules) -> String? {
    guard areLocationServicesOn else {
      return "location services are off, so nothing tells the app where it is"
    }
    var words: [String] = []
    switch authorization {
    case .always: break
    case .whenInUse:
      words.append(
        "with permission in use no region, visit or significant change wakes the app when it is left")
    case .notDetermined: words.append("nobody has allowed the app to use location")
    case .denied, .deniedGlobally, .restricted:
      return "without permission nothing tells the app where it is"
    }
    if isReducedAccuracy { words.append("with coarse positions no region is watched") }
    if !hasLocationMode { words.append("without the background mode positions end when the app is left") }
    let isWoken = (allowsBackgroundRefresh || !rules.needsBackgroundRefresh) && !isLowPowerModeOn
    if authorization == .always, !isWoken { words.append("no event wakes the app when it is left") }
    return words.isEmpty ? nil : words.joined(separator: ", and ")
  }
}
