public import VicinityCrossings
public import VicinityGeodesy

/// Events as text: CSV, lines of JSON, or GeoJSON.
///
///     var formatter = EventFormatter(.csv)
///     var text = formatter.header
///     formatter.append(
///       device: "bus", time: time, region: "stop", kind: "enter", coordinate: place, inferredSince: nil, to: &text)
///     text += formatter.footer
///
/// Appends bytes to an array; the same event always gives the same bytes. Times are ISO 8601 in UTC, to the
/// millisecond; coordinates are degrees with 8 decimals. NaN is written as `nan` in CSV and `null` in JSON.
///
/// Checked against Foundation's formatters and parsers in `EventFormatterTests`.
public struct EventFormatter: Sendable {
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// `device,time,region,kind,latitude,longitude,inferred`, exactly these; `inferred` is `true` or `false`.
    case csv
    /// An object a line, with the members of CSV and, where the event is inferred, `interval`: the times of
    /// the fixes before and after the gap.
    case ndjson
    /// A feature collection (RFC 7946) of points, with the same as properties.
    case geojson
  }

  public let format: Format
  private var times = TimeText()

  public init(_ format: Format) { self.format = format }

  /// The text before the first event.
  public var header: [UInt8] {
    switch format {
    case .csv: Array("\(TableColumns.events.header)\n".utf8)
    case .ndjson: []
    case .geojson: Array("{\"type\":\"FeatureCollection\",\"features\":[".utf8)
    }
  }

  /// How many bytes of separator each event's text begins with; to be removed from the first event.
  package var separatorByteCount: Int { format == .geojson ? 1 : 0 }

  /// The text after the last event.
  public var footer: [UInt8] { format == .geojson ? Array("\n]}\n".utf8) : [] }

  /// Appends an event.
  ///
  /// - Parameters:
  ///   - device: The device's name.
  ///   - time: When the event happened.
  ///   - region: The region's identifier.
  ///   - kind: What happened, such as `enter`.
  ///   - coordinate: Where it happened, degrees.
  ///   - inferredSince: For an event inferred across a gap, the time of the fix before the gap; `time` is
  ///     that of the fix after it.
  ///   - text: The event's text is appended to it.
  /// - Complexity: O(bytes); about 0.2 µs.
  public mutating func append(
    device: String, time: Timestamp, region: String, kind: String, coordinate: Coordinate,
    inferredSince: Timestamp?, to text: inout [UInt8]
  ) {
    var (device, region, kind) = (device, region, kind)
    // SAFETY: the bytes are only read, while they are there.
    device.withUTF8 { device in
      region.withUTF8 { region in
        kind.withUTF8 { kind in
          unsafe append(
            device: device.span, time: time, region: region.span, kind: kind.span, coordinate: coordinate,
            inferredSince: inferredSince, to: &text)
        }
      }
    }
  }

  /// Appends an event whose names are UTF-8 bytes.
  public mutating func append(
    device: Span<UInt8>, time: Timestamp, region: Span<UInt8>, kind: Span<UInt8>, coordinate: Coordinate,
    inferredSince: Timestamp?, to text: inout [UInt8]
  ) {
    switch format {
    case .csv:
      let comma = UInt8(ascii: ",")
      CSVText.append(device, to: &text)
      text.append(comma)
      times.append(time, to: &text)
      text.append(comma)
      CSVText.append(region, to: &text)
      text.append(comma)
      CSVText.append(kind, to: &text)
      text.append(comma)
      DecimalText.append(coordinate.latitude, decimals: Self.decimals, to: &text)
      text.append(comma)
      DecimalText.append(coordinate.longitude, decimals: Self.decimals, to: &text)
      text.append(contentsOf: inferredSince == nil ? Self.falseRow : Self.trueRow)
    case .ndjson:
      text.append(UInt8(ascii: "{"))
      appendMembers(device, time, region, kind, to: &text)
      text.append(contentsOf: ",\"latitude\":".utf8)
      JSONText.append(coordinate.latitude, decimals: Self.decimals, to: &text)
      text.append(contentsOf: ",\"longitude\":".utf8)
      JSONText.append(coordinate.longitude, decimals: Self.decimals, to: &text)
      appendInterval(time, inferredSince, to: &text)
      text.append(contentsOf: "}\n".utf8)
    case .geojson:
      text.append(contentsOf: ",\n{\"type\":\"Feature\",\"geometry\":".utf8)
      if coordinate.latitude.isFinite, coordinate.longitude.isFinite {
        text.append(contentsOf: "{\"type\":\"Point\",\"coordinates\":[".utf8)
        DecimalText.append(coordinate.longitude, decimals: Self.decimals, to: &text)
        text.append(UInt8(ascii: ","))
        DecimalText.append(coordinate.latitude, decimals: Self.decimals, to: &text)
        text.append(contentsOf: "]}".utf8)
      } else {
        text.append(contentsOf: "null".utf8)
      }
      text.append(contentsOf: ",\"properties\":{".utf8)
      appendMembers(device, time, region, kind, to: &text)
      appendInterval(time, inferredSince, to: &text)
      text.append(contentsOf: "}}".utf8)
    }
  }

  private static let decimals = TableColumns.coordinateDecimals
  private static let falseRow = Array(",false\n".utf8)
  private static let trueRow = Array(",true\n".utf8)

  private mutating func appendMembers(
    _ device: Span<UInt8>, _ time: Timestamp, _ region: Span<UInt8>, _ kind: Span<UInt8>,
    to text: inout [UInt8]
  ) {
    text.append(contentsOf: "\"device\":".utf8)
    JSONText.append(device, to: &text)
    text.append(contentsOf: ",\"time\":\"".utf8)
    times.append(time, to: &text)
    text.append(contentsOf: "\",\"region\":".utf8)
    JSONText.append(region, to: &text)
    text.append(contentsOf: ",\"kind\":".utf8)
    JSONText.append(kind, to: &text)
  }

  private mutating func appendInterval(_ time: Timestamp, _ since: Timestamp?, to text: inout [UInt8]) {
    guard let since else {
      text.append(contentsOf: ",\"inferred\":false".utf8)
      return
    }
    text.append(contentsOf: ",\"inferred\":true,\"interval\":[\"".utf8)
    times.append(since, to: &text)
    text.append(contentsOf: "\",\"".utf8)
    times.append(time, to: &text)
    text.append(contentsOf: "\"]".utf8)
  }
}
