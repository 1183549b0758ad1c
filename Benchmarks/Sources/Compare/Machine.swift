import Foundation

/// What the numbers were measured on, for the head of every result.
struct Machine {
  var facts: [(String, String)]

  /// `given` holds what the script knows: commit, Swift and package versions.
  init(given: [String], library: PeerLibrary) {
    func field(_ name: String, in path: String) -> String? {
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
      for line in text.split(separator: "\n") where line.hasPrefix(name) {
        let value = line.dropFirst(name.count).drop { " \t:=\"".contains($0) }
        return String(value.prefix { $0 != "\"" })
      }
      return nil
    }
    facts = [
      ("CPU", field("model name", in: "/proc/cpuinfo") ?? "unknown"),
      ("cores", "\(ProcessInfo.processInfo.activeProcessorCount)"),
      ("memory", field("MemTotal", in: "/proc/meminfo") ?? "unknown"),
      (
        "OS",
        field("PRETTY_NAME", in: "/etc/os-release")
          ?? ProcessInfo.processInfo.operatingSystemVersionString
      ),
      (
        "kernel",
        (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8))?
          .trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
      ),
      (
        "load at start",
        (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?
          .split(separator: " ").prefix(3).joined(separator: " ") ?? "unknown"
      ),
      ("peers' compiler", library.compiler),
    ]
    for fact in given {
      let parts = fact.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 2 { facts.append((parts[0], parts[1])) }
    }
  }
}
