// swift-tools-version: 6.2
import PackageDescription

// Apart from its parent, so that comparing with the peers needs no package from the network.
// `traits: []`: the default ones need interposers that do not resolve; counts of mallocs are then
// a false zero, so no benchmark selects them.
let package = Package(
  name: "vicinity-micro-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "vicinity", path: "../..", traits: []),
    .package(url: "https://github.com/ordo-one/benchmark.git", exact: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "Kernels",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "Vicinity", package: "vicinity"),
      ],
      path: "Benchmarks/Kernels",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
  ]
)
