import ArgumentParser
import VicinityIndex

extension ArgumentHelp {
  /// The help of an option that other doors have too.
  static func of<Settings>(_ name: String, _ options: [NamedOption<Settings>]) -> ArgumentHelp {
    guard let option = options.first(where: { $0.name == name }) else { return "" }
    return ArgumentHelp(option.help, valueName: option.placeholder)
  }
}

extension Array {
  /// Settings with what was given for the options, by name.
  ///
  /// - Throws: A `ValidationError` for a value that is refused.
  func of<Settings>(_ usual: Settings, _ given: [String: String?]) throws -> Settings
  where Element == NamedOption<Settings> {
    var settings = usual
    do throws(OptionFault) { try apply(to: &settings) { given[$0].flatMap { $0 }.map { [$0] } ?? [] } } catch
    {
      throw error.usage
    }
    return settings
  }
}

extension OptionFault {
  /// The fault in the command line's words.
  var usage: ValidationError {
    switch self {
    case .value(let option, let expected, let found):
      ValidationError("--\(option) must be \(expected); found \(found.debugDescription)")
    case .needs(let option, let other, let value):
      ValidationError("--\(option) needs --\(other) \(value)")
    }
  }
}
