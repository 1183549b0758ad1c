internal import VicinityCrossings

/// Why a file could not be read, with the place and the value.
public enum FormatError: Error, Hashable, Sendable {
  /// The file cannot be opened or read: missing, a directory, not permitted, damaged.
  case unreadable(path: String, reason: String)
  /// The path names something that is not a local file; nothing is ever fetched.
  case notLocal(path: String)
  /// No reader takes the file for one of its own; the reason in the words of the library that tried.
  case unrecognizedFormat(path: String, reason: String)
  /// The file holds no header and no rows, or no features at all.
  case empty(path: String)
  /// A text file's header lacks a column; the names it may have, and the names that are there.
  case missingColumn(Diagnostic.Place, expected: [String], found: [String])
  /// A header names the same thing twice.
  case ambiguousColumn(Diagnostic.Place, names: [String])
  /// A small table with a meaning of its own has a column that means nothing; the name, and those that mean
  /// something.
  case unknownColumn(Diagnostic.Place, name: String, known: [String])
  /// A layer's features lack a field; the name asked for, and the names that are there.
  case missingField(Diagnostic.Place, expected: String, found: [String])
  /// Point regions without a radius: the column or field names one of which must be there.
  case missingRadius(Diagnostic.Place, expected: [String], found: [String])
  /// Tracks without times: the column or field names one of which must be there, and the names that are
  /// there.
  case missingTime(Diagnostic.Place, expected: [String], found: [String])
  /// A track of which nothing names the devices: the columns or fields that may, and all that are there.
  case missingDevice(Diagnostic.Place, candidates: [String], found: [String])
  /// The layer asked for does not exist; the names of those that do.
  case missingLayer(path: String, layer: String, found: [String])
  /// Several layers have features, and the caller chose none; the names of those.
  case severalLayers(path: String, layers: [String])
  case noGeometry(path: String, layers: [String])
  /// An option is out of its range.
  case invalidOption(name: String, value: String, reason: String)
  /// Rows or features are bad: the first of them, and how many there are in all.
  case invalidRows(path: String, first: [Diagnostic], count: Int)
  /// All rows or features are bad and were to be skipped, so that nothing is left: what each should have
  /// made, the first of them, and how many there are.
  case nothingRead(path: String, what: String, first: [Diagnostic], count: Int)
  /// Rows of a track are bad: those found when reading stopped, of which the first are told. There may be
  /// more further on.
  case invalidTrackRows(path: String, first: [Diagnostic], count: Int)
  /// A limit kept against hostile input was exceeded.
  case limitExceeded(Diagnostic.Place, what: String, limit: Int)
  /// A system of coordinates that can be brought to WGS84 only by a ballpark transformation, which the caller
  /// did not allow; the reason in words.
  case ballparkOnly(Diagnostic.Place, message: String)
  /// A library failed; its own words.
  case library(Diagnostic.Place, message: String)
}

extension FormatError {
  /// What a caller can do about it, where options of the reader are the answer; the most telling first.
  public var cures: [Cure] {
    switch self {
    case .missingColumn(_, let expected, _):
      ["latitude", "longitude"].contains(expected.first ?? "")
        ? [.coordinateField] : expected.first == "time" ? [.timeField] : []
    case .missingRadius: [.defaultRadius]
    case .missingTime: [.timeField]
    case .missingDevice: [.device]
    case .severalLayers: [.layer]
    case .ballparkOnly: [.ballpark]
    case .invalidRows(_, let first, _), .invalidTrackRows(_, let first, _):
      Self.cures(of: first) + [.skipInvalid]
    case .nothingRead(_, _, let first, _): Self.cures(of: first)
    case .unreadable, .notLocal, .unrecognizedFormat, .empty, .ambiguousColumn, .unknownColumn, .missingField,
      .missingLayer, .noGeometry, .invalidOption, .limitExceeded, .library:
      []
    }
  }

  private static func cures(of diagnostics: [Diagnostic]) -> [Cure] {
    let cures = Set(diagnostics.compactMap(\.cure))
    return Cure.allCases.filter { cures.contains($0) }
  }
}

extension FormatError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreadable(let path, let reason):
      "cannot read \(Diagnostic.Place(path: path)): \(VisibleText.of(reason))"
    case .notLocal(let path):
      "\(VisibleText.of(path)): not a local file (nothing is fetched over a network)"
    case .unrecognizedFormat(let path, let reason):
      "\(VisibleText.of(path)): not a format that can be read here: \(VisibleText.of(reason))"
    case .empty(let path):
      "\(Diagnostic.Place(path: path)): the file is empty"
    case .missingColumn(let place, let expected, let found):
      "\(place): no column \(Self.list(expected, joinedBy: " or ")) in the header (found \(Self.list(found)))"
    case .ambiguousColumn(let place, let names):
      "\(place): the header's columns \(Self.list(names)) mean the same thing"
    case .unknownColumn(let place, let name, let known):
      "\(place): the column \"\(VisibleText.of(name))\" means nothing here; there are \(Self.list(known))"
    case .missingField(let place, let expected, let found):
      "\(place): no field \"\(VisibleText.of(expected))\" (found \(Self.list(found)))"
    case .missingRadius(let place, let expected, let found):
      "\(place): points without a radius: a column or field \(Self.list(expected, joinedBy: " or "))"
        + " in metres is expected, or a default radius (found \(Self.list(found)))"
    case .missingTime(let place, let expected, let found):
      "\(place): no times: a field \(Self.list(expected, joinedBy: " or ")) is expected (found \(Self.list(found)))"
    case .missingDevice(let place, let candidates, let found):
      "\(place): no column or field names devices\(Self.emptyDevices(candidates)), and"
        + " \(Self.list(candidates)) may tell devices apart (found \(Self.list(found)))"
    case .missingLayer(let path, let layer, let found):
      "\(VisibleText.of(path)): no layer \"\(VisibleText.of(layer))\" (found \(Self.list(found)))"
    case .severalLayers(let path, let layers):
      "\(VisibleText.of(path)): several layers have features: \(Self.list(layers)); one is read at a time"
    case .noGeometry(let path, let layers):
      "\(VisibleText.of(path)): no layer with geometry (layers: \(Self.list(layers)))"
    case .invalidOption(let name, let value, let reason):
      "invalid \(name) \(VisibleText.of(value)): \(VisibleText.of(reason))"
    case .invalidRows(let path, let first, let count):
      Self.text(path, first, count)
    case .nothingRead(let path, let what, let first, let count):
      "\(Diagnostic.Place(path: path)): \(count) \(count == 1 ? "row was" : "rows were") read, of which none makes a \(what):\n"
        + Self.lines(first, count)
    case .invalidTrackRows(let path, let first, let count):
      Self.text(path, first, count) + "\n  reading stopped there: there may be more bad rows further on"
    case .limitExceeded(let place, let what, let limit):
      "\(place): \(what) (at most \(limit))"
    case .ballparkOnly(let place, let message), .library(let place, let message):
      "\(place): \(VisibleText.of(message))"
    }
  }

  private static func text(_ path: String, _ first: [Diagnostic], _ count: Int) -> String {
    "\(Diagnostic.Place(path: path)): \(count) bad \(count == 1 ? "row" : "rows"):\n"
      + lines(first, count)
  }

  private static func lines(_ first: [Diagnostic], _ count: Int) -> String {
    Diagnostic.lines(first).map { "  \($0)" }.joined(separator: "\n")
      + (count > first.count ? "\n  and \(count - first.count) more" : "")
  }

  /// What to say of candidates that have a name for devices: they would be taken if they had any value.
  private static func emptyDevices(_ candidates: [String]) -> String {
    let empty = candidates.filter { FieldNames.device.contains(FieldNames.normalized($0)) }
    return empty.isEmpty ? "" : " (no value in any feature: \(list(empty)))"
  }

  static func list(_ names: [String], joinedBy separator: String = ", ") -> String {
    guard !names.isEmpty else { return "none" }
    let shown = names.prefix(24).map { "\"\(VisibleText.of($0))\"" }.joined(separator: separator)
    return names.count > 24 ? shown + ", and \(names.count - 24) more" : shown
  }
}
