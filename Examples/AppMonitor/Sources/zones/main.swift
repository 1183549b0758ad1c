// Forty stations along the Danube, five slots: who is told what, and what the phone is asked to watch.
//
//     swift run zones [FOLDER]
//
// What is known is kept in FOLDER, or here. Run it again: the stations are known, and the events' numbers go
// on.
import Vicinity
import VicinityMonitor
import VicinityStore

let folder = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "."
var options = MonitorOptions()
// Decided exactly, between fixes too. By default a fix that is beyond a boundary by a share of its accuracy
// decides.
options.crossings = CrossingOptions(rule: .geometric)
options.plan.maximumSpeed = 20

let monitor = try await Monitor(
  "Danube", records: SQLiteRecords(folder: folder), device: Phone(), options: options)
// A phone goes on watching its slots when the app has ended. First of all it says which those are; this one
// has none.
try await monitor.receive(.existingSlots([]))
let known = await monitor.identifiers.count
print("\(known) stations known")

// From Vienna downstream, one every two kilometres.
let course: [(name: String, coordinate: Coordinate)] = (0..<40).map { i in
  ("km \(2 * i)", Coordinate(latitude: 48.22 - 0.002 * Double(i), longitude: 16.41 + 0.027 * Double(i)))
}
if known == 0 {
  for station in course {
    try await monitor.add(
      .circle(center: station.coordinate, radius: 300), identifier: station.name, assuming: .unsatisfied)
  }
}

// What the app makes of it. An event has been handled when the next one is asked for.
let listener = Task {
  for try await event in monitor.events {
    print("\(event.sequenceNumber): \(event.state == .satisfied ? "reached" : "left") \(event.identifier)")
  }
}

// A boat passes the first six stations; a fix every minute.
let start = SystemMonitorClock().now
let (fixes, boat) = AsyncStream.makeStream(of: Fix.self)
for minute in 0...24 {
  let way = Double(minute) / 4 - 0.5
  let place = Coordinate(latitude: 48.22 - 0.002 * way, longitude: 16.41 + 0.027 * way)
  boat.yield(Fix(time: start.advanced(by: .seconds(60 * minute)), coordinate: place, horizontalAccuracy: 10))
}
boat.finish()
await monitor.follow(fixes).value

while await monitor.pendingEventCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
await monitor.close()
try await listener.value
