import ArgumentParser
import VicinityFormats

struct TrackReadingArguments: ParsableArguments {
  @Flag(help: "Sort each device's fixes by time first; otherwise fixes out of order are bad rows.")
  var sort = false

  @Option(
    help: .value(
      "name",
      """
      The column or field that names devices. Without this option a usual name is looked for: device, vehicle, user, phone, trip \
      and the like, with _id or not, at last id and name. If no column has such a name, all fixes of a file are one device's, named \
      after the file; but where some other column might tell devices apart, that is an error.
      """))
  var deviceField: String?

  @Flag(help: "Take a file without a column for devices for one device's, whatever other columns it has.")
  var singleDevice = false

  @Option(help: .value("name", "The column or field that holds times."))
  var timeField: String?

  @Option(
    parsing: .unconditional,
    help: .value(
      "zone",
      """
      The zone of times that state none: +02:00, Z, UTC, or a name such as Europe/Berlin. A time that \
      clocks show twice is a bad row; an hour that they skip is read by the offset before it.
      """),
    transform: { try TrackReadingArguments.zone($0) })
  var utcOffset: LocalZone?

  @Flag(help: "Take each track of a GPX file for a device of its own.")
  var tracksAreDevices = false

  func readerOptions(skipInvalid: Bool, follows: Bool = false, fields: FieldArguments) -> ReadingOptions {
    var options = ReadingOptions()
    fields.apply(to: &options)
    options.isSingleDevice = singleDevice
    options.skipInvalid = skipInvalid
    options.sorts = sort
    options.follows = follows
    options.zone = utcOffset
    options.identifierField = deviceField
    options.timeField = timeField
    options.tracksAreDevices = tracksAreDevices
    return options
  }

  /// The options as `name=value`, to recognise a run with the same options.
  var summary: [String] {
    [
      "sort=\(sort)", "device-field=\(deviceField ?? "")", "time-field=\(timeField ?? "")",
      "utc-offset=\(utcOffset?.description ?? "")", "tracks-are-devices=\(tracksAreDevices)",
      "single-device=\(singleDevice)",
    ]
  }

  static func zone(_ text: String) throws -> LocalZone {
    do {
      return try LocalZone(text)
    } catch FormatError.invalidOption(_, let value, let reason) {
      throw ValidationError("--utc-offset cannot be \(value): \(reason)")
    }
  }
}
