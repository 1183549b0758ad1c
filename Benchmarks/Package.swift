// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of Vicinity never resolve what only benchmarks need. It uses the
// library as its users do: through public products, cross-module, plain `-c release`.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
]

// With the package's own solver as the reference, as on a phone: `Scripts/bench --standalone`.
let isStandalone = Context.environment["VICINITY_STANDALONE"] != nil

let package = Package(
  name: "vicinity-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "vicinity", path: "..", traits: isStandalone ? ["Store"] : [.defaults])],
  targets: [
    // The C interface of libpeers, which `Peers/Makefile` builds and the harness opens with dlopen.
    .target(name: "CPeers"),
    .executableTarget(
      name: "Compare",
      dependencies: [
        "CPeers",
        .product(name: "Vicinity", package: "vicinity"),
        .product(name: "VicinityFormats", package: "vicinity"),
        .product(name: "VicinityStore", package: "vicinity"),
        .product(name: "VicinitySynthesis", package: "vicinity"),
        .product(name: "VicinitySimulation", package: "vicinity"),
        .product(name: "VicinityEvaluation", package: "vicinity"),
      ],
      swiftSettings: settings),
  ]
)
