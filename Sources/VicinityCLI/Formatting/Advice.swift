import ArgumentParser
import VicinityFormats

/// Options that would help where a command failed.
enum Advice {
  /// What to tell people after the error `text` of the command that `arguments` ask for; only options that
  /// this command has.
  ///
  /// - Parameter cures: What can be done about it.
  static func lines(on text: String, _ cures: [Cure], _ arguments: [String]) -> [String] {
    let commands = VicinityCommand.configuration.subcommands
    let command = commands.first { $0.configuration.commandName == arguments.first } ?? VicinityCommand.self
    let help = VicinityCommand.helpMessage(for: command, includeHidden: true, columns: 10_000)
    func isThere(_ option: String) -> Bool {
      help.contains("\(option) ") || help.contains("\(option)\n") || help.contains("\(option),")
    }
    // What the error names itself need not be said again.
    var lines = cures.filter { isThere($0.option) && !text.contains($0.option) }.map(\.advice)
    // Another order does not help where the batch before has gone on.
    if cures.contains(.sort) || cures.contains(.sortTracks),
      arguments.contains(where: { $0 == "--state" || $0.hasPrefix("--state=") })
    {
      lines.append(
        "with --state a device goes on after its last fix of the batch before; for a batch that overlaps it, or corrects it, put back a copy of the state from before that batch"
      )
    }
    for (names, option, words) in nearMisses
    where isThere(option) && names.contains(where: { text.contains("Unknown option '\($0)'") }) {
      lines.append(words)
    }
    if ["--quiet", "--silent", "-q"].contains(where: { text.contains("Unknown option '\($0)'") }) {
      lines.append("standard output is only data; 2>/dev/null leaves messages out")
    }
    return lines
  }

  /// How many letters have to be inserted, removed or replaced to make one word of another (V. I.
  /// Levenshtein, 1966).
  static func distance(_ a: String, _ b: String) -> Int {
    let other = Array(b.utf8)
    var row = Array(0...other.count)
    for (i, letter) in a.utf8.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in other.indices {
        let change = diagonal + (letter == other[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(change, row[j + 1] + 1, row[j] + 1)
      }
    }
    return row[other.count]
  }

  /// Names that other programs give to options, the option here, and what to say of it.
  static let nearMisses: [(names: [String], option: String, words: String)] = [
    (
      ["--lat-field", "--lat", "--latitude", "--lat-column"], "--latitude-field",
      "the column of latitudes is named by --latitude-field"
    ),
    (
      ["--lon-field", "--lng-field", "--long-field", "--lon", "--lng", "--longitude", "--lon-column"],
      "--longitude-field", "the column of longitudes is named by --longitude-field"
    ),
    (["--threads", "--cores", "--workers", "--parallel"], "--jobs", "the number of threads is --jobs"),
    (
      ["--radius"], "--default-radius",
      "points get a radius by --default-radius METRES; --radius-field names a column"
    ),
    (
      ["--identifier-field", "--ids", "--id", "--name-field"], "--id-field",
      "the column of identifiers is named by --id-field"
    ),
    (
      ["--device", "--device-id", "--device-id-field"], "--device-field",
      "the column of devices is named by --device-field"
    ),
    (
      ["--timezone", "--time-zone", "--zone", "--tz"], "--utc-offset",
      "the zone of times that state none is --utc-offset"
    ),
    (
      ["--accuracy", "--accuracy-column", "--precision-field"], "--accuracy-field",
      "the column of accuracies is named by --accuracy-field"
    ),
    (["--unit", "--time-units", "--milliseconds", "--ms"], "--time-unit", "what times count is --time-unit"),
    (
      ["--tolerance"], "--edge-tolerance",
      "how closely polygons follow straight edges is --edge-tolerance METRES"
    ),
    (["--merge"], "--merge-ids", "polygons with one identifier become one region with --merge-ids"),
  ]
}

extension Cure {
  /// The option that is the cure, or the first of several.
  var option: String {
    switch self {
    case .utcOffset: "--utc-offset"
    case .sort, .sortTracks: "--sort"
    case .defaultRadius: "--default-radius"
    case .identifier, .unnamed: "--id-field"
    case .device: "--device-field"
    case .coordinateField: "--latitude-field"
    case .timeField: "--time-field"
    case .notAfter: "--not-after"
    case .timeUnit: "--time-unit"
    case .wideEdges: "--wide-edges"
    case .layer: "--layer"
    case .ballpark: "--allow-ballpark"
    case .skipInvalid: "--skip-invalid"
    }
  }

  /// What the option does, in a sentence.
  var advice: String {
    switch self {
    case .utcOffset:
      "--utc-offset says the zone of times that state none: +02:00, UTC or a name such as Europe/Berlin"
    case .sort:
      "--sort puts each device's fixes into the order of their times first; if the wrong column tells devices apart, --device-field names another"
    case .sortTracks:
      "--sort puts each device's fixes into the order of their times first; --tracks-are-devices takes each track of a GPX file for a device of its own"
    case .defaultRadius:
      "--radius-field NAME says which column or field has the radii, in metres; --default-radius METRES gives all points that state none the same"
    case .identifier:
      "--id-field names another column for identifiers; --merge-ids makes one region of polygons with one identifier"
    case .unnamed: Self.advice(unnamed: option)
    case .device:
      "--device-field names the column of devices; --single-device says that all fixes of a file are of one"
    case .coordinateField: "--latitude-field and --longitude-field name the columns"
    case .timeField: "--time-field names the column"
    case .notAfter: "--not-after TIME allows times up to that one"
    case .timeUnit:
      "--time-unit says what times that are numbers count: \(TimeUnit.allCases.map(\.rawValue).joined(separator: ", "))"
    case .wideEdges:
      "--wide-edges straight follows such edges as they are written; --wide-edges shortest takes them across the antimeridian"
    case .layer:
      "--layer NAME chooses the layer of the regions; --track-layer that of tracks, --point-layer that of points"
    case .ballpark: "--allow-ballpark takes the coordinates all the same, without the shift between datums"
    case .skipInvalid: "--skip-invalid leaves bad rows out, and counts them"
    }
  }

  /// What `option` does, where nothing has been found that holds identifiers.
  static func advice(unnamed option: String) -> String {
    "\(option) NAME says what holds the identifiers; \(option) FID asks for the numbers"
  }
}
