import Vicinity

// An app may have types of the same names as the library's: its own are meant, and the library's have the
// module's name before them.

/// An app's own.
struct Monitor {
  var strategy: Strategy
}

/// An app's own.
enum Strategy {
  case careful
}

/// The library's, by the module's name.
func options(of monitor: Monitor) -> Vicinity.MonitorOptions {
  let strategy: Vicinity.Strategy =
    switch monitor.strategy {
    case .careful: .slots
    }
  return Vicinity.MonitorOptions(strategy: strategy)
}

/// The library's, by the module's name.
func name(of monitor: Vicinity.Monitor) -> String { monitor.name }
