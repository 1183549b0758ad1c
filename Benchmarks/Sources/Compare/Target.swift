/// A promise about a ratio, and how it came out.
struct Target: Encodable {
  var text: String
  var measured: Double
  var limit: Double
  /// Whether the measured value must stay at or below the limit, rather than reach it.
  var isUpperLimit = true
  /// Of the measured value and the limit; empty for ratios.
  var unit = ""

  var isMet: Bool { isUpperLimit ? measured <= limit : measured >= limit }
}

/// Finds rows, and judges the promises that rest on two of them.
struct Judge {
  var rows: [Row]

  func median(_ scenario: String, _ n: Int, _ contestant: String) -> Double? {
    rows.first { $0.scenario == scenario && $0.n == n && $0.contestant == contestant }?.median
  }

  func targets() -> [Target] {
    var targets: [Target] = []
    func add(_ text: String, _ numerator: Double?, _ denominator: Double?, _ limit: Double) {
      guard let numerator, let denominator else { return }
      targets.append(Target(text: text, measured: numerator / denominator, limit: limit))
    }
    let exactPeers = ["nanoflann-exact2phase", "boost-ecef-exact2phase"]
    let certifiedPeers = exactPeers + ["nanoflann-certified", "boost-ecef-certified"]
    for (n, limit) in [(10_000, 1.0), (100_000, 0.45), (1_000_000, 0.40)] {
      let ours = median("near", n, "vicinity")
      add(
        "near, \(n): exact, against nanoflann's centres", ours,
        median("near", n, "nanoflann-plain"), limit)
      add(
        "near, \(n): against the best exact two-phase peer", ours,
        exactPeers.compactMap { median("near", n, $0) }.min(), 0.10)
      add(
        "near, \(n): against the best exact peer, our sharper constructions included", ours,
        certifiedPeers.compactMap { median("near", n, $0) }.min(), 0.10)
      if n > 10_000 {
        add(
          "near, \(n): at a hundred metres, against exact", median("near", n, "vicinity-hundredMeters"), ours,
          0.6)
        add("near, \(n): at a kilometre, against exact", median("near", n, "vicinity-kilometer"), ours, 0.45)
      }
      for scenario in ["near", "shuffled-track", "uniform", "ocean"] {
        add(
          "\(scenario), \(n): in a batch, against nanoflann's centres",
          median(scenario, n, "vicinity-batch"), median(scenario, n, "nanoflann-plain"), 0.6)
      }
      add(
        "track, \(n): each fix on its own, against nanoflann's centres",
        median("track", n, "vicinity"), median("track", n, "nanoflann-plain"), 1.3)
      add(
        "track, \(n): moving query, against nanoflann's centres",
        median("track", n, "vicinity-moving"), median("track", n, "nanoflann-plain"), 0.2)
      for scenario in ["uniform", "ocean"] {
        let theirs = median(scenario, n, "vicinity")
        add("\(scenario), \(n): against near", theirs, ours, 4)
        add(
          "\(scenario), \(n): exact, against nanoflann's centres", theirs,
          median(scenario, n, "nanoflann-plain"), 1.3)
      }
    }
    add(
      "dense city, 10000: against near", median("dense-city", 10_000, "vicinity"),
      median("near", 10_000, "vicinity"), 2)
    for row in rows where row.scenario.hasPrefix("polygons:") && row.contestant == "vicinity" {
      for (tier, text) in [("hundredMeters", "a hundred metres"), ("kilometer", "a kilometre")] {
        add(
          "\(row.scenario), \(row.n): at \(text), against exact",
          median(row.scenario, row.n, "vicinity-\(tier)"), row.median, 0.5)
      }
      add(
        "\(row.scenario), \(row.n): from anywhere, against near",
        median(row.scenario + ":uniform", row.n, row.contestant), row.median, 4)
      let circles = "circles-for-polygons:" + row.scenario.dropFirst("polygons:".count)
      add(
        "\(row.scenario), \(row.n): against circles", row.median,
        median(circles, row.n, row.contestant), 5)
    }
    return targets
  }
}
