/// A page that needs only a browser: a template with its styles, data and scripts filled in.
///
/// Every page has the common style and script first, then its own.
enum HTMLPage {
  /// Makes the page, UTF-8. The same data give the same bytes.
  ///
  /// - Parameters:
  ///   - body: The page's own part, between the common head and the data; may contain `{{map buttons}}`.
  ///   - loadsPictures: Whether the page may load pictures, such as map tiles, from elsewhere.
  ///   - title: Plain text.
  ///   - data: The data for the scripts.
  static func html(
    _ body: [UInt8], title: String, style: [UInt8], script: [UInt8], data: JSONValue, loadsPictures: Bool
  ) -> [UInt8] {
    let security = loadsPictures ? [] : Array((securityPolicy + "\n").utf8)
    return fill(
      fill(PackageResources.common_html, ["security": security, "body": body]),
      [
        "title": Array(escaped(title).utf8), "map buttons": PackageResources.map_buttons_html,
        "style": PackageResources.common_css + style,
        "data": escaped(data.bytes), "script": PackageResources.common_js + script,
      ])
  }

  /// Forbids a page to load anything.
  private static let securityPolicy =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    + "script-src 'unsafe-inline'\">"

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
