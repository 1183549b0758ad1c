/// How many values were left out, of rows that are not bad.
package struct ValueRemarks: Hashable, Sendable {
  /// Speeds and courses that are out of range or no numbers.
  package var badSpeeds = 0
  package var badCourses = 0
  /// AIS's positions for "not available".
  package var noPositions = 0

  package init() {}

  package var isEmpty: Bool { self == ValueRemarks() }

  package static func += (a: inout ValueRemarks, b: ValueRemarks) {
    a.badSpeeds += b.badSpeeds
    a.badCourses += b.badCourses
    a.noPositions += b.noPositions
  }

  /// What people are told of them, a sentence for each kind that there is.
  package var words: [String] {
    let kinds = [
      (
        badCourses, "value of course is no number of degrees within 0...360, and taken for unknown",
        "values of course are no numbers of degrees within 0...360, and taken for unknown"
      ),
      (
        badSpeeds, "value of speed is no number, and taken for unknown",
        "values of speed are no numbers, and taken for unknown"
      ),
      (
        noPositions, "row has latitude 91 and longitude 181, AIS's words for no position, and is dropped",
        "rows have latitude 91 and longitude 181, AIS's words for no position, and are dropped"
      ),
    ]
    return kinds.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
  }
}
