import Foundation
import Testing
import VicinityMonitor

@testable import VicinityProfiles

@Suite("Device profiles as files")
struct DeviceProfileFileTests {
  /// `Data/devices`, or nil where the sources are not beside the tests.
  private static var folder: URL? {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let candidates = [root, URL(fileURLWithPath: FileManager.default.currentDirectoryPath)]
    return candidates.map { $0.appendingPathComponent("Data/devices") }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }

  @Test(
    "Each shipped profile is called as its file and written as it was read", arguments: DeviceProfile.names)
  func shipped(name: String) throws {
    let profile = try DeviceProfile.named(name)
    #expect(profile.name == name)
    let text = try profile.encoded()
    #expect(try DeviceProfile(json: text) == profile)
    if let folder = Self.folder {
      let path = folder.appendingPathComponent(name + ".json")
      // Rewrites a file that was edited by hand.
      if ProcessInfo.processInfo.environment["VICINITY_WRITE_GOLDEN"] == "1" {
        try Data(try DeviceProfile(json: Array(Data(contentsOf: path))).encoded()).write(to: path)
      }
      let file = try Data(contentsOf: path)
      #expect(String(decoding: file, as: UTF8.self) == String(decoding: text, as: UTF8.self))
    }
  }

  @Test func everyFileIsShipped() throws {
    guard let folder = Self.folder else {
      print("no Data/devices beside the tests: skipped")
      return
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".json")
    }
    #expect(files.sorted() == DeviceProfile.names.map { $0 + ".json" })
  }

  /// The names of a JSON value's members, but for the names that a file chooses: sources, tiers and ways.
  private static func members(of value: Any, in name: String = "") -> Set<String> {
    if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(members(of: $1)) } }
    guard let object = value as? [String: Any] else { return [] }
    let isNamed = !["sources", "tiers", "ways"].contains(name)
    return object.reduce(into: isNamed ? Set(object.keys) : []) {
      $0.formUnion(members(of: $1.value, in: isNamed ? $1.key : ""))
    }
  }

  /// A JSON value without the members of a name.
  private static func without(_ name: String, _ value: Any) -> Any {
    if let list = value as? [Any] { return list.map { without(name, $0) } }
    guard let object = value as? [String: Any] else { return value }
    return object.filter { $0.key != name }.mapValues { without(name, $0) }
  }

  @Test("The page on files names each member, and says which are required")
  func membersAreDocumented() throws {
    guard let folder = Self.folder else {
      print("no Data/devices beside the tests: skipped")
      return
    }
    let page = try String(
      contentsOf: folder.appendingPathComponent(
        "../../Sources/VicinityProfiles/VicinityProfiles.docc/ProfileFiles.md"), encoding: .utf8)
    var required: [String: Bool] = [:]
    for row in page.split(separator: "\n") where row.hasPrefix("| `") {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let name = String(cells[0].dropFirst().dropLast())
      let isRequired = cells[1] == "yes"
      #expect(isRequired || cells[1] == "no", "\(row)")
      // A member of several objects is required in all or in none.
      #expect(required.updateValue(isRequired, forKey: name) ?? isRequired == isRequired, "\(row)")
    }
    var known: Set<String> = []
    for name in DeviceProfile.names {
      let file = try JSONSerialization.jsonObject(with: Data(try DeviceProfile.named(name).encoded()))
      let members = Self.members(of: file)
      known.formUnion(members)
      for member in members {
        let less = try JSONSerialization.data(withJSONObject: Self.without(member, file))
        let found = error(String(decoding: less, as: UTF8.self))
        #expect((found != nil) == required[member], "\(name) without \(member): \(String(describing: found))")
      }
    }
    #expect(known == Set(required.keys), "\(known.symmetricDifference(required.keys))")
  }

  @Test func unknownName() {
    #expect(throws: DeviceProfileError.unknownName("nokia", known: DeviceProfile.names)) {
      try DeviceProfile.named("nokia")
    }
  }

  @Test("What is not measured says so, with a range", arguments: DeviceProfile.names)
  func assumptionsHaveRanges(name: String) throws {
    let profile = try DeviceProfile.named(name)
    let figures = [
      profile.idle, profile.awake, profile.firstFix.hotFor, profile.significantChange.report,
      profile.beacons.scan, profile.heading.power,
    ]
    for figure in figures where figure.basis != .measured { #expect(figure.low < figure.high) }
    #expect(profile.tiers.values.allSatisfy { profile.sources[$0.fix.source] != nil })
  }

  @Test("The era is read and written, and may be missing", arguments: [nil] + DeviceProfile.Era.allCases)
  func era(_ era: DeviceProfile.Era?) throws {
    var profile = SampleProfile.phone
    profile.era = era
    if era == .macOS { profile.platform = .macos }
    let json = try profile.encoded()
    #expect(try DeviceProfile(json: json) == profile)
    let line = era.map { "  \"era\": \"\($0.rawValue)\",\n" }
    let text = String(decoding: json, as: UTF8.self)
    #expect(line.map { text.contains($0) } ?? !text.contains("\"era\""))
  }

  // MARK: Damage

  private func text() throws -> String { String(decoding: try SampleProfile.phone.encoded(), as: UTF8.self) }

  private func error(_ text: String) -> DeviceProfileError? {
    do {
      _ = try DeviceProfile(json: Array(text.utf8))
      return nil
    } catch { return error }
  }

  @Test func theSampleIsWhole() throws {
    #expect(error(try text()) == nil)
  }

  @Test(
    "Damage in the file is named with its place",
    arguments: [
      (#""battery": {"#, #""batterie": {"#, "battery: missing"),
      (#""platform": "ios""#, #""platform": "palm""#, "platform: not one of ios, android, macos"),
      (#""platform": "ios""#, #""era": "ios99", "platform": "ios""#, "era: not one of ios4, ios7, ios13, "),
      (
        #""battery": {"basis": "assumed""#, #""battery": {"basis": "guessed""#,
        "battery.basis: not one of measured, published, assumed"
      ),
      (#""platform": "ios""#, #""era": 17, "platform": "ios""#, "era: not "),
      (
        #""platform": "ios""#, #""era": "macos", "platform": "ios""#,
        "era: macos is no system of the platform ios"
      ),
      (
        #""platform": "ios""#, #""era": "ios7", "platform": "macos""#,
        "era: ios7 is no system of the platform macos"
      ),
      (#""slots": 20"#, #""slots": "many""#, "regions.slots: not a number"),
      (#""notes": []"#, #""notes": {}"#, "notes: not a list"),
      (#""best": {"#, #""finest": {"#, "tiers.finest: no tier; tiers are bestForNavigation, best, "),
      (#""slots": 20"#, #""slots": 1.5"#, "regions.slots: not a whole number"),
      (#""slots": 20"#, #""slots": 1e400"#, "regions.slots: 1e400 is too large"),
      (
        #""quantiles": [[0, "#, #""quantiles": [[-1e999, "#,
        "firstFix.cold.quantiles[0][0]: -1e999 is too large"
      ),
      (#""slots": 20"#, #""slots": 20, "slots": 5"#, "regions.slots: there twice"),
      (#""title": ""#, #""name": "other", "title": ""#, "name: there twice"),
      (#""title": ""#, #""title": null, "was": ""#, "title: null, not text"),
      (#""slots": 20"#, #""slots": 20, "solts": 5"#, "regions.solts: no part of a device profile"),
      (#""title": ""#, #""comment": [1, {}], "title": ""#, "comment: no part of a device profile"),
      (#""wakeDelay": {"#, #""wakeDelay": {"scales": [0.5, 3], "#, "regions.wakeDelay.scales: no part"),
    ])
  func damagedText(was: String, becomes: String, reason: String) throws {
    let whole = try text()
    try #require(whole.contains(was))
    let found = error(whole.replacing(was, with: becomes, maxReplacements: 1))
    let description = try #require(found).description
    #expect(description.hasPrefix(reason), "\(description)")
  }

  @Test("Every figure states its range", arguments: ["low", "high"])
  func rangesAreStated(end: String) throws {
    let whole = try text()
    for basis in Figure.Basis.allCases {
      let figure = #""idle": {"basis": "\#(basis.rawValue)", "high": 20, "low": 20, "#
      let one = whole.replacing(#""idle": {"basis": "assumed", "high": 20, "low": 20, "#, with: figure)
      try #require(one.contains(figure) && error(one) == nil)
      let without = figure.replacing(#""\#(end)": 20, "#, with: "")
      #expect(
        error(one.replacing(figure, with: without)) == .unreadable(path: "idle.\(end)", reason: "missing"))
    }
  }

  @Test("What stands for tiers that a profile lacks is told")
  func missingTiers() throws {
    #expect(try DeviceProfile.named("iphone-6").missingTiersText == nil)
    #expect(try DeviceProfile.named("modern-phone").missingTiersText == nil)
    #expect(
      try DeviceProfile.named("nexus-6").missingTiersText
        == """
        the profile nexus-6 lacks tiers, and another one stands for each: best for bestForNavigation, best for \
        nearestTenMeters, kilometer for threeKilometers
        """)
    var phone = SampleProfile.phone
    phone.tiers[.kilometer] = nil
    #expect(
      phone.missingTiersText?.hasSuffix("best for bestForNavigation, hundredMeters for kilometer") == true)
    #expect(phone.tier(.kilometer) == phone.tiers[.hundredMeters])
  }

  @Test("A key whose value is null is as good as none")
  func nullKeys() throws {
    let whole = try text()
    let marked = whole.replacing("\"title\": ", with: "\"remark\": null, \"title\": ", maxReplacements: 1)
    #expect(try DeviceProfile(json: Array(marked.utf8)) == DeviceProfile(json: Array(whole.utf8)))
  }

  @Test func notJSON() {
    for text in ["", "{", "[1, 2", "\u{0}", "{\"name\": 1e", String(repeating: "[", count: 100_000)] {
      guard case .unreadable = error(text) else {
        Issue.record("read \(text.prefix(20))")
        continue
      }
    }
    let long = String(repeating: " ", count: DeviceProfile.maximumByteCount + 1)
    #expect(
      error(long)
        == .tooLarge(path: "", count: long.utf8.count, limit: DeviceProfile.maximumByteCount))
  }

  @Test("A distribution's scale is read, written, and refused where it cannot be")
  func scales() throws {
    let whole = try text()
    func scaled(_ scale: String) throws -> String {
      let range = try #require(whole.range(of: #""wakeDelay": \{"#, options: .regularExpression))
      return whole.replacingCharacters(in: range, with: "\"wakeDelay\": {\"scale\": \(scale), ")
    }
    let profile = try DeviceProfile(json: Array(scaled("[0.5, 3]").utf8))
    #expect(profile.regions.wakeDelay.scale == 0.5...3)
    #expect(try DeviceProfile(json: profile.encoded()) == profile)
    for bad in ["[]", "[1]", "[0, 2]", "[1.1, 2]", "[0.5, 0.9]", "[2, 0.5]", "[0.5, 1, 2]"] {
      guard case .unreadable(let path, _) = try #require(error(scaled(bad)), "\(bad)") else {
        Issue.record("\(bad)")
        continue
      }
      #expect(path == "regions.wakeDelay.scale")
    }
    #expect(
      error(try scaled("[0.5, 1001]"))
        == .outOfRange(path: "regions.wakeDelay.scale[1]", value: 1001, allowed: "1 to 1000"))
    #expect(
      error(try scaled("[0.0001, 2]"))
        == .outOfRange(path: "regions.wakeDelay.scale[0]", value: 0.0001, allowed: "0.001 to 1"))
  }

  @Test("Distributions rise from 0 to 1")
  func quantiles() throws {
    let whole = try text()
    let good = "\"quantiles\": [[0, 250], [1, 750]]"
    try #require(whole.contains("[[0, "))
    for bad in [
      "[]", "[[0, 1]]", "[[0, 2], [1, 1]]", "[[0.1, 1], [1, 2]]", "[[0, -1], [1, 2]]", "[[0, 1, 2], [1, 2]]",
    ] {
      let range = try #require(whole.range(of: #""quantiles": \[\[.*?\]\]"#, options: .regularExpression))
      let found = error(whole.replacingCharacters(in: range, with: "\"quantiles\": \(bad)"))
      guard case .unreadable(let path, _) = try #require(found, "\(bad) instead of \(good)") else {
        Issue.record("\(bad): \(String(describing: found))")
        continue
      }
      #expect(path.hasSuffix("quantiles"), "\(path)")
    }
  }

  private func check(_ change: (inout DeviceProfile) -> Void) -> DeviceProfileError? {
    var profile = SampleProfile.phone
    change(&profile)
    do {
      try profile.check()
      return nil
    } catch { return error }
  }

  @Test("Figures out of their range are named")
  func ranges() throws {
    #expect(
      check { $0.battery.value = 0 }
        == .outOfRange(
          path: "battery.value", value: 0, allowed: "0.1 to 200 watt-hours: mAh times volts over 1000"))
    // Milliampere-hours are no watt-hours.
    #expect(
      check { $0.battery = SampleProfile.figure(3000) }?.description
        == "battery.value cannot be 3000; allowed is 0.1 to 200 watt-hours: mAh times volts over 1000")
    #expect(
      check { $0.idle.value = -1 } == .outOfRange(path: "idle.value", value: -1, allowed: "0 to 1000000"))
    #expect(check { $0.idle.low = 21 } == .outOfRange(path: "idle.low", value: 21, allowed: "0 to 20"))
    #expect(
      check { $0.idle.high = .infinity }
        == .outOfRange(path: "idle.high", value: .infinity, allowed: "20 to 1000000"))
    #expect(
      check { $0.tiers[.best]?.gnss.high = 249 }
        == .outOfRange(path: "tiers.best.gnss.high", value: 249, allowed: "250 to 1000000"))
    #expect(
      check { $0.tiers[.best]?.interval = SampleProfile.always(0) }
        == .outOfRange(path: "tiers.best.interval.quantiles[0][1]", value: 0, allowed: "0.01 to 100000000"))
    #expect(check { $0.tiers[.hundredMeters] = nil } == .missingTier(.hundredMeters))
    #expect(
      check { $0.tiers[.best]?.moving.association.value = 1.5 }
        == .outOfRange(path: "tiers.best.moving.association.value", value: 1.5, allowed: "0 to 1"))
    #expect(
      check { $0.regions.slots = 0 } == .outOfRange(path: "regions.slots", value: 0, allowed: "1 to 100000"))
    #expect(
      check { $0.heading.rate = SampleProfile.figure(0) }
        == .outOfRange(path: "heading.rate.value", value: 0, allowed: "0.01 to 1000")
    )
    #expect(
      check { $0.beacons.scan.source = "hearsay" }
        == .unknownSource(path: "beacons.scan.source", source: "hearsay"))
    #expect(
      check { $0.notes = Array(repeating: "", count: 101) }
        == .tooLarge(path: "notes", count: 101, limit: 100))
    #expect(check { $0.name = "My Phone" } != nil)
    #expect(check { $0.title = "" } == .unreadable(path: "title", reason: "empty"))
    let nan = check { $0.work.value = .nan }
    guard case .outOfRange("work.value", _, "0 to 1000000") = nan else {
      Issue.record("\(String(describing: nan))")
      return
    }
  }

  @Test("Fallback shares and long distributions are bounded")
  func fallbackAndLength() throws {
    let positions = SampleProfile.positions(error: 900, reported: 2000)
    func fallback(share: Double, duration: Double) -> FallbackModel {
      FallbackModel(
        share: SampleProfile.figure(share), duration: SampleProfile.figure(duration), positions: positions)
    }
    #expect(check { $0.tiers[.best]?.fallback = fallback(share: 0.5, duration: 60) } == nil)
    #expect(
      check { $0.tiers[.best]?.fallback = fallback(share: 1, duration: 60) }
        == .outOfRange(path: "tiers.best.fallback.share.value", value: 1, allowed: "0 to 0.99"))
    #expect(
      check { $0.tiers[.best]?.fallback = fallback(share: 0.5, duration: 0) }
        == .outOfRange(path: "tiers.best.fallback.duration.value", value: 0, allowed: "0.1 to 100000000"))
    let points = (0...1001).map { Quantiles.Point(Double($0) / 1001, 1) }
    let long = try #require(Quantiles(points, basis: .assumed, source: "test"))
    #expect(
      check { $0.regions.delivery = long }
        == .tooLarge(path: "regions.delivery.quantiles", count: 1002, limit: 1000))
  }

  @Test("Equal profiles give equal bytes, a figure a line")
  func layout() throws {
    let text = try text()
    #expect(text == (try self.text()))
    #expect(
      text.contains(
        "  \"battery\": {\"basis\": \"assumed\", \"high\": 10, \"low\": 10, \"source\": \"test\", \"value\": 10},\n"
      ))
    #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count < 400 })
  }
}
