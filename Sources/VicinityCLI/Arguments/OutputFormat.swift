import ArgumentParser

/// The formats of `nearest`.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case table, csv, json, geojson
}

/// The formats of `info`, `simulate` and `compare`.
enum SummaryFormat: String, CaseIterable, ExpressibleByArgument {
  case table, json
}
