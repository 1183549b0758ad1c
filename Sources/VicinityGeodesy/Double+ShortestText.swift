extension Double {
  /// The shortest text that reads back as this number; whole numbers without a decimal point.
  package var shortestText: String {
    let text = "\(self)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
