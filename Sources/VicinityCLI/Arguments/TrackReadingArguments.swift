import ArgumentParser
import VicinityFormats

/// How tracks are read from files.
struct TrackReadingArguments: ParsableArguments {
  @Flag(help: "Sort each device's fixes by time first; otherwise fixes out of order are bad rows.")
  var sort = false

  @Option(help: .value("name", "The column or field that names devices."))
  var deviceField: String?

  @Option(help: .value("name", "The column or field that holds times."))
  var timeField: String?

  @Option(
    parsing: .unconditional,
    help: .value("±hh:mm", "The offset from UTC of times that state none: +02:00."),
    transform: { try TrackReadingArguments.seconds(ofOffset: $0) })
  var utcOffset: Int?

  @Flag(help: "Take each track of a GPX file for a device of its own.")
  var tracksAreDevices = false

  func readerOptions(skipInvalid: Bool, follows: Bool = false) -> ReadingOptions {
    var options = ReadingOptions()
    options.skipInvalid = skipInvalid
    options.sorts = sort
    options.follows = follows
    options.zone = utcOffset
    options.identifierField = deviceField
    options.timeField = timeField
    options.tracksAreDevices = tracksAreDevices
    return options
  }

  /// The options as text, to recognise a run with the same options.
  var summary: [String] {
    [
      "sort=\(sort)", "device=\(deviceField ?? "")", "time=\(timeField ?? "")", "zone=\(utcOffset ?? 0)",
      "gpx=\(tracksAreDevices)",
    ]
  }

  /// Seconds east of UTC, from `Z` or `±hh:mm`.
  static func seconds(ofOffset text: String) throws -> Int {
    if text == "Z" || text == "z" { return 0 }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard let sign = text.first, sign == "+" || sign == "-", parts.count == 2,
      parts.allSatisfy({ $0.count == 2 }),
      let hours = Int(parts[0]), let minutes = Int(parts[1]), (0..<24).contains(hours),
      (0..<60).contains(minutes)
    else { throw ValidationError("--utc-offset must look like +02:00; found \"\(text)\"") }
    return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
