import Foundation
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

/// A run as lines that people can check: seconds since its beginning, then what happened; at its end the
/// joules.
enum TimelineText {
  static func text(of result: SimulationResult) -> String {
    var lines = result.timeline.map { entry in
      pad(number(entry.time.seconds(since: result.start), 3), 10) + "  " + words(entry.kind)
    }
    lines.append("")
    for component in EnergyComponent.allCases {
      guard let joules = result.joules[component], joules > 0 else { continue }
      lines.append("\(pad(number(joules, 3), 10))  J \(component.name)")
    }
    let counts = result.counts
    lines.append(
      "fixes \(counts.fixes), wakes \(counts.wakes), relaunches \(counts.relaunches), registrations \(counts.registrations), "
        + "region events \(counts.regionEvents), kills \(counts.kills), behind \(number(counts.backgroundSeconds, 1)) s"
    )
    return lines.joined(separator: "\n") + "\n"
  }

  private static func words(_ kind: TimelineEntry.Kind) -> String {
    switch kind {
    case .delivered(let event): "-> \(words(event))"
    case .lifecycle(let state, let reason): "app: \(state.rawValue) (\(reason))"
    case .service(let name, let setting): "service \(name): \(setting)"
    case .registered(let region): "registered \(region.identifier)"
    case .unregistered(let region): "unregistered \(region)"
    case .observed(let state, let region): "the system sees \(region): \(state)"
    case .taskBegan(let task, let name): "task \(task.number) begins: \(name)"
    case .taskEnded(let task): "task \(task.number) ends"
    case .reported(let isEntry, let region, let time):
      "reports \(isEntry ? "entry" : "exit") of \(region), \(time)"
    case .safeDisc(let center, let radius): "vicinity \(place(center)) \(number(radius, 1)) m"
    case .noSafeDisc: "no vicinity"
    case .notified(let identifier): "notified: \(identifier)"
    case .lost(let what): "lost: \(what)"
    }
  }

  private static func words(_ event: PhoneEvent) -> String {
    switch event {
    case .locations(let fixes, let source):
      "\(source.rawValue) "
        + fixes.map { fix in
          "\(place(fix.coordinate)) ±\(number(fix.horizontalAccuracy, 1))"
            + (fix.speed >= 0 ? " \(number(fix.speed, 1)) m/s" : "") + " at "
            + number(fix.time.seconds(since: Route.start), 3)
        }.joined(separator: "; ")
    case .launched(let reason): "launched: \(reason.rawValue)"
    case .entered(let region): "entered \(region)"
    case .exited(let region): "exited \(region)"
    case .determined(let state, let region): "determined \(region): \(state)"
    case .monitoringFailed(let region, let error): "failed \(region): \(error)"
    case .visited(let visit):
      "visit \(place(visit.fix.coordinate)) from \(number(visit.arrival.seconds(since: Route.start), 0))"
        + (visit.departure.map { " to \(number($0.seconds(since: Route.start), 0))" } ?? "")
    case .ranged(let ranging):
      "ranged "
        + ranging.beacons.map { "\($0.beacon) \($0.proximity) \(number($0.accuracy, 2)) m" }.joined(
          separator: ", ")
    case .heading(let heading):
      "heading \(number(heading.magnetic, 1)) true \(number(heading.trueNorth, 1)) ±\(number(heading.accuracy, 1))"
    case .timer(let number): "timer \(number)"
    case .taskExpires(let task): "task \(task.number) expires"
    case .deferredUpdatesFinished(let reason): "deferred updates finished: \(reason.rawValue)"
    default: event.name
    }
  }

  static func place(_ place: Coordinate) -> String {
    number(place.latitude, 5) + "," + number(place.longitude, 5)
  }

  static func number(_ value: Double, _ decimals: Int) -> String { String(format: "%.\(decimals)f", value) }

  private static func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
