// swift-tools-version: 6.2
import PackageDescription

// What an app on a phone gets: the library without traits, so without any system library.
// VICINITY_TRAITS=default takes the default traits instead, for comparing the answers.
let isDefault = Context.environment["VICINITY_TRAITS"] == "default"

let package = Package(
  name: "standalone",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "vicinity", path: "../..", traits: isDefault ? [.defaults] : [])],
  targets: [
    .executableTarget(
      name: "answers",
      dependencies: [.product(name: "Vicinity", package: "vicinity")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
