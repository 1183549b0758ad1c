public import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor

/// The plans of devices along their tracks, as a page that needs only a browser: a map with the regions,
/// those that are registered, the safe disc and a slider along the track, and the list of plans.
///
/// It has the first ``mostDevices`` devices, of each the first ``mostPlans`` plans, and says so where there
/// are more.
public struct PlanPage {
  /// The most devices that the page has.
  public static let mostDevices = 20
  /// The most plans of a device that it has.
  public static let mostPlans = 2000
  /// The most points of a track to draw; a screen has few more pixels.
  private static let mostPoints = 6000
  /// The most regions to draw besides those that are registered.
  private static let mostOthers = 600

  private struct Device {
    var name: String
    var plans: [JSONValue] = []
    var planCount = 0
    /// Every so many of the fixes.
    var track: [Fix] = []
    var stride = 1
    var fixCount = 0
    var last: Fix?
  }

  private let index: RegionIndex
  private let slots: Int
  private var regions: PageRegions
  private var devices: [Device] = []
  private var places: [String: Int] = [:]
  private var planCount = 0

  /// - Parameters:
  ///   - regions: The regions that are planned for.
  ///   - slots: How many slots there are for regions and sentinels.
  public init(_ regions: RegionIndex, slots: Int) {
    index = regions
    self.slots = slots
    self.regions = PageRegions(regions)
  }

  /// Adds a fix of a device's track, in the order of time.
  ///
  /// - Complexity: O(1) amortized; of a device at most some twelve thousand fixes are kept, evenly spread.
  public mutating func add(_ fix: Fix, of device: String) {
    let place = self.place(of: device)
    // The track ends where the plans do that are drawn.
    guard place < Self.mostDevices, devices[place].planCount <= Self.mostPlans else { return }
    if devices[place].fixCount % devices[place].stride == 0 { devices[place].track.append(fix) }
    devices[place].fixCount += 1
    devices[place].last = fix
    guard devices[place].track.count > 2 * Self.mostPoints else { return }
    devices[place].track = stride(from: 0, to: devices[place].track.count, by: 2).map {
      devices[place].track[$0]
    }
    devices[place].stride *= 2
  }

  /// Adds a plan, made at the last fix.
  ///
  /// - Complexity: O(regions of the plan), outlines of polygons included once.
  public mutating func add(_ plan: Plan, of device: String) {
    planCount += 1
    let place = self.place(of: device)
    guard place < Self.mostDevices else { return }
    devices[place].planCount += 1
    guard devices[place].planCount <= Self.mostPlans else { return }
    func rows(_ registrations: [Registration]) -> JSONValue {
      .array(
        registrations.compactMap { registration in
          regions.number(of: registration.identifier, isNear: false).map {
            .array([.integer($0), .rounded(registration.distance, 1)])
          }
        })
    }
    var row: [String: JSONValue] = [
      "at": .array(JSONValue.coordinate(plan.fix.coordinate)), "error": .rounded(plan.error, 1),
      "registered": rows(plan.registrations), "used": .integer(plan.slotsInUse),
      "certificate": .optional(plan.certificate, 1), "all": .bool(plan.certificate == .infinity),
    ]
    if let disc = plan.safeDisc {
      row["disc"] = .array(JSONValue.coordinate(disc.center) + [.rounded(disc.radius, 1)])
    }
    if let saturation = plan.saturation {
      row["saturated"] = .string(saturation.reason.rawValue)
      row["left"] = rows(saturation.leftOut)
    }
    if let due = plan.nextFixDue { row["due"] = .rounded(due.seconds, 3) }
    devices[place].plans.append(.array([.rounded(plan.fix.time.seconds, 3), .object(row)]))
  }

  private mutating func place(of device: String) -> Int {
    if let known = places[device] { return known }
    let place = places.count
    places[device] = place
    if place < Self.mostDevices { devices.append(Device(name: device)) }
    return place
  }

  /// The page, UTF-8. The same fixes and plans give the same bytes.
  ///
  /// - Parameter title: Plain text.
  public func html(title: String) -> [UInt8] {
    var drawn = regions
    let most = drawn.count + Self.mostOthers
    for device in devices {
      let step = max(1, device.track.count / 40)
      for fix in stride(from: 0, to: device.track.count, by: step).map({ device.track[$0] })
      where drawn.count < most {
        drawn.addNeighbors(24, of: fix.coordinate)
      }
    }
    func figure(_ name: String, _ value: Int, _ unit: String = "") -> JSONValue {
      .array([.string(name), .integer(value), .integer(0), .string(unit)])
    }
    return HTMLPage.html(
      PackageResources.plan_html, title: title, style: PackageResources.plan_css,
      script: PackageResources.plan_js,
      data: .object([
        "title": .string(title), "slots": .integer(slots), "regions": .array(drawn.rows),
        "regionCount": .integer(index.count), "deviceCount": .integer(places.count),
        "figures": .array([
          figure("regions", index.count), figure("slots", slots), figure("devices", places.count),
          figure("plans", planCount),
        ]),
        "devices": .array(
          devices.map { device in
            .object([
              "name": .string(device.name), "plans": .array(device.plans),
              "planCount": .integer(device.planCount), "track": .array(track(of: device)),
            ])
          }),
      ]))
  }

  private func track(of device: Device) -> [JSONValue] {
    var fixes = device.track
    if let last = device.last, fixes.last != last { fixes.append(last) }
    return fixes.map { .array([.rounded($0.time.seconds, 3)] + JSONValue.coordinate($0.coordinate)) }
  }
}
