internal import VicinityMonitor

extension DeviceProfile {
  /// The voltage when a file does not say: the nominal 3.7 V of a lithium cell.
  package static let nominalVoltage = 3.7

  /// Makes a profile from a manufacturer's `power_profile.xml` and, for all else, another profile.
  ///
  /// | figure | value | low, high |
  /// | --- | --- | --- |
  /// | ``battery`` | `battery.capacity` | the same |
  /// | ``idle`` | suspended (`cpu.suspend`, before Android 7 `cpu.idle`) plus radios that are on (middle `radio.on`, `wifi.on`, `bluetooth.on`) | suspended alone; with the greatest `radio.on` |
  /// | ``awake`` | `cpu.idle` above `cpu.suspend`; before Android 7 `cpu.awake` | the same |
  /// | ``work`` | `cpu.active`, `cpu.cluster_power.cluster0` and the middle of `cpu.core_power.cluster0`; before Android 7 the middle of `cpu.active` | with the slowest; with the fastest speed |
  /// | ``screen`` | `screen.on` and half of `screen.full` | dark; bright |
  /// | ``TierProfile/gnss`` | `gps.on`, or the mean of `gps.signalqualitybased`; for other tiers in the base profile's ratio to best | the strongest signal; the weakest |
  /// | ``BeaconProfile/ranging`` | `bluetooth.controller.rx`, before Android 7 `bluetooth.active` | half; the same: it may rest between scans |
  /// | ``RegionMonitoringProfile/look`` | `wifi.scan` for 2 s and `radio.scanning` for 1 s: assumed | a quarter; twice |
  ///
  /// Figures are ``Figure/Basis/published`` except where the table says otherwise. What manufacturers publish
  /// is often an unmeasured default, and rarely complete. Currents are converted at `gps.voltage` and
  /// `bluetooth.controller.voltage` (millivolts) where given, else at `nominalVoltage`. ``notes`` lists the
  /// figures that were taken.
  /// - Parameters:
  ///   - powerProfile: The file.
  ///   - source: The origin of the file: device, repository, revision.
  ///   - name: The profile's ``DeviceProfile/name``.
  ///   - title: The profile's ``DeviceProfile/title``.
  ///   - base: The profile that supplies all other figures, best an Android phone's.
  /// - Throws: ``PowerProfileError/nothingKnown``, or what ``check()`` finds.
  public init(
    _ powerProfile: PowerProfile, source: String, name: String, title: String, base: DeviceProfile
  ) throws(PowerProfileError) {
    self = base
    self.name = name
    self.title = title
    var key = "power-profile"
    while sources[key] != nil { key += "-2" }
    let reading = PowerProfileFigures(values: powerProfile, source: key)
    var taken: [String] = []
    func adopt(_ figure: Figure?, _ property: inout Figure, _ path: String) {
      guard let figure else { return }
      property = figure
      taken.append(path)
    }
    adopt(reading.battery, &battery, "battery")
    adopt(reading.idle, &idle, "idle")
    adopt(reading.awake, &awake, "awake")
    adopt(reading.work, &work, "work")
    adopt(reading.screen, &screen, "screen")
    adopt(reading.ranging, &beacons.ranging, "beacons.ranging")
    adopt(reading.look, &regions.look, "regions.look")
    if let gnss = reading.gnss {
      let best = base.tiers[.best]?.gnss.value ?? 0
      for accuracy in DesiredAccuracy.allCases {
        guard let own = base.tiers[accuracy]?.gnss.value, own > 0 || accuracy == .best else { continue }
        tiers[accuracy]?.gnss = best > 0 ? gnss.scaled(by: own / best) : gnss
        taken.append("tiers.\(accuracy.rawValue).gnss")
      }
    }
    guard !taken.isEmpty else { throw .nothingKnown }
    sources[key] = "Android power_profile.xml, \(source)"
    notes.append(
      "From an Android power_profile.xml: \(taken.joined(separator: ", ")). The rest is \(base.name)'s, notes included."
    )
    do { try check() } catch { throw .profile(error) }
  }
}

private struct PowerProfileFigures {
  let values: PowerProfile
  let source: String

  /// Since Android 7 files distinguish suspension from idling.
  private var suspended: Double? { values.item("cpu.suspend") }

  private func figure(
    _ milliamperes: Double, low: Double? = nil, high: Double? = nil, basis: Figure.Basis = .published,
    voltage: String? = nil
  ) -> Figure {
    let millivolts = voltage.flatMap { values.item($0) } ?? 0
    let volts = millivolts > 0 ? millivolts / 1000 : DeviceProfile.nominalVoltage
    return Figure(
      milliamperes * volts, low: (low ?? milliamperes) * volts, high: (high ?? milliamperes) * volts,
      basis: basis, source: source)
  }

  var battery: Figure? {
    guard let capacity = values.item("battery.capacity"), capacity > 0 else { return nil }
    return figure(capacity / 1000)
  }

  var idle: Figure? {
    guard let base = suspended ?? values.item("cpu.idle") else { return nil }
    let radio = (values.values["radio.on"] ?? []).sorted()
    let others = (values.item("wifi.on") ?? 0) + (values.item("bluetooth.on") ?? 0)
    let middle = radio.isEmpty ? 0 : radio[radio.count / 2]
    return figure(base + middle + others, low: base, high: base + (radio.last ?? 0) + others)
  }

  var awake: Figure? {
    (suspended == nil ? values.item("cpu.awake") : values.item("cpu.idle")).map { figure($0) }
  }

  var work: Figure? {
    let active = (values.values["cpu.active"] ?? []).sorted()
    guard !active.isEmpty else { return nil }
    guard suspended != nil else {
      return figure(active[active.count / 2], low: active[0], high: active[active.count - 1])
    }
    let base = active[0] + (values.item("cpu.cluster_power.cluster0") ?? 0)
    let core = (values.values["cpu.core_power.cluster0"] ?? []).sorted()
    guard !core.isEmpty else { return figure(base) }
    return figure(base + core[core.count / 2], low: base + core[0], high: base + core[core.count - 1])
  }

  var screen: Figure? {
    guard let on = values.item("screen.on") ?? values.item("screen.on.display0") else { return nil }
    let full = values.item("screen.full") ?? values.item("screen.full.display0") ?? 0
    return figure(on + full / 2, low: on, high: on + full)
  }

  var gnss: Figure? {
    if let signals = values.values["gps.signalqualitybased"], let low = signals.min(),
      let high = signals.max()
    {
      let mean = min(high, max(low, signals.reduce(0, +) / Double(signals.count)))
      return figure(mean, low: low, high: high, voltage: "gps.voltage")
    }
    return values.item("gps.on").map { figure($0, voltage: "gps.voltage") }
  }

  var ranging: Figure? {
    if let receiving = values.item("bluetooth.controller.rx") {
      return figure(receiving, low: receiving / 2, voltage: "bluetooth.controller.voltage")
    }
    return values.item("bluetooth.active").map { figure($0, low: $0 / 2) }
  }

  var look: Figure? {
    guard let scan = values.item("wifi.scan") else { return nil }
    let charge = scan * 2 + (values.item("radio.scanning") ?? 0)
    return figure(charge, low: charge / 4, high: charge * 2, basis: .assumed)
  }
}
