internal import VicinityMonitor

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension DeviceProfile {
  /// The greatest size of a profile's file: ten times the longest shipped one.
  package static let maximumByteCount = 1 << 20

  /// Reads and checks a profile.
  ///
  /// - Parameter json: A file in the format of ``encoded()``. A key that it does not know is an error, as a
  ///   misspelled figure would otherwise be replaced in silence; one whose value is null counts as missing.
  /// - Throws: ``DeviceProfileError`` with the path within the file, such as `tiers.best.gnss.value`.
  /// - Complexity: O(bytes)
  public init(json: [UInt8]) throws(DeviceProfileError) {
    guard json.count <= Self.maximumByteCount else {
      throw .tooLarge(path: "", count: json.count, limit: Self.maximumByteCount)
    }
    do {
      self = try JSONDecoder().decode(DeviceProfile.self, from: Data(json))
    } catch let error as DecodingError {
      throw Self.unreadable(error, json)
    } catch {
      throw .unreadable(path: "", reason: "\(error)")
    }
    if let fault = JSONScan.fault(in: json) { throw .unreadable(path: fault.path, reason: fault.reason) }
    try check()
    let unknown: String?
    do {
      let known = try JSONDecoder().decode(KeyTree.self, from: JSONEncoder().encode(self))
      unknown = try JSONDecoder().decode(KeyTree.self, from: Data(json)).firstKey(missingFrom: known)
    } catch {
      throw .unreadable(path: "", reason: "\(error)")
    }
    if let unknown { throw .unreadable(path: unknown, reason: "no part of a device profile") }
  }

  /// The profile as JSON. Keys are in alphabetical order, with a figure or distribution per line and a line
  /// feed at the end. Equal profiles give equal bytes.
  ///
  /// - Throws: What ``check()`` finds; numbers that are not finite cannot be written.
  public func encoded() throws(DeviceProfileError) -> [UInt8] {
    try check()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return ProfileLayout.lines(of: [UInt8](try encoder.encode(self)))
    } catch {
      throw .unreadable(path: "", reason: "\(error)")
    }
  }

  private static func unreadable(_ error: DecodingError, _ json: [UInt8]) -> DeviceProfileError {
    func path(_ keys: [any CodingKey], _ last: (any CodingKey)? = nil) -> String {
      var text = ""
      for key in keys + (last.map { [$0] } ?? []) {
        if let index = key.intValue {
          text += "[\(index)]"
        } else {
          text += text.isEmpty ? key.stringValue : "." + key.stringValue
        }
      }
      return text
    }
    switch error {
    case .keyNotFound(let key, let context):
      return .unreadable(path: path(context.codingPath, key), reason: "missing")
    case .typeMismatch(let type, let context):
      return .unreadable(path: path(context.codingPath), reason: "not \(Self.words(for: type))")
    case .valueNotFound(let type, let context):
      return .unreadable(path: path(context.codingPath), reason: "null, not \(Self.words(for: type))")
    case .dataCorrupted(let context):
      let keyPath = path(context.codingPath)
      guard keyPath.isEmpty else {
        return .unreadable(path: keyPath, reason: names(context.codingPath) ?? context.debugDescription)
      }
      // The decoder says the same of a text that is no JSON and of a number that does not fit its type.
      if (try? JSONDecoder().decode(KeyTree.self, from: Data(json))) != nil {
        if let fault = JSONScan.fault(in: json) { return .unreadable(path: fault.path, reason: fault.reason) }
        let isNumber = (try? JSONDecoder().decode(SlotsOnly<Double>.self, from: Data(json))) != nil
        let isWhole = (try? JSONDecoder().decode(SlotsOnly<Int>.self, from: Data(json))) != nil
        if isNumber, !isWhole { return .unreadable(path: "regions.slots", reason: "not a whole number") }
      }
      return .unreadable(path: "", reason: "not JSON")
    @unknown default:
      return .unreadable(path: "", reason: "\(error)")
    }
  }

  /// The one whole number of a profile.
  private struct SlotsOnly<Number: Decodable>: Decodable {
    struct Regions: Decodable { var slots: Number }
    var regions: Regions
  }

  /// The names that may stand at a place, in words; nil where there may be others.
  private static func names(_ path: [any CodingKey]) -> String? {
    func list(_ names: [String]) -> String { names.joined(separator: ", ") }
    switch path.last?.stringValue {
    case "era": return "not one of \(list(Era.allCases.map(\.rawValue)))"
    case "platform": return "not one of \(list(Platform.allCases.map(\.rawValue)))"
    case "basis": return "not one of \(list(Figure.Basis.allCases.map(\.rawValue)))"
    case "slots": return "not a whole number"
    default: break
    }
    switch path.dropLast().last?.stringValue {
    case "tiers": return "no tier; tiers are \(list(DesiredAccuracy.allCases.map(\.rawValue)))"
    case "ways": return "no way; ways are \(list(TravelMode.allCases.map(\.rawValue)))"
    default: return nil
    }
  }

  private static func words(for type: any Any.Type) -> String {
    switch type {
    case is Double.Type, is Int.Type: "a number"
    case is String.Type: "text"
    case is [any Sendable].Type: "a list"
    default: String(describing: type).hasPrefix("Array") ? "a list" : "an object"
    }
  }
}

extension DeviceProfile {
  /// The names of the shipped profiles, in alphabetical order: the files of `Data/devices`.
  public static let names = ["iphone-6", "modern-phone", "nexus-6"]

  /// The shipped profile of a name.
  ///
  /// - Throws: ``DeviceProfileError/unknownName(_:known:)``.
  public static func named(_ name: String) throws(DeviceProfileError) -> DeviceProfile {
    switch name {
    case "iphone-6": try DeviceProfile(json: PackageResources.iphone_6_json)
    case "modern-phone": try DeviceProfile(json: PackageResources.modern_phone_json)
    case "nexus-6": try DeviceProfile(json: PackageResources.nexus_6_json)
    default: throw .unknownName(name, known: names)
    }
  }
}
