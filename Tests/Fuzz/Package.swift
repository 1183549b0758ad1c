// swift-tools-version: 6.2
import PackageDescription

/// Fuzzers of everything that parses. Built and run by Scripts/fuzz, which passes the sanitizers' flags for
/// all modules of Vicinity too.
///
/// libFuzzer's own `main` gives way to the one that Swift names for an executable: Scripts/fuzz tells the
/// linker so.
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]

func fuzzer(_ name: String, _ product: String) -> Target {
  .executableTarget(
    name: name, dependencies: ["Harness", .product(name: product, package: "vicinity")],
    swiftSettings: settings)
}

let package = Package(
  name: "fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "vicinity", path: "../..", traits: [])],
  targets: [
    .target(name: "Harness", swiftSettings: settings),
    fuzzer("FuzzIndex", "Vicinity"),
    fuzzer("FuzzHostileIndex", "Vicinity"),
    fuzzer("FuzzPolygon", "Vicinity"),
    fuzzer("FuzzFleet", "Vicinity"),
    fuzzer("FuzzPolygonRecord", "Vicinity"),
    fuzzer("FuzzRegionsCSV", "VicinityFormats"),
    fuzzer("FuzzPointsCSV", "VicinityFormats"),
    fuzzer("FuzzGeoJSON", "VicinityFormats"),
    fuzzer("FuzzWKT", "VicinityFormats"),
    fuzzer("FuzzTracks", "VicinityFormats"),
    fuzzer("FuzzTracksCSV", "VicinityFormats"),
    fuzzer("FuzzJSONLines", "VicinityFormats"),
    fuzzer("FuzzPacked", "VicinityFormats"),
    fuzzer("FuzzPowerProfile", "VicinitySimulation"),
    fuzzer("FuzzDeviceProfile", "VicinitySimulation"),
  ]
)
