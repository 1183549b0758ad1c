import ArgumentParser
import VicinityFormats

/// The regions to work on, and how to read them from a file.
struct RegionArguments: ParsableArguments {
  @Argument(
    help: .value(
      "regions",
      "Regions: CSV (id,latitude,longitude,radius or id,wkt), GeoJSON, any other vector file, or an index."),
    completion: .file())
  var path: String

  @Flag(help: "Reject invalid polygons instead of repairing them.")
  var strict = false

  @Flag(help: "Skip bad rows and features, and count them, instead of stopping.")
  var skipInvalid = false

  @Option(help: .value("name", "The column or field that holds the identifier."))
  var idField: String?

  @Option(help: .value("name", "The column or field that holds the radius, metres."))
  var radiusField: String?

  @Option(help: .value("metres", "The radius of points that state none, metres."))
  var defaultRadius: Double?

  @Option(help: .value("name", "The layer to read, for files with several."))
  var layer: String?

  @Flag(inversion: .prefixedNo, help: "Read and compare the checksums of an index file first.")
  var verify = true

  func validate() throws {
    if let radius = defaultRadius, !(radius >= 0 && radius.isFinite) {
      throw ValidationError("--default-radius must be a number of metres, 0 or more; found \(radius)")
    }
  }

  var readerOptions: ReadingOptions {
    var options = ReadingOptions()
    options.strict = strict
    options.skipInvalid = skipInvalid
    options.identifierField = idField
    options.radiusField = radiusField
    options.defaultRadius = defaultRadius
    options.layer = layer
    return options
  }

  /// The options given that mean nothing for a finished index.
  var fileOnlyOptions: [String] {
    var names: [String] = []
    if idField != nil { names.append("--id-field") }
    if radiusField != nil { names.append("--radius-field") }
    if defaultRadius != nil { names.append("--default-radius") }
    if layer != nil { names.append("--layer") }
    return names
  }
}
