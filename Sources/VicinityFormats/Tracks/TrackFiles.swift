internal import VicinityCrossings
internal import VicinityIndex
public import VicinityText

/// The files that paths stand for: files as they are, folders with all they hold, patterns, `-` for standard
/// input.
///
/// Paths keep the caller's order. The files of a folder or pattern are in the order of their names' bytes,
/// and a folder includes the folders within it; names that begin with a dot are left out. Of a folder's
/// files, those with one of these endings are taken: `csv`, `tsv`, `txt`, `ndjson`, `jsonl`, `gpx`, `plt`,
/// `nmea`, `log`, `geojson`, `geojsonl`, `json`, `gpkg`, `fgb`, `shp`, each also with `.gz`, `.zst`, `.xz` or
/// `.bz2`; the others are counted in a warning. A file named more than once, by itself or in a folder, is
/// read once, with a warning.
public struct TrackFiles: Sendable {
  package struct File: Sendable {
    package var path: String
    /// The device of its fixes, if nothing in the file names one.
    package var device: String
    /// Its size as stored, bytes; nil for pipes.
    package var byteCount: Int?
    /// Tells the file from others whatever its path; nil for standard input.
    var identity: FileStatus.Identity?
  }

  package private(set) var files: [File] = []
  package private(set) var warnings: [Diagnostic] = []

  public var paths: [String] { files.map(\.path) }

  /// The size of all files, bytes; nil if one has none.
  package var byteCount: Int? {
    var total = 0
    for file in files {
      guard let count = file.byteCount else { return nil }
      total += count
    }
    return total
  }

  static let extensions: Set<String> = [
    "csv", "tsv", "txt", "ndjson", "jsonl", "gpx", "plt", "nmea", "log", "geojson", "geojsonl", "json",
    "gpkg", "fgb", "shp",
  ]
  private static let maximumDepth = 64

  /// The files that `paths` stand for.
  ///
  /// - Throws: ``FormatError`` for a path that names nothing, a folder that cannot be read or holds no track.
  public init(_ paths: [String]) throws(FormatError) {
    guard !paths.isEmpty else {
      throw .invalidOption(name: "paths", value: "[]", reason: "at least one path is expected")
    }
    for path in paths { try add(path) }
    dropRepeated()
    nameDevices()
  }

  /// Keeps the first of files that occur more than once. A link with another name counts as another file.
  private mutating func dropRepeated() {
    var names: [FileStatus.Identity: Set<String>] = [:]
    var kept: [File] = []
    for file in files {
      if let identity = file.identity, !names[identity, default: []].insert(Self.name(file.path)).inserted {
        warnings.append(Diagnostic(place: .init(path: file.path), message: "named twice; read once"))
      } else {
        kept.append(file)
      }
    }
    files = kept
  }

  private mutating func add(_ path: String) throws(FormatError) {
    if path == "-" {
      files.append(File(path: path, device: "stdin"))
      return
    }
    try ByteSource.checkIsLocal(path)
    if FileSystem.exists(path) { return try addExisting(path) }
    let names = path.utf8.contains { "*?[".utf8.contains($0) } ? FileSystem.matches(path) : []
    // Where nothing matches, the error is that of the path itself.
    for name in names.isEmpty ? [path] : names { try addExisting(name) }
  }

  private mutating func addExisting(_ path: String) throws(FormatError) {
    let status = try FormatError.reading { () throws(FileError) in try FileStatus(of: path) }
    guard status.kind == .directory else {
      let size = status.kind == .regular ? status.byteCount : nil
      files.append(File(path: path, device: "", byteCount: size, identity: status.identity))
      return
    }
    let before = files.count
    var others = 0
    try addFolder(path, depth: 0, &others)
    if others > 0 {
      warnings.append(
        Diagnostic(
          place: .init(path: path),
          message: "\(others) \(others == 1 ? "file" : "files") of other kinds left out"))
    }
    if files.count == before { throw .unreadable(path: path, reason: "the folder holds no track") }
  }

  private mutating func addFolder(_ path: String, depth: Int, _ others: inout Int) throws(FormatError) {
    guard depth < Self.maximumDepth else {
      throw .limitExceeded(.init(path: path), what: "folders within folders", limit: Self.maximumDepth)
    }
    let names = try FormatError.reading { () throws(FileError) in try FileSystem.names(in: path) }
    for name in names where !name.hasPrefix(".") {
      let child = path.hasSuffix("/") ? path + name : path + "/" + name
      let status = try FormatError.reading { () throws(FileError) in try FileStatus(of: child) }
      if status.kind == .directory {
        try addFolder(child, depth: depth + 1, &others)
      } else if status.kind == .regular, Self.extensions.contains(Self.split(name).ending) {
        files.append(
          File(path: child, device: "", byteCount: status.byteCount, identity: status.identity))
      } else {
        others += 1
      }
    }
  }

  /// Names each file's device: the folder above `Trajectory` for GeoLife, else the file's name without its
  /// ending, or its path where names repeat.
  private mutating func nameDevices() {
    var counts: [String: Int] = [:]
    for i in files.indices where files[i].path != "-" {
      let parts = files[i].path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
      let (stem, ending) = Self.split(parts.last ?? files[i].path)
      if ending == "plt", parts.count >= 3, parts[parts.count - 2] == "Trajectory" {
        files[i].device = parts[parts.count - 3]
      } else {
        files[i].device = stem
        counts[stem, default: 0] += 1
      }
    }
    for i in files.indices where counts[files[i].device, default: 0] > 1 && files[i].path != "-" {
      let path = files[i].path
      let name = Self.name(path)
      let folder = path.dropLast(name.count)
      let (stem, ending) = Self.split(name)
      let isTrajectory = ending == "plt" && folder.hasSuffix("/Trajectory/")
      if !isTrajectory { files[i].device = folder + stem }
    }
  }

  /// What comes after the last slash.
  private static func name(_ path: String) -> String {
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
    return String(path[(start ?? path.startIndex)...])
  }

  /// A file's name without its ending, and the ending in small letters; that of a packed file does not count.
  private static func split(_ name: String) -> (stem: String, ending: String) {
    var bytes = Array(name.utf8)
    let plain = FieldNames.normalized(name)
    bytes.removeLast(min(bytes.count, plain.utf8.count - Compression.withoutEnding(plain).utf8.count))
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else {
      return (String(decoding: bytes, as: UTF8.self), "")
    }
    let ending = FieldNames.normalized(String(decoding: bytes[(dot + 1)...], as: UTF8.self))
    return (String(decoding: bytes[..<dot], as: UTF8.self), ending)
  }
}
