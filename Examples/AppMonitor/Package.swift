// swift-tools-version: 6.2
import PackageDescription

// Copy this folder, and put in place of the path the address of the repository and a version.
let package = Package(
  name: "zones",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "vicinity", path: "../..")],
  targets: [
    .executableTarget(
      name: "zones",
      dependencies: [
        .product(name: "Vicinity", package: "vicinity"),
        .product(name: "VicinityStore", package: "vicinity"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
