internal import VicinityCrossings
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// An app that leaves the watching to the system, by a recipe.
final class SlotApp: PhoneApp {
  private var keeper: SlotKeeper
  private let recipe: SlotRecipe
  private var request = PositionRequest()

  init(_ regions: RegionIndex, _ recipe: SlotRecipe) {
    self.recipe = recipe
    keeper = SlotKeeper(regions, recipe)
  }

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    switch event {
    case .launched: begin(on: phone)
    case .locations(let fixes, _):
      guard let fix = fixes.last, phone.now.seconds(since: fix.time) < 60 else { return }
      choose(at: fix, on: phone)
    case .locationUnknown: request.finish(on: phone)
    case .taskExpires(let task): request.expire(task, on: phone)
    case .visited(let visit):
      if recipe.usesTriggersPosition { choose(at: visit.fix, on: phone) } else { ask(phone) }
    case .exited(let region):
      if region == keeper.sentinel { return ask(phone) }
      note(region, isInside: false, on: phone)
    case .entered(let region): note(region, isInside: true, on: phone)
    case .determined(let state, let region):
      guard recipe.asksStates, state != .unknown, region != keeper.sentinel else { return }
      keeper.note(region, isInside: state == .inside, on: phone)
      phone.saved = keeper.memory
    case .monitoringFailed(let region, let error): phone.lose("\(region): \(error)")
    default: break
    }
  }

  private func begin(on phone: SimulatedPhone) {
    keeper.memory = phone.saved as? SlotKeeper.Memory ?? SlotKeeper.Memory()
    if recipe.triggers.contains(.significantChanges) { phone.startMonitoringSignificantLocationChanges() }
    if recipe.triggers.contains(.visits) { phone.startMonitoringVisits() }
    if recipe.triggers.contains(.launch), !keeper.memory.hasChosen || phone.monitoredRegions.isEmpty {
      ask(phone)
    }
  }

  private func note(_ region: String, isInside: Bool, on phone: SimulatedPhone) {
    keeper.note(region, isInside: isInside, on: phone)
    phone.saved = keeper.memory
    if recipe.triggers.contains(.regionEvents), isInside || recipe.reportsExits { ask(phone) }
  }

  private func ask(_ phone: SimulatedPhone) { request.ask(phone, recipe.accuracy) }

  private func choose(at fix: Fix, on phone: SimulatedPhone) {
    if keeper.choose(at: fix, on: phone) { phone.saved = keeper.memory }
    request.finish(on: phone)
  }
}
