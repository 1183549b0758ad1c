extension QueryOptions {
  /// The options of a query for the nearest.
  package static let named: [NamedOption<QueryOptions>] = [
    .tier(
      \.tolerance,
      help: """
        Desired accuracy: \(Tier.expected) (default: best). Distances may be off by this much, and the i-th \
        region may be this much farther away than the true i-th.
        """),
    .number(
      "max-distance", "metres", \.maximumDistance, in: -.infinity...(.infinity), "a number",
      help: """
        Leave out regions whose boundary is farther, metres; 0 keeps those containing the position, and -50 \
        those in which the position is at least 50 m from the boundary.
        """),
  ]
}
