/// The command line.
struct Options {
  var peers = ""
  var places = ""
  var output: String?
  /// The results' file name, without its extension.
  var name = "latest"
  var only = ""
  var seed: UInt64 = 1
  var facts: [String] = []
  var polygons: [String] = []
  /// The command line program, for what is measured from file to file.
  var program: String?
  /// The directory of a PostgreSQL server's socket.
  var postgis: String?
  /// A Python that has GeoPandas; `nil` to leave it out.
  var python: String?
  /// The repository's directory; `nil` to leave out what reads its data.
  var repository: String?
  var sizes = [10_000, 100_000, 1_000_000]
  /// Whether to measure what takes minutes, too.
  var isFull = false
  var effort = Race.Effort(queries: 5000, repetitions: 9, budget: 0.3e9)

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else { throw Failure("\(option) needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--peers": peers = try value(of: argument)
      case "--places": places = try value(of: argument)
      case "--output": output = try value(of: argument)
      case "--name": name = try value(of: argument)
      case "--only": only = try value(of: argument)
      case "--program": program = try value(of: argument)
      case "--postgis": postgis = try value(of: argument)
      case "--python": python = try value(of: argument)
      case "--repository": repository = try value(of: argument)
      case "--fact": facts.append(try value(of: argument))
      case "--polygons": polygons.append(try value(of: argument))
      case "--seed":
        let text = try value(of: argument)
        guard let seed = UInt64(text) else { throw Failure("--seed \(text): not a number") }
        self.seed = seed
      case "--sizes":
        let text = try value(of: argument)
        sizes = text.split(separator: ",").compactMap { Int($0) }
        guard !sizes.isEmpty, sizes.allSatisfy({ $0 >= 100 }) else {
          throw Failure("--sizes \(text): numbers of at least 100, separated by commas")
        }
      case "--quick":
        sizes = [10_000, 100_000]
        effort = Race.Effort(queries: 1000, repetitions: 3, budget: 0.05e9)
      case "--full":
        effort = Race.Effort(queries: 10_000, repetitions: 21, budget: 0.5e9)
        isFull = true
      default: throw Failure("unknown option \(argument)")
      }
    }
    guard !peers.isEmpty, !places.isEmpty else { throw Failure("--peers and --places are needed") }
  }
}
