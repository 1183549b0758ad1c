internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// A run as a page that needs nothing but a browser: map, time slider, states and energy.
public enum SimulationPage {
  /// The page, UTF-8. The same run gives the same bytes.
  public static func html(_ run: SimulatedRun) throws(ReportError) -> [UInt8] {
    // Whatever identifiers contain, nothing may end the script that the data stands in.
    var data: [UInt8] = []
    for byte in try SimulationPageData(run).value.bytes() {
      if byte == UInt8(ascii: "<") {
        data.append(contentsOf: Array("\\u003c".utf8))
      } else {
        data.append(byte)
      }
    }
    let title = "\(run.policy) on \(run.scenario.profile.title)"
    return fill(
      PackageResources.simulation_html,
      [
        "title": Array(escaped(title).utf8), "style": PackageResources.simulation_css, "data": data,
        "script": PackageResources.simulation_js,
      ])
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

  /// A template with each `{{name}}` replaced once; what is put in is not looked at again.
  private static func fill(_ template: [UInt8], _ parts: [String: [UInt8]]) -> [UInt8] {
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
