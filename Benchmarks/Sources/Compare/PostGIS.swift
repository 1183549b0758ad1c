import Foundation

/// A PostGIS server that Scripts/bench has started, and the ways to ask it for entries and exits.
struct PostGIS {
  /// Which regions contain each fix; by experience the fastest ways to say it.
  ///
  /// Slower by far, and left out: an index on the regions, looked into for each fix (13 us a fix with boxes,
  /// 50 us with `ST_DWithin` over the largest radius); and SP-GiST on fixes (twice the time of GiST).
  enum Formulation: String, CaseIterable {
    /// `ST_DWithin` on geography, its GiST index on the fixes.
    case dwithin = "ST_DWithin on geography"
    /// Boxes in degrees, a GiST index on the fixes as geometry, `ST_DWithin` for what is in a box.
    case boxes = "boxes, then ST_DWithin"
    /// Tracks cut into runs of 60 fixes; the box of each run looked for in a GiST index on the regions'
    /// boxes.
    case runs = "boxes of 60 fixes, then ST_DWithin"
    /// The same with the boxes in a table of their own: PostgreSQL scans common table expressions on one core
    /// only.
    case runsInParallel = "boxes of 60 fixes in a table, then ST_DWithin"

    /// What builds indexes.
    var indexing: String {
      switch self {
      case .dwithin: "CREATE INDEX fixes_index ON fixes USING gist (place)"
      case .boxes: "CREATE INDEX fixes_index ON fixes USING gist (point)"
      case .runs, .runsInParallel: "CREATE INDEX boxes_index ON boxes USING gist (box)"
      }
    }

    /// What the query needs beforehand, other than an index; its time is the query's.
    var preparation: String {
      guard self == .runsInParallel else { return "" }
      return """
        CREATE UNLOGGED TABLE runs AS
          SELECT device, seq / 60 AS run, ST_SetSRID(ST_MakeBox2D(
            ST_MakePoint(min(ST_X(point)), min(ST_Y(point))), ST_MakePoint(max(ST_X(point)), max(ST_Y(point)))
          ), 4326)::geometry AS box FROM fixes GROUP BY 1, 2;
        CREATE UNLOGGED TABLE candidates AS
          SELECT run.device, run.run, b.* FROM runs run JOIN boxes b ON b.box && run.box;
        ANALYZE runs, candidates;
        """
    }

    /// A query for `device`, `seq` and `region` of all fixes inside.
    var inside: String {
      switch self {
      case .dwithin:
        """
        SELECT f.device, f.seq, r.id FROM regions r JOIN fixes f ON ST_DWithin(r.center, f.place, r.radius)
        """
      case .boxes:
        """
        SELECT DISTINCT f.device, f.seq, b.id FROM boxes b JOIN fixes f ON b.box ~ f.point
        WHERE ST_DWithin(b.center, f.place, b.radius)
        """
      case .runs:
        """
        WITH run AS MATERIALIZED (
          SELECT device, seq / 60 AS run, ST_SetSRID(ST_MakeBox2D(
            ST_MakePoint(min(ST_X(point)), min(ST_Y(point))), ST_MakePoint(max(ST_X(point)), max(ST_Y(point)))
          ), 4326)::geometry AS box FROM fixes GROUP BY 1, 2
        ), candidate AS MATERIALIZED (
          SELECT run.device, run.run, b.* FROM run JOIN boxes b ON b.box && run.box
        )
        SELECT DISTINCT f.device, f.seq, c.id FROM candidate c
        JOIN fixes f ON f.device = c.device AND f.seq / 60 = c.run
        WHERE c.box ~ f.point AND ST_DWithin(c.center, f.place, c.radius)
        """
      case .runsInParallel:
        """
        SELECT DISTINCT f.device, f.seq, c.id FROM candidates c
        JOIN fixes f ON f.device = c.device AND f.seq / 60 = c.run
        WHERE c.box ~ f.point AND ST_DWithin(c.center, f.place, c.radius)
        """
      }
    }
  }

  private let socket: String
  private let files: TemporaryDirectory

  init(directory: String) throws {
    socket = directory
    files = try TemporaryDirectory()
  }

  /// Loads both inputs as tables, with what a database would keep of them: places as geography and as
  /// geometry, and the regions' boxes in degrees, those across the antimeridian twice.
  func load(_ circles: Circles, _ tracks: Tracks) throws {
    var text = ""
    for i in 0..<circles.count {
      text += "\(i),\(circles.latitudes[i]),\(circles.longitudes[i]),\(circles.radii[i])\n"
    }
    try Data(text.utf8).write(to: URL(fileURLWithPath: files.path("regions.csv")))
    var bytes = Data()
    for track in 0..<tracks.count {
      for (sequence, i) in tracks.range(track).enumerated() {
        bytes.append(
          contentsOf: "\(track),\(sequence),\(tracks.latitudes[i]),\(tracks.longitudes[i])\n".utf8)
      }
    }
    try bytes.write(to: URL(fileURLWithPath: files.path("fixes.csv")))
    _ = try run(
      """
      DROP TABLE IF EXISTS raw_regions, raw_fixes, regions, boxes, fixes, runs, candidates, inside, events;
      CREATE UNLOGGED TABLE raw_regions (id int, latitude float8, longitude float8, radius float8);
      CREATE UNLOGGED TABLE raw_fixes (device int, seq int, latitude float8, longitude float8);
      \\copy raw_regions FROM '\(files.path("regions.csv"))' CSV
      \\copy raw_fixes FROM '\(files.path("fixes.csv"))' CSV
      CREATE UNLOGGED TABLE regions AS
        SELECT id, ST_MakePoint(longitude, latitude)::geography AS center, radius FROM raw_regions;
      CREATE UNLOGGED TABLE boxes AS
        WITH box AS (
          SELECT id, latitude, longitude, radius, radius / 110574 * 1.001 AS high,
            radius / 111319 / cos(radians(least(abs(latitude) + radius / 110574, 89.9))) * 1.001 AS wide
          FROM raw_regions
        ), turn AS (
          SELECT box.*, shift FROM box, (VALUES (-360), (0), (360)) AS t (shift)
          WHERE shift = 0 OR (shift > 0 AND longitude - wide < -180) OR (shift < 0 AND longitude + wide > 180)
        )
        SELECT id, ST_MakePoint(longitude, latitude)::geography AS center, radius, ST_MakeEnvelope(
          longitude + shift - wide, latitude - high, longitude + shift + wide, latitude + high, 4326) AS box
        FROM turn;
      CREATE UNLOGGED TABLE fixes AS
        SELECT device, seq, ST_MakePoint(longitude, latitude)::geography AS place,
          ST_SetSRID(ST_MakePoint(longitude, latitude), 4326) AS point FROM raw_fixes;
      DROP TABLE raw_regions, raw_fixes;
      VACUUM ANALYZE;
      """)
  }

  /// Builds the index, then finds the events, into the table `events`.
  ///
  /// - Returns: Elapsed seconds of each.
  func run(_ formulation: Formulation) throws -> (build: Double, query: Double) {
    _ = try run(
      """
      DROP TABLE IF EXISTS runs, candidates, inside, events;
      DROP INDEX IF EXISTS fixes_index, boxes_index;
      """)
    let build = try run(formulation.indexing + ";").wall
    // A device's first fix tells its state, and nothing before its first or after its last is known.
    let query = try run(
      """
      \(formulation.preparation)
      CREATE UNLOGGED TABLE inside AS \(formulation.inside);
      CREATE UNLOGGED TABLE events AS
        WITH stay AS (
          SELECT device, id, seq, lag(seq) OVER same AS before, lead(seq) OVER same AS after
          FROM inside WINDOW same AS (PARTITION BY device, id ORDER BY seq)
        )
        SELECT device, seq, id, 1 AS inside FROM stay WHERE seq > 0 AND before IS DISTINCT FROM seq - 1
        UNION ALL
        SELECT device, seq + 1, id, 0 FROM stay WHERE after IS DISTINCT FROM seq + 1;
      """
    ).wall
    return (build, query)
  }

  /// How many workers beside the leader PostgreSQL plans for the query that finds the fixes inside, after
  /// ``run(_:)``.
  func workers(_ formulation: Formulation) throws -> Int {
    let path = files.path("plan.txt")
    _ = try run("\\o \(path)\nEXPLAIN \(formulation.inside);\n")
    let plan = try String(contentsOfFile: path, encoding: .utf8)
    let planned = plan.split(separator: "\n").compactMap { line -> Int? in
      guard let range = line.range(of: "Workers Planned: ") else { return nil }
      return Int(line[range.upperBound...].prefix { $0.isNumber })
    }
    return planned.max() ?? 0
  }

  /// The events of the last run.
  func events(_ tracks: Tracks) throws -> [StateChange] {
    let path = files.path("events.csv")
    _ = try run("\\copy (SELECT device, seq, id, inside FROM events) TO '\(path)' CSV\n")
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",").compactMap { Int($0) }
      guard fields.count == 4 else { throw Failure("PostGIS's event \(line)") }
      let range = tracks.range(fields[0])
      // Beyond the last fix: the track ends inside.
      guard fields[1] < range.count else { return nil }
      return StateChange(
        fix: UInt32(range.lowerBound + fields[1]), region: UInt32(fields[2]), isInside: fields[3] == 1)
    }
  }

  private func run(_ statements: String) throws -> Child {
    let script = files.path("script.sql")
    try Data(statements.utf8).write(to: URL(fileURLWithPath: script))
    return try Child.run(
      [
        "/usr/bin/psql", "-h", socket, "-U", "bench", "-d", "postgres", "-qAt", "-v", "ON_ERROR_STOP=1", "-f",
        script,
      ], log: files.path("log"))
  }
}
