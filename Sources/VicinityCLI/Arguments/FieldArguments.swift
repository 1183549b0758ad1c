import ArgumentParser
import VicinityFormats

/// The columns that every input of a command may have under other names.
struct FieldArguments: ParsableArguments {
  @Option(
    help: .value(
      "name",
      """
      The column or field that holds latitudes, in every input that has it; an input without it keeps the usual names. The \
      same holds for longitudes.
      """))
  var latitudeField: String?

  @Option(help: .value("name", "The column or field that holds longitudes."))
  var longitudeField: String?

  /// Sets what these options say.
  ///
  /// - Parameter isOnlyInput: Whether the command reads nothing else, so that the columns must be there.
  func apply(to options: inout ReadingOptions, isOnlyInput: Bool = false) {
    options.latitudeField = latitudeField
    options.longitudeField = longitudeField
    options.fieldsAreOptional = !isOnlyInput
  }

  /// The options as `name=value`, to recognise a run with the same options.
  var summary: [String] {
    ["latitude-field=\(latitudeField ?? "")", "longitude-field=\(longitudeField ?? "")"]
  }
}
