public import VicinityCrossings
public import VicinityGeodesy

/// What to read from files of regions, points and tracks, and what to do about bad rows.
///
/// One type serves `RegionReader`, `PointReader` and `TrackReader`; each ignores the options that do not
/// concern it.
public struct ReadingOptions: Sendable {
  /// Skip bad rows and features, and count them, instead of throwing.
  public var skipInvalid = false
  /// The layer to read; `nil` for the one that has features, and for all folders of KML. Of GPX the waypoints
  /// are read then.
  public var layer: String?
  /// The column or field that holds the identifier: of regions, of points, or of a track's devices.
  ///
  /// `nil` for the reader's own convention. For regions and points, `FID` means the number of the row or
  /// feature.
  public var identifierField: String?
  /// The columns or fields that hold latitudes and longitudes, degrees; `nil` for the names that readers
  /// know.
  public var latitudeField: String?
  public var longitudeField: String?
  /// Whether a file without the columns that ``latitudeField`` and ``longitudeField`` name may have the usual
  /// ones instead.
  public var fieldsAreOptional = false
  /// Whether coordinates may be brought to WGS84 by a ballpark transformation where PROJ has no other for
  /// their system, or for where they lie.
  ///
  /// It leaves out the shift between datums: positions may be wrong by hundreds of metres. Without this such
  /// a system is an error, and a row outside the areas of its system's operations is bad.
  public var allowsBallparkTransformations = false
  /// How many diagnostics of each kind to keep; all are counted.
  public var maximumDiagnostics = 20

  // MARK: - Regions and points

  /// Called while regions or points are read, at most ten times a second; returning `false` ends the reading
  /// with a `CancellationError`.
  public var progress: (@Sendable (ReadingProgress) -> Bool)?
  /// Reject invalid polygons instead of repairing them.
  public var strict = false
  /// The column or field that holds the radius of points, in metres; `nil` for the convention of
  /// `RegionReader`.
  public var radiusField: String?
  /// The radius of points that state none, in metres.
  public var defaultRadius: Meters?
  /// How far a polygon's edges may lie from the straight edges of the file, metres: 0.001 or more.
  ///
  /// Edges are divided until they do not; the number of pieces grows with one over the square root.
  public var edgeTolerance: Meters = 0.1
  /// How to read edges across more than half a turn of longitude; `nil` for the short way, with a warning,
  /// where the ring shows that it is meant. Otherwise the polygon is a bad row then.
  public var wideEdges: WideEdges?
  /// Whether polygons with one identifier are the parts of one region, instead of bad rows. Circles cannot be
  /// merged.
  public var mergesIdentifiers = false

  // MARK: - Tracks

  /// Sort each device's fixes by time and hand them out device after device; all input is read first.
  ///
  /// Of several fixes at one time the first in the input is kept. Takes 64 bytes of memory per fix up to
  /// ``sortByteCount``, and temporary files beyond that.
  public var sorts = false
  /// The most memory for sorting, bytes.
  public var sortByteCount = 512 << 20
  /// Hand out fixes as soon as whole lines have arrived, and skip bad rows: for following a stream.
  public var follows = false
  /// The zone of times that state none; `nil` makes them bad rows.
  public var zone: LocalZone?
  /// Whether all fixes of a file are of one device, named after the file, whatever columns it has.
  public var isSingleDevice = false
  /// The column or field that holds times; `nil` for the convention of `TrackReader`.
  public var timeField: String?
  /// The latest time that a fix may have; later ones are bad rows.
  ///
  /// `nil` for none; but with ``follows``, a day after a fix's arrival.
  public var notAfter: Timestamp?
  /// What times that are numbers count; `nil` for what the column's name says, seconds since 1970 without a
  /// word.
  public var timeUnit: TimeUnit?
  /// The column or field that holds radii of uncertainty, metres; `nil` for the convention of `TrackReader`.
  public var accuracyField: String?
  /// Whether crossings will depend on accuracies, so that it is said when no fix has one.
  public var needsAccuracy = false
  /// Whether each track of a GPX file is a device of its own, `FILE/1`, `FILE/2` and so on.
  public var tracksAreDevices = false
  /// Whether to read NMEA sentences whose checksum is wrong; some programs write wrong ones.
  public var ignoresChecksums = false
  /// How many bytes of text to read at once. Batches end at the last record within.
  public var chunkByteCount = 4 << 20

  /// Whether every bad row or feature is told, not only the first few: those of tracks by
  /// `TrackReader/onRejected`, others in `Reading/skipped`.
  package var keepsAllRejected = false
  /// How many bad rows, of a batch where there are several, are described.
  package var maximumRejected: Int { keepsAllRejected ? .max : maximumDiagnostics }

  /// Whether a last line without an end is left for the next run, which goes on there: the rest of it may
  /// still come.
  package var leavesUnfinishedLine = false
  /// Whether fixes up to the last one that is known of their device are taken to have been read by an earlier
  /// run: whoever sends a stream sends the end of it again after a failure.
  package var isSentAgain = false

  /// What time it is, for fixes that are followed.
  package var clock: @Sendable () -> Timestamp = { Timestamp.now() }

  /// The latest time that a fix may have that arrives now.
  var latestTime: Timestamp {
    if let notAfter { return notAfter }
    return follows ? clock().advanced(bySeconds: 86_400) : .distantFuture
  }

  public init() {}
}

/// How an edge across more than half a turn of longitude, but not a whole one, is read.
public enum WideEdges: String, CaseIterable, Sendable {
  /// As it is written, through longitudes between its ends, as RFC 7946 has it.
  case straight
  /// The short way, across the antimeridian, as files mean it whose polygons are not cut there.
  case shortest
}

/// How far a reader has come.
public struct ReadingProgress: Hashable, Sendable {
  /// Rows or features read so far.
  public var rows: Int
  /// The fraction of the file's bytes or features read, 0...1; `nil` where the total is unknown.
  public var fraction: Double?

  package init(rows: Int, fraction: Double?) {
    self.rows = rows
    self.fraction = fraction
  }
}
