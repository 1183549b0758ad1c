internal import VicinityCrossings
internal import VicinityMonitor
internal import VicinitySimulation

/// A timeline as JSON: an array with one object a line. Each has `time` and `kind`, and the members of its
/// kind.
enum TimelineJSON {
  static func text(of timeline: [TimelineEntry]) -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "[")]
    for (index, entry) in timeline.enumerated() {
      text += (index == 0 ? "\n" : ",\n").utf8
      var object = JSONObject()
      object.string("time", entry.time.description)
      add(entry.kind, to: &object)
      text += object.finished
    }
    text += "\n]\n".utf8
    return text
  }

  private static func add(_ kind: TimelineEntry.Kind, to object: inout JSONObject) {
    switch kind {
    case .delivered(let event): add(event, to: &object)
    case .lifecycle(let state, let reason):
      object.string("kind", "lifecycle")
      object.string("state", state.rawValue)
      object.string("because", reason)
    case .service(let name, let setting):
      object.string("kind", "service")
      object.string("service", name)
      object.string("setting", setting)
    case .registered(let region):
      object.string("kind", "registered")
      object.string("region", region.identifier)
      if case .circle(let center, let radius) = region.area {
        object.coordinate(center)
        object.number("radius", radius, 3)
      }
    case .unregistered(let region):
      object.string("kind", "unregistered")
      object.string("region", region)
    case .observed(let state, let region):
      object.string("kind", "observed")
      object.string("region", region)
      object.string("state", "\(state)")
    case .taskBegan(let task, let name):
      object.string("kind", "task_began")
      object.integer("task", task.number)
      object.string("name", name)
    case .taskEnded(let task):
      object.string("kind", "task_ended")
      object.integer("task", task.number)
    case .reported(let isEntry, let region, let time):
      object.string("kind", "reported")
      object.string("region", region)
      object.string("event", isEntry ? "enter" : "exit")
      object.string("claimed", time.description)
    case .safeDisc(let center, let radius):
      object.string("kind", "vicinity")
      object.coordinate(center)
      object.number("radius", radius, 3)
    case .noSafeDisc: object.string("kind", "no_vicinity")
    case .notified(let identifier):
      object.string("kind", "notified")
      object.string("notification", identifier)
    case .lost(let what):
      object.string("kind", "lost")
      object.string("what", what)
    }
  }

  private static func add(_ event: PhoneEvent, to object: inout JSONObject) {
    object.string("kind", "delivered")
    object.string("event", event.name)
    switch event {
    case .launched(let reason): object.string("because", reason.rawValue)
    case .taskExpires(let task): object.integer("task", task.number)
    case .locations(let fixes, let source):
      object.string("source", source.rawValue)
      object.list("fixes", fixes) { fix, inner in
        inner.string("time", fix.time.description)
        inner.coordinate(fix.coordinate)
        inner.number("accuracy", fix.horizontalAccuracy, 2)
        if fix.speed >= 0 { inner.number("speed", fix.speed, 2) }
        if fix.course >= 0 { inner.number("course", fix.course, 1) }
      }
    case .deferredUpdatesFinished(let reason): object.string("because", reason.rawValue)
    case .entered(let region), .exited(let region): object.string("region", region)
    case .determined(let state, let region):
      object.string("region", region)
      object.string("state", "\(state)")
    case .monitoringFailed(let region, let error):
      object.string("region", region)
      object.string("error", error.description)
    case .visited(let visit):
      object.coordinate(visit.fix.coordinate)
      object.string("arrival", visit.arrival.description)
      if let departure = visit.departure { object.string("departure", departure.description) }
    case .ranged(let ranging): object.integer("beacons", ranging.beacons.count)
    case .heading(let heading):
      object.number("magnetic", heading.magnetic, 2)
      if heading.trueNorth >= 0 { object.number("true", heading.trueNorth, 2) }
    case .timer(let number): object.integer("timer", number)
    case .notificationReceived(let request): object.string("notification", request.identifier)
    default: break
    }
  }
}
