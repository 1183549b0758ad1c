// swift-tools-version: 6.2
import PackageDescription

// Tests of Sources/VicinityCoreLocation where there is no Apple SDK: its sources, built with modules that
// stand in for Apple's (Tests/CoreLocationStub) and do what a test tells them. Run by Scripts/nightly phone.
//
// The modules below it are links, so that all are of one package, as their `package` declarations need. Each
// may import those before it.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let apple = ["CoreLocation", "CoreBluetooth", "UserNotifications"]
let modules = [
  "CLibrary", "VicinityGeodesy", "VicinityPolygon", "VicinityIndex", "VicinityCrossings", "VicinityPlanner",
  "VicinityMonitor", "Vicinity", "VicinityCoreLocation",
]

let package = Package(name: "phone-adapter", platforms: [.macOS(.v15)])
package.targets = [
  .systemLibrary(name: "CMath"),
  .target(name: "CVicinityKernels", resources: [.copy("PrivacyInfo.xcprivacy")]),
]
package.targets += apple.map { .target(name: $0, swiftSettings: settings) }
package.targets += modules.enumerated().map { number, name in
  let below = ["CMath", "CVicinityKernels"] + modules.prefix(number)
  return .target(
    name: name,
    dependencies: (name == "VicinityCoreLocation" ? below + apple : below).map { .target(name: $0) },
    swiftSettings: settings + [.strictMemorySafety()])
}
package.targets.append(
  .testTarget(
    name: "VicinityCoreLocationTests",
    dependencies: ["VicinityCoreLocation", "Vicinity", "CoreLocation"].map { .target(name: $0) },
    swiftSettings: settings))
