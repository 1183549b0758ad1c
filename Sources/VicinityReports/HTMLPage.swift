/// A page that needs only a browser: a template with its styles, data and scripts filled in.
///
/// Every page has the common style and script first, then its own, and a policy that keeps it from loading
/// anything.
enum HTMLPage {
  /// Makes the page, UTF-8. The same data give the same bytes.
  ///
  /// - Parameters:
  ///   - body: The page's own part, between the common head and the data; may contain `{{map buttons}}`.
  ///   - pictures: The one place that the page may load pictures from, such as map tiles; nil for none.
  ///   - title: Plain text.
  ///   - data: The data for the scripts.
  static func html(
    _ body: [UInt8], title: String, style: [UInt8], script: [UInt8], data: JSONValue, pictures: String? = nil
  ) -> [UInt8] {
    let pictures = Array((pictures.map { "img-src \($0); " } ?? "").utf8)
    return fill(
      fill(PackageResources.common_html, ["pictures": pictures, "body": body]),
      [
        "title": Array(escaped(title).utf8), "map buttons": PackageResources.map_buttons_html,
        "style": PackageResources.common_css + style,
        "data": escaped(data.bytes), "script": PackageResources.common_js + script,
      ])
  }

  /// JSON that cannot end the script element around it, whatever its strings contain.
  private static func escaped(_ json: [UInt8]) -> [UInt8] {
    var data: [UInt8] = []
    data.reserveCapacity(json.count)
    for byte in json {
      if byte == UInt8(ascii: "<") { data += "\\u003c".utf8 } else { data.append(byte) }
    }
    return data
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
    return result
  }

  /// Replaces each `{{name}}` of a template; text that was filled in is not searched again.
  static func fill(_ template: [UInt8], _ parts: [String: [UInt8]]) -> [UInt8] {
    var page: [UInt8] = []
    var at = 0
    let brace = UInt8(ascii: "{")
    while at < template.count {
      if template[at] == brace, at + 1 < template.count, template[at + 1] == brace,
        let end = template[at...].firstIndex(of: UInt8(ascii: "}")), end + 1 < template.count,
        let part = parts[String(decoding: template[(at + 2)..<end], as: UTF8.self)]
      {
        page.append(contentsOf: part)
        at = end + 2
      } else {
        page.append(template[at])
        at += 1
      }
    }
    return page
  }
}
