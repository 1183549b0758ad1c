// swift-tools-version: 6.2
import PackageDescription

/// Every target: Swift 6 language mode, `any` spelled out, imports private unless said otherwise, and
/// each unsafe expression marked.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
]

/// System libraries are for desktops and servers alone: a phone has none, and cannot look for them.
let hosts: [Platform] = [.linux, .macOS]
let proj = Target.Dependency.target(name: "CPROJ", condition: .when(platforms: hosts, traits: ["PROJ"]))
let geos = Target.Dependency.target(name: "CGEOS", condition: .when(platforms: hosts, traits: ["GEOS"]))

let package = Package(
  name: "vicinity",
  // The oldest systems that have what the code uses: `Mutex` and `Atomic` (Synchronization), which came with
  // Swift 6.0. For iOS 17, which brought `CLMonitor`, eight files would need another lock, and the adapter a
  // guard at each of the reasons that Core Location gives since iOS 18. Scripts/availability holds the code
  // to these versions.
  platforms: [.macOS(.v15), .iOS(.v18), .watchOS(.v11), .tvOS(.v18), .visionOS(.v2)],
  products: [
    // `import Vicinity` has what an app needs; the modules beneath have the rest.
    .library(
      name: "Vicinity",
      targets: [
        "Vicinity", "VicinityMonitor", "VicinityPlanner", "VicinityCrossings", "VicinityIndex",
        "VicinityPolygon",
        "VicinityGeodesy",
      ]),
    .library(name: "VicinityFormats", targets: ["VicinityFormats"]),
    .library(name: "VicinityStore", targets: ["VicinityStore"]),
    .library(name: "VicinityCoreLocation", targets: ["VicinityCoreLocation"]),
    .library(name: "VicinitySynthesis", targets: ["VicinitySynthesis"]),
    .library(name: "VicinitySimulation", targets: ["VicinitySimulation"]),
    .library(name: "VicinityEvaluation", targets: ["VicinityEvaluation", "VicinityReports"]),
    // The C interface, for other languages: Scripts/python puts it in a wheel.
    .library(name: "VicinityC", type: .dynamic, targets: ["VicinityC"]),
    .executable(name: "vicinity", targets: ["VicinityCLI"]),
    // Fits the simulated phone to measured ones, for Data/devices.
    .executable(name: "vicinity-calibrate", targets: ["VicinityCalibrate"]),
  ],
  // On by default, so that everything here is built and tested. A package that depends on this one with
  // `traits: []` needs no system library: it neither fetches nor builds GRDB, and cannot import
  // VicinityStore. On other platforms than Linux and macOS the traits PROJ and GEOS change nothing, so that
  // an app need not say anything about traits.
  traits: [
    .trait(name: "Store", description: "The durable record store, VicinityStore, on SQLite through GRDB."),
    .trait(name: "PROJ", description: "PROJ as the reference for distances, on Linux and macOS."),
    .trait(name: "GEOS", description: "Repair of files' invalid polygons by GEOS, on Linux and macOS."),
    .default(enabledTraits: ["Store", "PROJ", "GEOS"]),
  ],
  // Ranges, so that an app that uses these too can share them; benchmarks, which nobody depends on, name
  // theirs exactly.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // System libraries.
    .systemLibrary(
      name: "CPROJ", pkgConfig: "proj", providers: [.apt(["libproj-dev"]), .brew(["proj"])]),
    .systemLibrary(
      name: "CGEOS", pkgConfig: "geos", providers: [.apt(["libgeos-dev"]), .brew(["geos"])]),
    .systemLibrary(
      name: "CGDAL", pkgConfig: "gdal", providers: [.apt(["libgdal-dev"]), .brew(["gdal"])]),
    // Inflaters and extended attributes. Debian has no description of bzip2 for pkg-config; macOS has the
    // library itself.
    .systemLibrary(
      name: "CFiles", pkgConfig: "zlib libzstd liblzma",
      providers: [
        .apt(["zlib1g-dev", "libzstd-dev", "liblzma-dev", "libbz2-dev"]), .brew(["zlib", "zstd", "xz"]),
      ]),
    // The C library's mathematics, under one name on all platforms.
    .systemLibrary(name: "CMath"),
    // The C library's other functions, likewise.
    .target(name: "CLibrary", swiftSettings: settings),

    // The library. Imports run downward only; each target lists the modules that it imports itself.
    .target(name: "VicinityGeodesy", dependencies: ["CMath", proj], swiftSettings: settings),
    // The privacy manifest is for all modules of the library: as a Swift module's resource it would need
    // Foundation.
    .target(name: "CVicinityKernels", resources: [.copy("PrivacyInfo.xcprivacy")]),
    .target(
      name: "VicinityPolygon", dependencies: ["CMath", "VicinityGeodesy", "CVicinityKernels"],
      swiftSettings: settings),
    .target(
      name: "VicinityIndex",
      dependencies: ["CLibrary", "CMath", "VicinityGeodesy", "VicinityPolygon", "CVicinityKernels"],
      swiftSettings: settings),
    .target(
      name: "VicinityCrossings",
      dependencies: ["CMath", "VicinityGeodesy", "VicinityPolygon", "VicinityIndex", "CVicinityKernels"],
      swiftSettings: settings),
    .target(
      name: "VicinityPlanner",
      dependencies: ["VicinityGeodesy", "VicinityPolygon", "VicinityIndex", "VicinityCrossings"],
      swiftSettings: settings),
    .target(
      name: "VicinityMonitor",
      dependencies: [
        "CLibrary", "CMath", "VicinityGeodesy", "VicinityPolygon", "VicinityIndex", "VicinityCrossings",
        "VicinityPlanner",
      ],
      swiftSettings: settings),
    .target(
      name: "VicinityCoreLocation",
      dependencies: ["VicinityGeodesy", "VicinityIndex", "VicinityCrossings", "VicinityMonitor"],
      swiftSettings: settings),
    .target(
      name: "Vicinity",
      dependencies: [
        "VicinityGeodesy", "VicinityPolygon", "VicinityIndex", "VicinityCrossings", "VicinityPlanner",
        "VicinityMonitor",
      ],
      swiftSettings: settings),
    .target(
      name: "VicinityText",
      dependencies: ["CLibrary", "VicinityGeodesy", "VicinityIndex", "VicinityCrossings"],
      swiftSettings: settings),
    .target(
      name: "VicinityFormats",
      dependencies: [
        "CLibrary", "CMath", "VicinityGeodesy", "VicinityPolygon", "VicinityIndex", "VicinityCrossings",
        "VicinityText", "CFiles", "CGDAL", "CPROJ", geos,
      ],
      swiftSettings: settings),
    .target(
      name: "VicinityStore",
      dependencies: [
        "VicinityGeodesy", "VicinityIndex", "VicinityCrossings", "VicinityMonitor",
        .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Store"])),
      ],
      swiftSettings: settings),
    .target(
      name: "VicinitySynthesis",
      dependencies: ["CMath", "VicinityGeodesy", "VicinityPolygon", "VicinityIndex", "VicinityCrossings"],
      swiftSettings: settings),
    .target(
      name: "VicinityProfiles",
      dependencies: ["CMath", "VicinityGeodesy", "VicinityCrossings", "VicinityMonitor"],
      // A link to Data/devices: what is shipped is what is there to be read.
      resources: [.embedInCode("Devices")], swiftSettings: settings),
    .target(
      name: "VicinitySimulation",
      dependencies: [
        "CMath", "VicinityGeodesy", "VicinityIndex", "VicinityCrossings", "VicinityMonitor",
        "VicinityProfiles",
      ],
      swiftSettings: settings),
    .target(
      name: "VicinityEvaluation",
      dependencies: [
        "CMath",
        "VicinityGeodesy", "VicinityPolygon", "VicinityIndex", "VicinityCrossings", "VicinityMonitor",
        "VicinitySimulation",
      ],
      swiftSettings: settings),
    .target(
      name: "VicinityReports",
      dependencies: [
        "VicinityGeodesy", "VicinityPolygon", "VicinityIndex", "VicinityCrossings", "VicinityMonitor",
        "VicinitySimulation", "VicinityEvaluation",
      ],
      resources: [.embedInCode("Page")], swiftSettings: settings),

    // The C interface: the header, and the functions in it.
    .systemLibrary(name: "CVicinity"),
    .target(
      name: "VicinityC",
      dependencies: [
        "CLibrary", "CVicinity", "VicinityGeodesy", "VicinityPolygon", "VicinityIndex", "VicinityCrossings",
        "VicinityText", "VicinityMonitor", "VicinitySimulation", "VicinityEvaluation", "VicinityReports",
      ],
      swiftSettings: settings),

    // The command line, and the long runs that it makes.
    .target(
      name: "VicinityRuns",
      dependencies: [
        "CFiles", "CLibrary", "VicinityGeodesy", "VicinityIndex", "VicinityCrossings", "VicinityFormats",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "VicinityCLI",
      dependencies: [
        "VicinityGeodesy", "VicinityPolygon", "VicinityIndex", "VicinityCrossings", "VicinityMonitor",
        "VicinityFormats", "VicinityRuns", "VicinitySynthesis", "VicinitySimulation",
        "VicinityEvaluation", "VicinityReports", "CLibrary", "CVicinityKernels",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),

    // Calibration: a program of its own beside the benchmarks, since no app and no service needs it. It is of
    // this package because it fits what the simulator keeps to itself. Some of its files are links to those
    // of the other program: how messages are printed, and what is done about signals.
    .target(
      name: "VicinityCalibration",
      dependencies: [
        "CMath", "VicinityGeodesy", "VicinityIndex", "VicinityCrossings", "VicinityMonitor",
        "VicinityCoreLocation", "VicinitySimulation",
      ],
      path: "Benchmarks/Calibration/Sources/VicinityCalibration", swiftSettings: settings),
    .executableTarget(
      name: "VicinityCalibrate",
      dependencies: [
        "CLibrary", "VicinityGeodesy", "VicinityIndex", "VicinityCrossings", "VicinityMonitor",
        "VicinityFormats", "VicinityRuns", "VicinitySimulation", "VicinityCalibration",
        "VicinityCoreLocation", "VicinityReports",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/Calibration/Sources/VicinityCalibrate", swiftSettings: settings),

    // Tests.
    .target(
      name: "VicinityTestSupport",
      dependencies: [
        "CLibrary", "CMath", "CPortableKernels", "CPROJ", "CVicinityKernels", "VicinityGeodesy",
        "VicinityPolygon",
        "VicinityIndex", "VicinityCrossings", "VicinityPlanner", "VicinityMonitor",
      ],
      swiftSettings: settings),
    .target(name: "CPortableKernels", dependencies: ["CVicinityKernels"], path: "Tests/CPortableKernels"),
    .testTarget(
      name: "VicinityGeodesyTests", dependencies: ["VicinityGeodesy", "VicinityTestSupport", "CPROJ"],
      swiftSettings: settings),
    .testTarget(
      name: "VicinityPolygonTests",
      dependencies: [
        "CGEOS", "CPortableKernels", "CVicinityKernels", "VicinityPolygon", "VicinityGeodesy",
        "VicinityTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "VicinityIndexTests",
      dependencies: [
        "CPortableKernels", "CVicinityKernels", "VicinityCrossings", "VicinityIndex", "VicinityPolygon",
        "VicinityGeodesy", "VicinityTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "VicinityCrossingsTests",
      dependencies: [
        "VicinityCrossings", "VicinityIndex", "VicinityPolygon", "VicinityGeodesy", "VicinityTestSupport",
        "CPROJ", "CVicinityKernels",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "VicinityPlannerTests",
      dependencies: [
        "VicinityPlanner", "VicinityCrossings", "VicinityIndex", "VicinityPolygon", "VicinityGeodesy",
        "VicinityTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "VicinityMonitorTests",
      dependencies: [
        "VicinityMonitor", "VicinityCrossings", "VicinityIndex", "VicinityPolygon", "VicinityGeodesy",
        "VicinityTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "VicinityCoreLocationTests",
      dependencies: ["VicinityCoreLocation", "VicinityMonitor", "VicinityCrossings", "VicinityGeodesy"],
      swiftSettings: settings),
    // Fix+At.swift is a link to that of VicinityFormatsTests.
    .testTarget(
      name: "VicinityTextTests",
      dependencies: [
        "VicinityText", "VicinityCrossings", "VicinityIndex", "VicinityGeodesy", "VicinityTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "VicinityFormatsTests",
      dependencies: [
        "VicinityFormats", "VicinityText", "VicinityCrossings", "VicinityIndex", "VicinityPolygon",
        "VicinityGeodesy", "VicinityTestSupport", "CFiles", "CGDAL", "CPROJ",
      ],
      swiftSettings: settings),
    // A process that tests of the store start, harm and kill.
    .executableTarget(
      name: "VicinityStoreHelper",
      dependencies: [
        "VicinityStore", "VicinityMonitor", "VicinityCrossings", "VicinityGeodesy", "VicinityTestSupport",
        .product(name: "GRDBSQLite", package: "GRDB.swift", condition: .when(traits: ["Store"])),
      ],
      path: "Tests/VicinityStoreHelper", swiftSettings: settings),
    .testTarget(
      name: "VicinityStoreTests",
      dependencies: [
        "VicinityStore", "VicinityStoreHelper", "VicinityMonitor", "VicinityCrossings", "VicinityIndex",
        "VicinityPolygon", "VicinityGeodesy", "VicinityTestSupport",
        .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Store"])),
      ],
      exclude: ["Golden"], swiftSettings: settings),
    .testTarget(
      name: "VicinitySynthesisTests",
      dependencies: [
        "VicinitySynthesis", "VicinitySimulation", "VicinityCrossings", "VicinityIndex", "VicinityGeodesy",
        "VicinityTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "VicinityProfilesTests",
      dependencies: ["VicinityProfiles", "VicinityMonitor", "VicinityTestSupport"], swiftSettings: settings),
    // SampleProfile.swift is a link to that of VicinityProfilesTests, here and below, and Statistics.swift to
    // that of these tests.
    .testTarget(
      name: "VicinitySimulationTests",
      dependencies: [
        "VicinitySimulation", "VicinityProfiles", "VicinityStore", "VicinityMonitor", "VicinityCrossings",
        "VicinityIndex", "VicinityGeodesy", "VicinityTestSupport",
      ],
      exclude: ["Golden"], swiftSettings: settings),
    .testTarget(
      name: "VicinityCalibrationTests",
      dependencies: [
        "VicinityCalibration", "VicinitySimulation", "VicinityProfiles",
        "VicinityCoreLocation", "VicinityMonitor", "VicinityCrossings", "VicinityIndex", "VicinityGeodesy",
        "VicinityTestSupport",
      ],
      path: "Benchmarks/Calibration/Tests/VicinityCalibrationTests", swiftSettings: settings),
    // CommandRun.swift is a link to that of VicinityCLITests.
    .testTarget(
      name: "VicinityCalibrateTests",
      dependencies: ["VicinityCalibrate", "VicinitySimulation", "VicinityTestSupport"],
      path: "Benchmarks/Calibration/Tests/VicinityCalibrateTests", swiftSettings: settings),
    .testTarget(
      name: "VicinityEvaluationTests",
      dependencies: [
        "VicinityEvaluation", "VicinitySynthesis", "VicinitySimulation", "VicinityMonitor",
        "VicinityCrossings", "VicinityIndex", "VicinityPolygon", "VicinityGeodesy", "VicinityTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "VicinityReportsTests",
      dependencies: [
        "VicinityReports", "VicinityEvaluation", "VicinitySimulation", "VicinityMonitor", "VicinityCrossings",
        "VicinityIndex", "VicinityGeodesy", "VicinityTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "VicinityRunsTests", dependencies: ["VicinityRuns"], swiftSettings: settings),
    .testTarget(
      name: "VicinityCLITests",
      dependencies: [
        "VicinityCLI", "VicinityRuns", "VicinityPlanner", "VicinityCrossings", "VicinityIndex",
        "VicinityGeodesy", "VicinityTestSupport", "CFiles",
      ],
      swiftSettings: settings),
  ]
)
