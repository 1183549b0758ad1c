import ArgumentParser
import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityRuns
import VicinitySynthesis

/// `vicinity generate tracks`: made-up days of people in a city: commuters, couriers, or people at home.
struct GenerateTracksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tracks",
    abstract: "Make up days of people: commuters, couriers, people at home.",
    usage: """
      vicinity generate tracks --devices <n> --around <lat,lon> [--days <n>]
                               [--people <kind>] [--output <file>]
      """,
    discussion: """
      Rows are device,time,latitude,longitude: where each device truly was, without errors, one device after \
      the other. Each person has a home and habits of their own. A row comes every --interval seconds, and \
      every --pause seconds while somebody stays at a place. All figures about people are assumed, not \
      measured.

      PEOPLE:
      \(HelpText.entry("commuter", "home, work, lunch, shops and friends; weekends differ"))
      \(HelpText.entry("courier", "from Monday to Saturday 20 to 60 stops of 2 to 10 minutes in 6 to 9 hours, all over the city"))
      \(HelpText.entry("home", "at home nearly all day; two short outings at most, none on a fifth of the days"))

      EXAMPLES:
        vicinity generate tracks --devices 20 --days 7 --around 48.2082,16.3738 \\
          --output week.csv
        vicinity generate tracks --devices 1 --around -33.9,151.2 --interval 15 \\
          --seed 3 | head
        vicinity generate tracks --people courier --devices 5 --days 6 \\
          --around 48.2082,16.3738 --output couriers.csv

      \(ExitCodes.help)
      """)

  @Option(help: .value("n", "How many people, each with a device."))
  var devices: Int

  @Option(help: .value("n", "How many days."))
  var days = 1

  @Option(
    help: .value("kind", "How they spend their days: see PEOPLE (default: commuter)."),
    transform: { text in
      guard let kind = PersonKind(rawValue: text) else {
        let kinds = PersonKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("no people \"\(text)\"; there are \(kinds)")
      }
      return kind
    })
  var people = PersonKind.commuter

  @Option(
    parsing: .unconditional,
    help: .value("lat,lon", "The centre of the city; a leading minus is fine: -33.9,151.2."),
    transform: PositionArgument.coordinate)
  var around: Coordinate

  @Option(
    help: .value("km", "Twice the median distance of homes from the centre, kilometres."))
  var spread = 8.0

  @Option(help: .value("seconds", "Seconds between two fixes."))
  var interval = 1.0

  @Option(help: .value("seconds", "Seconds between two fixes during a stay."))
  var pause = 60.0

  @Option(
    help: .value(
      "time",
      "Midnight of the first day, local time: ISO 8601 with a zone, or seconds since 1970 (default: Monday, 2026-06-01, UTC)."
    ),
    transform: { text in
      guard let time = TimeText.parsed(text) else {
        throw ValidationError("no time; expected ISO 8601 with a zone, or seconds since 1970")
      }
      return time
    })
  // Monday, 2026-06-01.
  var start = Timestamp(microseconds: 1_780_272_000_000_000)

  @OptionGroup var result: GeneratedOutputArguments

  func validate() throws {
    do { _ = try population() } catch { throw ValidationError("\(error)") }
  }

  private func population() throws(GenerationError) -> Population {
    try Population(
      count: devices, kind: people, around: around, spread: spread * 1000, start: start, days: days,
      interval: interval,
      pause: pause, seed: result.seed)
  }

  func run() throws {
    let progress = ProgressMeter("making tracks")
    defer { progress.finish() }
    let population = try population()
    let writer = try ByteWriter(output: result.target.output, inputs: [])
    progress.stage("making tracks", total: devices)
    writer.buffer.append(contentsOf: Array("device,time,latitude,longitude\n".utf8))
    var times = TimeText()
    for index in 0..<population.count {
      let person = population.person(index)
      try person.forEachFix { fix in
        CSVText.append(person.name, to: &writer.buffer)
        writer.buffer.append(UInt8(ascii: ","))
        times.append(fix.time, to: &writer.buffer)
        CSVCoordinates.append(fix.coordinate, to: &writer.buffer)
        writer.buffer.append(UInt8(ascii: "\n"))
        try writer.flushIfFull()
      }
      progress.update(index + 1)
    }
    try writer.finish()
  }
}
