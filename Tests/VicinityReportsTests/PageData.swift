import Foundation
import Testing

enum PageData {
  /// The data that a page's scripts read.
  static func of(_ page: String) throws -> [String: Any] {
    let opening = "<script id=\"data\" type=\"application/json\">"
    let start = try #require(page.range(of: opening))
    let rest = page[start.upperBound...]
    let end = try #require(rest.range(of: "</script>"))
    let value = try JSONSerialization.jsonObject(with: Data(rest[..<end.lowerBound].utf8))
    return try #require(value as? [String: Any])
  }
}
