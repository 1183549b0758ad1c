/// The keys of a JSON text, without its values.
indirect enum KeyTree: Decodable {
  case object([String: KeyTree])
  case list([KeyTree])
  case value
  case null

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: Key.self) {
      var members: [String: KeyTree] = [:]
      for key in object.allKeys { members[key.stringValue] = try object.decode(KeyTree.self, forKey: key) }
      self = .object(members)
    } else if var list = try? decoder.unkeyedContainer() {
      var elements: [KeyTree] = []
      while !list.isAtEnd { elements.append(try list.decode(KeyTree.self)) }
      self = .list(elements)
    } else {
      self = try decoder.singleValueContainer().decodeNil() ? .null : .value
    }
  }

  /// The path to the first key that another text does not have, in alphabetical order; nil where it has all.
  ///
  /// A key without a value is as good as none.
  func firstKey(missingFrom known: KeyTree, at path: String = "") -> String? {
    switch (self, known) {
    case (.object(let members), .object(let knownMembers)):
      for (key, member) in members.sorted(by: { $0.key < $1.key }) {
        if case .null = member { continue }
        let own = path.isEmpty ? key : path + "." + key
        guard let other = knownMembers[key] else { return own }
        if let found = member.firstKey(missingFrom: other, at: own) { return found }
      }
      return nil
    case (.list(let elements), .list(let others)):
      for (index, (element, other)) in zip(elements, others).enumerated() {
        if let found = element.firstKey(missingFrom: other, at: "\(path)[\(index)]") { return found }
      }
      return nil
    default: return nil
    }
  }
}
