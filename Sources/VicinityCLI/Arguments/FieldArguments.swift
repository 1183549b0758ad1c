import ArgumentParser
import VicinityFormats

/// What holds for every input of a command: the names of columns, and the systems that may be read.
struct FieldArguments: ParsableArguments {
  @Option(
    help: .value(
      "name",
      """
      The column or field that holds latitudes, in every input that has it; an input without it keeps the \
      usual names. The same holds for longitudes.
      """))
  var latitudeField: String?

  @Option(help: .value("name", "The column or field that holds longitudes."))
  var longitudeField: String?

  @Flag(
    help: """
      Read files and places that PROJ can bring from their coordinate reference system to WGS84 only by a \
      ballpark transformation, which leaves out the shift between datums: places may be wrong by hundreds of \
      metres. Otherwise such a file is an error, and such a place a bad row.
      """)
  var allowBallpark = false

  /// Sets what these options say.
  ///
  /// - Parameter isOnlyInput: Whether the command reads nothing else, so that the columns must be there.
  func apply(to options: inout ReadingOptions, isOnlyInput: Bool = false) {
    options.latitudeField = latitudeField
    options.longitudeField = longitudeField
    options.fieldsAreOptional = !isOnlyInput
    options.allowsBallparkTransformations = allowBallpark
  }

  /// The options as `name=value`, to recognise a run with the same options.
  var summary: [String] {
    ["latitude-field=\(latitudeField ?? "")", "longitude-field=\(longitudeField ?? "")"]
      + (allowBallpark ? ["allow-ballpark"] : [])
  }
}
