import Foundation

/// What the numbers were measured on, for the head of every result.
struct Machine {
  var facts: [(String, String)]

  /// `given` holds what the script knows: commit, Swift and package versions.
  init(given: [String], library: PeerLibrary) {
    facts = [
      ("CPU", Self.field("model name", in: "/proc/cpuinfo") ?? "unknown"),
      ("cores", "\(ProcessInfo.processInfo.activeProcessorCount)"),
      ("memory", Self.field("MemTotal", in: "/proc/meminfo") ?? "unknown"),
      (
        "OS",
        Self.field("PRETTY_NAME", in: "/etc/os-release")
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
      (
        "Vicinity's build",
        "-c release for any \(Self.architecture); its kernels choose the vector width at run time: \(Self.vectors)"
      ),
    ]
    for fact in given {
      let parts = fact.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 2 { facts.append((parts[0], parts[1])) }
    }
  }

  private static var architecture: String {
    #if arch(x86_64)
      "x86-64"
    #elseif arch(arm64)
      "arm64"
    #else
      "processor"
    #endif
  }

  /// What the kernels choose on this processor: the rule of `CVicinityKernels`, by the flags that the system
  /// names.
  private static var vectors: String {
    #if arch(x86_64)
      let flags = field("flags", in: "/proc/cpuinfo")?.split(separator: " ") ?? []
      if !flags.contains("avx2") { return "SSE2 here" }
      return flags.contains("avx512f") ? "AVX-512 here" : "AVX2 here"
    #else
      return "NEON here"
    #endif
  }

  /// The value of the first line of a file that starts with a name.
  private static func field(_ name: String, in path: String) -> String? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      let value = line.dropFirst(name.count).drop { " \t:=\"".contains($0) }
      return String(value.prefix { $0 != "\"" })
    }
    return nil
  }
}
