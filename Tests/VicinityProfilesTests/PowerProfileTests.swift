import Testing
import VicinityMonitor
import VicinityTestSupport

@testable import VicinityProfiles

@Suite("Android power profiles")
struct PowerProfileTests {
  /// As files were from Android 7 on, with all that is found in them.
  static let recent = """
    <?xml version="1.0" encoding="utf-8"?>
    <!-- Values are in mA except as noted. -->
    <device name="Android" xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
        <item name="battery.capacity">2770</item>
        <array name="cpu.clusters.cores">
            <value>2</value> <!-- cluster 0 has cpu0 and cpu1 -->
            <value>2</value>
        </array>
        <item name="cpu.suspend">5.7</item>
        <item name="cpu.idle">2.8</item>
        <item name="cpu.active">18.8</item>
        <item name="cpu.cluster_power.cluster0">5.3</item>
        <array name="cpu.core_power.cluster0"><value>2</value><value>4.5</value><value>9</value></array>
        <item name='screen.on'> 98.7 </item>
        <item name="screen.full">470.6</item>
        <item name="wifi.on">1</item><item name="wifi.scan">50</item>
        <item name="bluetooth.on">0.5</item>
        <item name="bluetooth.controller.rx">8</item>
        <item name="bluetooth.controller.voltage">3300</item>
        <array name="radio.on"><value>9</value><value>3</value><value>3</value></array>
        <item name="radio.scanning">4</item>
        <array name="gps.signalqualitybased">
            <value>49</value> <!-- weak -->
            <value>11</value> <!-- strong -->
        </array>
        <item name="gps.voltage">3700</item>
        <modem>
            <sleep>0</sleep>
            <active rat="DEFAULT"><transmit level="0">100</transmit><item name="gps.on">1</item></active>
        </modem>
    </device>
    """

  /// As they were before.
  static let early = """
    <device name="Android">
      <item name="none">0</item>
      <item name="screen.on">82.75</item>
      <item name="bluetooth.active">51.55</item>
      <item name="wifi.scan">75.48</item>
      <item name="gps.on">90.8</item>
      <item name="gps.on">76.23</item>
      <array name="cpu.active"> <value>86.26</value> <value>118.75</value> <value>372.05</value> </array>
      <item name="cpu.awake">23.5</item>
      <item name="cpu.idle">3.1</item>
      <item name="battery.capacity">2300</item>
    </device>

    """

  private func profile(_ text: String, base: DeviceProfile = SampleProfile.phone) throws -> DeviceProfile {
    try DeviceProfile(
      PowerProfile(xml: Array(text.utf8)), source: "a phone", name: "phone", title: "A phone", base: base)
  }

  private func expect(
    _ figure: Figure?, _ value: Double, _ low: Double? = nil, _ high: Double? = nil,
    basis: Figure.Basis = .published
  ) {
    #expect(abs((figure?.value ?? -1) - value) < 1e-9)
    #expect(abs((figure?.low ?? -1) - (low ?? value)) < 1e-9)
    #expect(abs((figure?.high ?? -1) - (high ?? value)) < 1e-9)
    #expect(figure?.basis == basis)
    #expect(figure?.source == "power-profile")
  }

  @Test("A file of Android 7 and later")
  func recentFile() throws {
    let profile = try profile(Self.recent)
    expect(profile.battery, 2.77 * 3.7)
    expect(profile.idle, (5.7 + 3 + 1 + 0.5) * 3.7, 5.7 * 3.7, (5.7 + 9 + 1 + 0.5) * 3.7)
    expect(profile.awake, 2.8 * 3.7)
    expect(profile.work, (18.8 + 5.3 + 4.5) * 3.7, (18.8 + 5.3 + 2) * 3.7, (18.8 + 5.3 + 9) * 3.7)
    expect(profile.screen, (98.7 + 470.6 / 2) * 3.7, 98.7 * 3.7, (98.7 + 470.6) * 3.7)
    expect(profile.tiers[.best]?.gnss, 30 * 3.7, 11 * 3.7, 49 * 3.7)
    expect(profile.tiers[.nearestTenMeters]?.gnss, 0.96 * 30 * 3.7, 0.96 * 11 * 3.7, 0.96 * 49 * 3.7)
    #expect(profile.tiers[.hundredMeters] == SampleProfile.phone.tiers[.hundredMeters])
    expect(profile.beacons.ranging, 8 * 3.3, 4 * 3.3, 8 * 3.3)
    expect(profile.regions.look, 104 * 3.7, 26 * 3.7, 208 * 3.7, basis: .assumed)
    #expect(profile.sources["power-profile"] == "Android power_profile.xml, a phone")
    #expect(profile.sources["test"] == "made up")
    #expect(profile.notes.last?.contains("tiers.nearestTenMeters.gnss") == true)
    #expect(try DeviceProfile(json: profile.encoded()) == profile)
  }

  @Test("A file of before Android 7: the later of two entries holds")
  func earlyFile() throws {
    let profile = try profile(Self.early)
    expect(profile.idle, 3.1 * 3.7)
    expect(profile.awake, 23.5 * 3.7)
    expect(profile.work, 118.75 * 3.7, 86.26 * 3.7, 372.05 * 3.7)
    expect(profile.screen, 82.75 * 3.7)
    expect(profile.tiers[.best]?.gnss, 76.23 * 3.7)
    expect(profile.beacons.ranging, 51.55 * 3.7, 51.55 * 3.7 / 2)
  }

  @Test("A second file on top of a first has a source of its own")
  func twice() throws {
    let first = try profile(Self.early)
    let second = try profile("<device><item name=\"cpu.awake\">4.4</item></device>", base: first)
    #expect(second.awake.source == "power-profile-2")
    #expect(second.idle == first.idle)
    #expect(second.sources.count == 3)
  }

  @Test("What is wrong, and in which line")
  func errors() {
    func error(_ text: String) -> PowerProfileError? {
      do throws(PowerProfileError) {
        _ = try PowerProfile(xml: Array(text.utf8))
        return nil
      } catch { return error }
    }
    func line(_ text: String) -> Int? {
      guard case .malformed(let line, _) = error(text) else { return nil }
      return line
    }
    #expect(
      error("<device>\n<item name=\"gps.on\">fifty</item></device>")
        == .notANumber(line: 2, name: "gps.on", text: "fifty"))
    for text in ["", " ", "1 2", "nan", "inf", "0x10", "&amp;", "1e999e"] {
      guard case .notANumber = error("<device><item name=\"a\">\(text)</item></device>") else {
        Issue.record("“\(text)” was read")
        continue
      }
    }
    for text in ["-1", "1e10", "1e999"] {
      guard case .outOfRange(1, "a", _) = error("<device><item name=\"a\">\(text)</item></device>") else {
        Issue.record("“\(text)” was read")
        continue
      }
    }
    #expect(line("") == 1)
    #expect(line("\n\n<phone/>") == 3)
    #expect(line("<device/>\n<device/>") == 2)
    #expect(line("<device/>\ntext") == 1)
    #expect(line("<device>\n\n<item>5</item></device>") == 3)
    #expect(line("<device>\n<array name=\"a\">\n<value>5</array></device>") == 3)
    #expect(line("<device>\n<item name=\"a\">5</item>\n") == 3)
    #expect(line("<device>\n<!-- no end </device>") == 2)
    #expect(line("<device a></device>") == 1)
    #expect(line("<device a=b></device>") == 1)
    #expect(line("<device a=\"b></device>") == 1)
    #expect(line("<device <item/></device>") == 1)
    #expect(line("</device>") == 1)
    #expect(line("<>") == 1)
    #expect(line("<device><![CDATA[5]]></device>") == 1)
    #expect(line("\n<!DOCTYPE device [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>\n<device/>") == 2)
    #expect(line("\u{FEFF}<device></device></device>") == 1)
  }

  @Test("Files are bounded in size, depth and number")
  func limits() {
    #expect(throws: PowerProfileError.tooLarge(byteCount: 1_048_577, limit: 1_048_576)) {
      try PowerProfile(xml: [UInt8](repeating: 32, count: 1_048_577))
    }
    let deep = "<device>" + String(repeating: "<a>", count: 100_000)
    #expect(throws: PowerProfileError.tooMany(line: 1, what: "elements within one another", limit: 32)) {
      try PowerProfile(xml: Array(deep.utf8))
    }
    let many = "<device><array name=\"a\">" + String(repeating: "<value>1</value>", count: 20_000)
    #expect(throws: PowerProfileError.tooMany(line: 1, what: "values", limit: 10_000)) {
      try PowerProfile(xml: Array(many.utf8))
    }
  }

  @Test("A file that says nothing, or nothing that can be, makes no profile")
  func useless() throws {
    #expect(throws: PowerProfileError.nothingKnown) {
      try profile("<device><item name=\"none\">0</item></device>")
    }
    let empty = try PowerProfile(xml: Array("<device><array name=\"gps.signalqualitybased\"/></device>".utf8))
    #expect(empty.values == ["gps.signalqualitybased": []])
    #expect(
      throws: PowerProfileError.profile(
        .outOfRange(path: "awake.value", value: 3.7e9, allowed: "0 to 1000000"))
    ) {
      try profile("<device><item name=\"cpu.awake\">1e9</item></device>")
    }
  }

  @Test(
    "Damaged files are read or refused, and what is read is in its range", arguments: 0..<20 as Range<UInt64>)
  func damage(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      var bytes = Array((Bool.random(using: &random) ? Self.recent : Self.early).utf8)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(40)))
        case 2:
          bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + random.below(60))], at: place)
        default: bytes.insert(Array("<>\"'/!-? &".utf8).randomElement(using: &random) ?? 60, at: place)
        }
        if bytes.isEmpty { break }
      }
      guard let profile = try? PowerProfile(xml: bytes) else { continue }
      for values in profile.values.values {
        #expect(values.allSatisfy { (0...1e9).contains($0) }, "seed \(seed)")
      }
    }
  }
}
