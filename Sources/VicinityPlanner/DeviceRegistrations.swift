internal import VicinityGeodesy
internal import VicinityIndex

struct DeviceRegistrations {
  /// Regions; an ordinal of -1 marks one that the index does not have.
  var registrations: [Registration] = []
  var sentinel: Plan.Sentinel?
  /// The shapes of the registrations, in their order; empty while the regions cannot have changed.
  private var shapes: [Region.Shape?] = []

  init() {}

  init(_ registrations: [Registration], _ sentinel: Plan.Sentinel?) {
    self.registrations = registrations
    self.sentinel = sentinel
  }

  /// Registrations of which only the identifiers are known.
  init(_ identifiers: [String], sentinel: String?, in index: some SearchableRegions) {
    registrations = identifiers.map {
      Registration(ordinal: index.ordinal(of: $0) ?? -1, identifier: $0, distance: .infinity)
    }
    self.sentinel = sentinel.map {
      Plan.Sentinel(
        identifier: $0, disc: Plan.Disc(center: Coordinate(latitude: 0, longitude: 0), radius: 0))
    }
  }

  /// The identifier of a registered region; nil for one that is not registered.
  func identifier(of ordinal: Int) -> String? {
    for registration in registrations where registration.ordinal == ordinal {
      return registration.identifier
    }
    return nil
  }

  /// Remembers the shapes of the registered regions, before the index changes.
  mutating func remember(_ index: some SearchableRegions) {
    guard shapes.isEmpty else { return }
    shapes = registrations.map { index.knownRegion(at: $0.ordinal)?.shape }
  }

  /// Finds the registered regions in an index that may have changed.
  mutating func find(in index: some SearchableRegions) {
    guard !shapes.isEmpty else { return }
    for (i, shape) in shapes.enumerated() {
      let ordinal = index.ordinal(of: registrations[i].identifier)
      let isSame = ordinal.map { shape != nil && index.knownRegion(at: $0)?.shape == shape } ?? false
      registrations[i].ordinal = isSame ? ordinal ?? -1 : -1
    }
    shapes = []
  }
}
