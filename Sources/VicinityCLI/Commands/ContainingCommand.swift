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

      CSV has the columns \(TableColumns.neighbors.header), as that of vicinity nearest: \
      metres on the WGS84 ellipsoid, the boundary distance 0 or negative, the centre distance empty for \
      polygons. Rows come in the order of the points, then by rank. The query of --at is "at".

      A position in no region has no row, and in JSON an empty list; a note says how many positions are in \
      none. The answers are those of vicinity nearest with --max-distance 0, as are the other formats; \
      vicinity help nearest describes them.

      Points are answered while they are read, in bounded memory. A bad row ends the answers; rows for the \
      points well before it may have been written to standard output. Points that are all skipped as bad are \
      an error, too.

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
