import ArgumentParser
import VicinityFormats

/// The regions to work on, and how to read them from a file.
struct RegionArguments: ParsableArguments {
  @Argument(
    help: .value(
      "regions",
      """
      Regions: CSV or lines of JSON (id,latitude,longitude,radius or id,wkt), \
      \(HelpText.vectorFormats), GPX, or an index. The file may be packed by gzip, zstd, xz or bzip2. Parquet and Arrow files are \
      read through Python: Python/docs/FromPython.md.
      """),
    completion: .file())
  var path: String

  @Flag(help: "Reject invalid polygons instead of repairing them.")
  var strict = false

  @Flag(help: "Skip bad rows and features, and count them, instead of stopping.")
  var skipInvalid = false

  @Option(
    help: .value(
      "name",
      """
      The column or field that holds the regions' identifier. Without this option it is id, identifier, \
      region, region_id or name. If there is none of these, regions are named by the number of their row, \
      from 1, or of their feature, from 0 in most formats. With FID they are always named by that number.
      """))
  var idField: String?

  @Flag(
    help:
      "Make one region of all polygons with one identifier. Otherwise they are bad rows. Circles with one identifier always are."
  )
  var mergeIds = false

  @OptionGroup var fields: FieldArguments

  @Option(help: .value("name", "The column or field that holds the radius, metres."))
  var radiusField: String?

  @Option(help: .value("metres", "The radius of points that state none, metres."))
  var defaultRadius: Double?

  @Option(
    help: .value(
      "metres",
      """
      How far polygons may lie from the file's straight edges, metres, 0.001 or more (default: 0.1). With \
      a hundredth of that a polygon has up to ten times the vertices, most of all with long edges.
      """))
  var edgeTolerance: Double?

  @Option(
    help: .value(
      "way",
      """
      How to read edges across more than half a turn of longitude: straight, or shortest, which crosses \
      the antimeridian. Without this option the rest of the ring must show which is meant; if it does not, \
      the polygon is a bad row.
      """))
  var wideEdges: WideEdges?

  @Option(
    help: .value(
      "name",
      "The layer of regions to read, for files with several layers that have features. Of KML all folders are read."
    ))
  var layer: String?

  @Flag(
    inversion: .prefixedNo, help: "Read all of an index file first, and check its checksums and contents.")
  var verify = true

  func validate() throws {
    if let radius = defaultRadius, !(radius >= 0 && radius.isFinite) {
      throw ValidationError("--default-radius must be a number of metres, 0 or more; found \(radius)")
    }
    if let tolerance = edgeTolerance, !(tolerance >= 0.001 && tolerance.isFinite) {
      throw ValidationError("--edge-tolerance must be a number of metres, 0.001 or more; found \(tolerance)")
    }
  }

  /// - Parameter isOnlyInput: Whether the command reads nothing else.
  func readerOptions(isOnlyInput: Bool) -> ReadingOptions {
    var options = ReadingOptions()
    fields.apply(to: &options, isOnlyInput: isOnlyInput)
    options.mergesIdentifiers = mergeIds
    if let edgeTolerance { options.edgeTolerance = edgeTolerance }
    options.strict = strict
    options.skipInvalid = skipInvalid
    options.identifierField = idField
    options.radiusField = radiusField
    options.defaultRadius = defaultRadius
    options.layer = layer
    options.wideEdges = wideEdges
    return options
  }

  /// The options given that mean nothing for a finished index.
  ///
  /// - Parameter isOnlyInput: Whether the command reads nothing else that has latitudes and longitudes.
  func fileOnlyOptions(isOnlyInput: Bool) -> [String] {
    var names: [String] = []
    if idField != nil { names.append("--id-field") }
    if mergeIds { names.append("--merge-ids") }
    if isOnlyInput, fields.latitudeField != nil { names.append("--latitude-field") }
    if isOnlyInput, fields.longitudeField != nil { names.append("--longitude-field") }
    if isOnlyInput, fields.allowBallpark { names.append("--allow-ballpark") }
    if edgeTolerance != nil { names.append("--edge-tolerance") }
    if radiusField != nil { names.append("--radius-field") }
    if defaultRadius != nil { names.append("--default-radius") }
    if wideEdges != nil { names.append("--wide-edges") }
    if layer != nil { names.append("--layer") }
    return names
  }
}
