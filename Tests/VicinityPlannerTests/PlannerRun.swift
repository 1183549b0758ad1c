import VicinityCrossings
import VicinityIndex
import VicinityPlanner

/// A planner that expectations can look into: they copy what they look at.
final class PlannerRun<Index: SearchableRegions> {
  private var planner: RegistrationPlanner<Index>

  init(_ index: Index, options: PlanOptions = PlanOptions()) throws {
    planner = try RegistrationPlanner(index, options: options)
  }

  var plan: Plan? { planner.plan }
  var counts: PlanCounts { planner.counts }
  var options: PlanOptions { planner.options }
  var index: Index { planner.index }
  var nextFixDue: Timestamp? { planner.nextFixDue }

  func advance(to fix: Fix, now: Timestamp? = nil) throws(TrackError) -> PlanDecision {
    try planner.advance(to: fix, now: now)
  }
  func update<E: Error>(_ change: (inout Index) throws(E) -> Void) throws(E) { try planner.update(change) }
  func setOptions(_ options: PlanOptions) throws { try planner.setOptions(options) }
  func adopt(_ identifiers: [String], sentinel: String?) { planner.adopt(identifiers, sentinel: sentinel) }
  func invalidate() { planner.invalidate() }
  func reset() { planner.reset() }
}
