import VicinityCrossings
import VicinityFormats
import VicinityRuns
import VicinitySimulation

/// Reads a phone's surroundings and its user's actions from files.
enum ScenarioFile {
  /// `time,indoors,cells,way,wifi,bluetooth,airplane,screen,charging`; columns may be missing, others are
  /// errors; an empty cell means no change.
  ///
  /// - Returns: The surroundings, and whether the file says what carries the phone.
  static func environment(
    _ path: String, base: PhoneSurroundings
  ) throws -> (timeline: SurroundingsTimeline, hasWays: Bool) {
    do {
      var rows = try NamedRows(path: path, required: ["time"], optional: SurroundingsSetting.names)
      var hasWays = false
      var changes: [SurroundingsTimeline.Change] = []
      var environment = base
      var last: Timestamp?
      while try rows.next() {
        let at = try rows.time("time")
        if let last, at < last { throw rows.fault("time runs backwards: \(at) after \(last)") }
        last = at
        for (name, path) in SurroundingsSetting.flags {
          switch rows.text(name).lowercased() {
          case "": break
          case "1", "true", "yes": environment[keyPath: path] = true
          case "0", "false", "no": environment[keyPath: path] = false
          case let other: throw rows.fault("\(name) \"\(other)\" is neither true nor false")
          }
        }
        if let cells: PhoneSurroundings.CellDensity = try choice("cells", &rows) { environment.cells = cells }
        if let way: TravelMode = try choice("way", &rows) {
          environment.way = way
          hasWays = true
        }
        changes.append(.init(time: at, surroundings: environment))
      }
      return (SurroundingsTimeline(base, changes: changes), hasWays)
    } catch {
      throw CommandFailure(error, at: path)
    }
  }

  /// The value that a cell names; nil for an empty one.
  private static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ rows: inout NamedRows
  ) throws -> Value? {
    let text = rows.text(name).lowercased()
    if text.isEmpty { return nil }
    guard let value = Value(rawValue: text) else {
      let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw rows.fault("\(name) \"\(text)\" is none of \(known)")
    }
    return value
  }

  /// `time,action`: the actions of scenarios (``ScenarioActions``), their words separated by blanks or
  /// colons.
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
