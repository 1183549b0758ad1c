import ArgumentParser
import VicinityFormats

/// `vicinity containing`: every region that contains a position, or each of many.
struct ContainingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "containing",
    abstract: "List every region that contains a position, or each point in a file.",
    usage: """
      vicinity containing <regions> --at <lat,lon> [--format <format>]
      vicinity containing <regions> --points <file> [--format <format>]
      """,
    discussion: """
      A region contains the positions on its boundary, too. All that contain a position are listed, however \
      many, the deepest first: those whose boundary is farthest away. Equal distances keep the file's order.

      CSV has the columns \(TableColumns.neighbors.header), like those of vicinity nearest. Distances are \
      metres on the WGS84 ellipsoid; the boundary distance is 0 or negative, and the centre distance is \
      empty for polygons. Rows come in the order of the points, then by rank. The query of --at is "at".

      A position in no region has no row, and in JSON an empty list; a note says how many positions are in \
      none. Answers and formats are those of vicinity nearest with --max-distance 0; vicinity help nearest \
      describes the formats.

      Points are answered while they are read, in bounded memory. A bad row ends the command, but answers \
      to earlier points may already be on standard output. If all points are bad and skipped, that is an \
      error, too.

      Data, in the examples, is the folder of data that comes with the program.

      EXAMPLES:
        vicinity containing Data/naturalearth_lowres/naturalearth_lowres.shp \\
          --id-field name --at 48.2082,16.3738
        vicinity containing stores.vicinity --points visits.csv --format csv
        vicinity containing zones.geojson --points - --format json < visits.csv

      \(ExitCodes.help)
      """)

  @OptionGroup(title: "READING OPTIONS") var regions: RegionArguments

  @OptionGroup var queries: QueryArguments

  func run() throws {
    let tally = try queries.answer(.containing, among: regions)
    if tally.empty > 0 { Notices.print("note", "\(tally.phrase(tally.empty)) in no region") }
  }
}
