/// The wording of error messages: `<what> (<where>)`.
package enum ErrorText {
  /// The text after `vicinity: error: `; where it has several lines, the place ends the first.
  package static func message(_ failure: CommandFailure) -> String {
    guard !failure.place.isEmpty else { return failure.what }
    guard let end = failure.what.firstIndex(of: "\n") else { return failure.description }
    var first = failure.what[..<end]
    if first.hasSuffix(":") { first = first.dropLast() }
    return "\(first) (\(failure.place)):\(failure.what[end...])"
  }

  /// `text` without the parser's own `Error: `.
  package static func withoutPrefix(_ text: String) -> String {
    let prefix = "Error: "
    return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
  }

  /// What and where of an error whose description starts with the place, as the readers' do:
  /// `stores.csv:12: no radius` is `no radius` at `stores.csv:12`.
  package static func split(_ description: String, path: String) -> (what: String, place: String) {
    guard description.hasPrefix(path), !path.isEmpty else {
      return (description, description.contains(path) ? "" : path)
    }
    let rest = description.dropFirst(path.count)
    var colon = rest.startIndex
    while let next = rest[colon...].firstIndex(of: ":") {
      let after = rest.index(after: next)
      if after < rest.endIndex, rest[after] == " " {
        return (String(rest[after...].dropFirst()), path + rest[..<next])
      }
      colon = after
    }
    return (description, "")
  }
}
