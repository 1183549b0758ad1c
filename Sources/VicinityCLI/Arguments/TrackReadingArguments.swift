import ArgumentParser
import VicinityCrossings
import VicinityFormats

struct TrackReadingArguments: ParsableArguments {
  @Flag(help: "Sort each device's fixes by time first; otherwise fixes out of order are bad rows.")
  var sort = false

  @Option(
    help: .value(
      "name",
      """
      The column or field that names devices. Without this option a usual name is looked for: device, \
      vehicle, user, phone, trip and the like, with _id or not, and last id and name. If no column has \
      such a name, all fixes of a file belong to one device, named after the file. But if some other \
      column might tell devices apart, that is an error.
      """))
  var deviceField: String?

  @Flag(
    help:
      "Read all fixes of a file as those of one device, named after the file, whatever columns the file has.")
  var singleDevice = false

  @Option(
    help: .value("name", "The layer of tracks to read, for files with several layers that have features."))
  var trackLayer: String?

  @Option(help: .value("name", "The column or field that holds times."))
  var timeField: String?

  @Option(
    help: .value(
      "unit",
      """
      What times that are numbers count: seconds, milliseconds (ms), microseconds (us) or nanoseconds (ns) \
      since 1970, unix-days since 1970, days of a spreadsheet since 1900, or days-1904. Days of a \
      spreadsheet have no zone and need --utc-offset. Without this option the column's name decides: time_ms \
      and the like are milliseconds, others seconds.
      """),
    transform: { name in
      guard let unit = TimeUnit(name: name) else {
        throw ValidationError(
          "--time-unit must be one of \(TimeUnit.allCases.map(\.rawValue).joined(separator: ", ")); found \"\(name)\""
        )
      }
      return unit
    })
  var timeUnit: TimeUnit?

  @Option(
    help: .value(
      "name",
      """
      The column or field that holds accuracies, the radius of uncertainty in metres. Without this option a \
      usual name is looked for: accuracy, acc, hacc, horizontal_accuracy, precision, uncertainty and the \
      like, with a unit of metres or without.
      """))
  var accuracyField: String?

  @Option(
    parsing: .unconditional,
    help: .value(
      "zone",
      """
      The zone of times that state none: +02:00, Z, UTC, or a name such as Europe/Berlin. When clocks are \
      set back, a time that occurs twice is a bad row. When they are set forward, a time that does not \
      occur is read by the offset before the change.
      """),
    transform: { try TrackReadingArguments.zone($0) })
  var utcOffset: LocalZone?

  @Option(
    help: .value(
      "time",
      """
      Fixes later than this are bad rows: 2026-12-31, 2026-12-31T23:59:59Z. A date means the end of that day, \
      in the zone of --utc-offset, or in UTC without that option. A time without a zone needs it. With \
      --follow the default is a day after a fix arrives.
      """))
  var notAfter: String?

  @Flag(help: "Read each track of a GPX file as a device of its own.")
  var tracksAreDevices = false

  func validate() throws {
    if singleDevice, deviceField != nil {
      throw ValidationError("--single-device and --device-field exclude each other")
    }
    _ = try latest()
  }

  /// - Parameter rule: The rule that decides about crossings, if the command has one.
  func readerOptions(
    skipInvalid: Bool, follows: Bool = false, fields: FieldArguments, rule: CrossingRule? = nil
  ) throws -> ReadingOptions {
    var options = ReadingOptions()
    options.needsAccuracy = rule?.usesAccuracy ?? false
    fields.apply(to: &options)
    options.isSingleDevice = singleDevice
    options.skipInvalid = skipInvalid
    options.sorts = sort
    options.follows = follows
    options.zone = utcOffset
    options.identifierField = deviceField
    options.timeField = timeField
    options.notAfter = try latest()
    options.timeUnit = timeUnit
    options.accuracyField = accuracyField
    options.layer = trackLayer
    options.tracksAreDevices = tracksAreDevices
    return options
  }

  /// The latest time that a fix may have, if one is given.
  private func latest() throws -> Timestamp? { try notAfter.map { try Self.time($0, in: utcOffset) } }

  /// The options as `name=value`, to recognise a run with the same options.
  var summary: [String] {
    [
      "sort=\(sort)", "device-field=\(deviceField ?? "")", "time-field=\(timeField ?? "")",
      "tracks-are-devices=\(tracksAreDevices)", "single-device=\(singleDevice)",
      "not-after=\((try? latest())?.description ?? "")", "accuracy-field=\(accuracyField ?? "")",
    ] + timeSummary.map { "\($0.name)=\($0.value)" } + (trackLayer.map { ["track-layer=\($0)"] } ?? [])
  }

  /// How times are read.
  var timeSummary: [(name: String, value: String)] {
    [("utc-offset", utcOffset?.description ?? ""), ("time-unit", timeUnit?.rawValue ?? "")]
  }

  /// A time, Unix seconds, or a date, which is its last millisecond.
  ///
  /// - Parameter zone: The zone of what states none. Dates are in UTC without one.
  static func time(_ text: String, in zone: LocalZone?) throws -> Timestamp {
    func parse(_ text: String, in zone: LocalZone?) -> RowValue<Timestamp> {
      var (text, times) = (text, TimeParser(zone: zone))
      return text.withUTF8 { unsafe times.parse($0) }
    }
    let whole = parse(text, in: zone)
    if case .value(let time) = whole { return time }
    let ofDate = parse(text + "T23:59:59.999", in: zone ?? .utc)
    if case .value(let time) = ofDate { return time }
    for case .fault(let fault) in [whole, ofDate] {
      if fault.cure == .utcOffset {
        throw ValidationError(
          "--not-after: \(fault.message); add the zone, or state it for all times with --utc-offset")
      }
      if let zone, fault.message.hasSuffix(zone.repeatedFault) {
        throw ValidationError("--not-after: \(fault.message)")
      }
    }
    throw ValidationError("--not-after must be a time such as 2026-12-31T23:59:59Z; found \(text)")
  }

  static func zone(_ text: String) throws -> LocalZone {
    do {
      return try LocalZone(text)
    } catch FormatError.invalidOption(_, let value, let reason) {
      throw ValidationError("--utc-offset cannot be \(value): \(reason)")
    }
  }
}
