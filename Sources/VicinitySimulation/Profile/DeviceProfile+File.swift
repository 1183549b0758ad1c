#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension DeviceProfile {
  /// The most bytes that a profile's file may have: ten times what the longest shipped one takes.
  public static let maximumByteCount = 1 << 20

  /// Reads a profile, and checks it.
  ///
  /// - Parameter json: The text of a file as ``encoded()`` writes them. Keys that are not known are passed over.
  /// - Throws: ``DeviceProfileError`` with the path within the file, as in `tiers.best.gnss.value`.
  /// - Complexity: O(bytes)
  public init(json: [UInt8]) throws(DeviceProfileError) {
    guard json.count <= Self.maximumByteCount else {
      throw .tooLarge(path: "", count: json.count, limit: Self.maximumByteCount)
    }
    do {
      self = try JSONDecoder().decode(DeviceProfile.self, from: Data(json))
    } catch let error as DecodingError {
      throw Self.unreadable(error)
    } catch {
      throw .unreadable(path: "", reason: "\(error)")
    }
    try check()
  }

  /// The profile as JSON: keys in alphabetical order, a figure or a distribution a line, a line feed at the end. Equal
  /// profiles give equal bytes.
  ///
  /// - Throws: What ``check()`` finds, as a number that is not finite cannot be written.
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

  private static func unreadable(_ error: DecodingError) -> DeviceProfileError {
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
      let place = path(context.codingPath)
      return .unreadable(path: place, reason: place.isEmpty ? "not JSON" : context.debugDescription)
    @unknown default:
      return .unreadable(path: "", reason: "\(error)")
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
