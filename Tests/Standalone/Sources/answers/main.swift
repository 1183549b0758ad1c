// Queries, crossings and plans over made-up regions, to compare one build's answers with another's. Distances
// are printed to the millimetre, positions to a hundredth of a metre, times to the millisecond.
import Vicinity
import VicinityCrossings
import VicinityPlanner

func millimetres(_ meters: Double) -> String {
  meters.isFinite ? "\(Int64((meters * 1000).rounded()))" : "\(meters)"
}

func place(_ coordinate: Coordinate) -> String {
  "\(Int64((coordinate.latitude * 1e7).rounded())) \(Int64((coordinate.longitude * 1e7).rounded()))"
}

func ask(_ index: RegionIndex, _ family: Family, _ random: inout Generator) throws {
  for i in 0..<60 {
    var position = family.position(&random)
    if i % 6 == 5 {
      // Near the antipode: no fast bound decides there.
      position = Coordinate(
        latitude: -position.latitude, longitude: position.longitude + 180 + random.uniform(-0.5...0.5))
    }
    for neighbor in try index.nearest(20, to: position) {
      print("nearest", family.name, i, neighbor.identifier, millimetres(neighbor.distance))
    }
    print("containing", family.name, i, try index.containing(position).map(\.identifier))
  }
}

func cross(_ index: RegionIndex, _ fixes: [Fix], _ name: String) throws {
  let rules: [CrossingRule] = [.geometric, .naive, .coreLocation(), .exitMargin(), .overlap()]
  for rule in rules {
    var detector = try CrossingDetector(index, options: CrossingOptions(dwell: .seconds(60), rule: rule))
    for fix in fixes {
      for crossing in try detector.advance(to: fix) {
        print(
          "crossing", name, rule.name, crossing.kind, index.identifier(of: crossing.region), crossing.time,
          place(crossing.coordinate))
      }
    }
  }
}

func plan(_ index: RegionIndex, _ fixes: [Fix], _ name: String) throws {
  var planner = try RegistrationPlanner(index)
  for fix in fixes {
    guard case .planned(let diff) = try planner.advance(to: fix), let plan = planner.plan else { continue }
    print(
      "plan", name, plan.number, plan.registrations.map(\.identifier), diff.steps.count,
      plan.safeDisc.map { "\(place($0.center)) \(millimetres($0.radius))" } ?? "-",
      plan.saturation.map { "\($0.reason)" } ?? "-", plan.nextFixDue.map { "\($0)" } ?? "-")
  }
}

for family in Family.all {
  var random = Generator(state: 1)
  let regions = try family.regions(1500, &random)
  let index = try RegionIndex(regions)
  try ask(index, family, &random)
  for (number, (name, longest)) in [("slow", 100.0), ("fast", 3000), ("faster", 30_000)].enumerated() {
    guard case .circle(let center, _) = regions[number].shape else { continue }
    let fixes = try family.track(400, from: center, longest: longest, &random)
    try cross(index, fixes, "\(family.name) \(name)")
    try plan(index, fixes, "\(family.name) \(name)")
  }
}

// Rings that are not valid are refused, with the reason and the place.
let corners = [(0.0, 0.0), (1, 1), (0, 1), (1, 0)].map { Coordinate(latitude: $0.0, longitude: $0.1) }
do {
  _ = try Polygon(exterior: corners)
  print("the bow tie was taken")
} catch {
  if case .invalid(let fault, _, let near) = error { print("refused:", fault, place(near)) }
}
