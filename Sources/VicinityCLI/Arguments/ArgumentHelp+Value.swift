import ArgumentParser

extension ArgumentHelp {
  static func value(_ name: String, _ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: name) }
}
