/// What is wrong with a policy's name or parameters.
public enum PolicyError: Error, Hashable, Sendable {
  /// No policy is called so.
  case unknownPolicy(String, known: [String])
  /// The policy has no such parameter.
  case unknownParameter(String, policy: String, known: [String])
  /// A value that the parameter cannot have; and which it can, in words.
  case invalidValue(String, parameter: String, policy: String, allowed: String)
  /// A part of a label that is not `parameter=value`.
  case malformed(String, policy: String)
  /// A parameter that a label sets twice.
  case repeatedParameter(String, policy: String)
}

extension PolicyError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownPolicy(let name, let known):
      return
        "no policy \(name.isEmpty ? name.debugDescription : name); there are \(known.joined(separator: ", "))"
    case .unknownParameter(let name, let policy, let known):
      let has = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
      return "\(policy): no parameter \(name); \(has)"
    case .invalidValue(let value, let parameter, let policy, let allowed):
      return "\(policy): \(parameter) cannot be \(value); it can be \(allowed)"
    case .malformed(let part, let policy):
      return "\(policy): \(part.debugDescription) is not parameter=value"
    case .repeatedParameter(let parameter, let policy): return "\(policy): \(parameter) is set twice"
    }
  }
}
