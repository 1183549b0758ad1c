import VicinityCrossings
import VicinityFormats
import VicinityRuns
import VicinitySimulation

/// Reads a phone's surroundings and its user's actions from files.
enum ScenarioFile {
  /// `time,indoors,cells,way,wifi,bluetooth,airplane,screen,charging`; columns may be missing, others are errors; an empty cell means
  /// no change.
  ///
  /// - Returns: The surroundings, and whether the file says what carries the phone.
  static func environment(
    _ path: String, base: PhoneSurroundings
  ) throws -> (timeline: SurroundingsTimeline, hasWays: Bool) {
    do {
      let flags: [(String, WritableKeyPath<PhoneSurroundings, Bool>)] = [
        ("indoors", \.isIndoors), ("wifi", \.hasWiFi), ("bluetooth", \.hasBluetooth),
        ("airplane", \.isInAirplaneMode), ("screen", \.isScreenOn), ("charging", \.isCharging),
      ]
      var rows = try NamedRows(path: path, required: ["time"], optional: flags.map(\.0) + ["cells", "way"])
      var hasWays = false
      var changes: [SurroundingsTimeline.Change] = []
      var environment = base
      var last: Timestamp?
      while try rows.next() {
        let at = try rows.time("time")
        if let last, at < last { throw rows.fault("time runs backwards: \(at) after \(last)") }
        last = at
        for (name, path) in flags {
          switch rows.text(name).lowercased() {
          case "": break
          case "1", "true", "yes": environment[keyPath: path] = true
          case "0", "false", "no": environment[keyPath: path] = false
          case let other: throw rows.fault("\(name) \"\(other)\" is neither true nor false")
          }
        }
        let density = rows.text("cells").lowercased()
        if !density.isEmpty {
          guard let value = PhoneSurroundings.CellDensity(rawValue: density) else {
            let known = PhoneSurroundings.CellDensity.allCases.map(\.rawValue).joined(separator: ", ")
            throw rows.fault("cells \"\(density)\" is none of \(known)")
          }
          environment.cells = value
        }
        let way = rows.text("way").lowercased()
        if !way.isEmpty {
          guard let value = TravelMode(rawValue: way) else {
            let known = TravelMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw rows.fault("way \"\(way)\" is none of \(known)")
          }
          environment.way = value
          hasWays = true
        }
        changes.append(.init(time: at, surroundings: environment))
      }
      return (SurroundingsTimeline(base, changes: changes), hasWays)
    } catch {
      throw CommandFailure(error, at: path)
    }
  }

  /// `time,action`: the actions of scenarios (``ScenarioActions``), their words separated by blanks or colons.
  static func actions(_ path: String) throws -> [TimedAction] {
    do {
      var rows = try NamedRows(path: path, required: ["time", "action"], optional: [])
      var actions: [TimedAction] = []
      while try rows.next() {
        let time = try rows.time("time")
        // exit:1 is exit 1.
        let text = rows.text("action")
        let spaced = text.contains(" ") ? text : text.replacing(":", with: " ")
        var words = try ScenarioWords(spaced, place: "\(path):\(rows.line), action")
        guard case .action(let action) = try ScenarioActions.step(&words) else {
          throw rows.fault("\"\(text)\" belongs to the surroundings, not to the actions")
        }
        try words.finish()
        actions.append(TimedAction(time: time, action))
      }
      return actions
    } catch {
      throw CommandFailure(error, at: path)
    }
  }
}
