/// The names of something that is measured, with units or without.
package struct Quantity: Sendable {
  /// The names by which it is known without a unit, of which the first that is present wins.
  package let names: [String]
  /// The names that count only with one of the units.
  package let namesWithUnit: [String]
  /// The units that are read.
  package let units: [String]
  /// Each name as letters alone, with its place in the order; and units likewise.
  private let ranks: [(name: String, rank: Int, needsUnit: Bool)]
  private let read: Set<String>
  private let notRead: Set<String>

  /// The names as members of objects may be spelled: those without a unit, and the first also with one.
  package var spellings: [String] { names + units.map { "\(names[0])_\($0)" } }

  /// All names that are read, each without its unit and with each unit.
  package var allSpellings: [String] {
    names.flatMap { name in [name] + units.map { "\(name)_\($0)" } }
      + namesWithUnit.flatMap { name in units.map { "\(name)_\($0)" } }
  }

  /// - Parameters:
  ///   - namesWithUnit: Names that do not say the unit by themselves.
  ///   - otherUnits: Units that are recognised, and not read.
  init(names: [String], namesWithUnit: [String] = [], units: [String], otherUnits: [String]) {
    self.names = names
    self.namesWithUnit = namesWithUnit
    self.units = units
    ranks =
      names.enumerated().map { (FieldNames.letters($1), $0, false) }
      + namesWithUnit.enumerated().map { (FieldNames.letters($1), names.count + $0, true) }
    read = Set(units.map(FieldNames.letters))
    notRead = Set(otherUnits.map(FieldNames.letters))
  }

  /// Another quantity that is measured in the same units, and known by these names alone.
  init(names: [String], unitsOf other: Quantity) {
    self.names = names
    namesWithUnit = []
    units = other.units
    ranks = names.enumerated().map { (FieldNames.letters($1), $0, false) }
    (read, notRead) = (other.read, other.notRead)
  }

  /// What a column of some name holds of the quantity.
  package enum Meaning: Equatable, Sendable {
    /// Values in the unit that is read; columns of lower rank win.
    case values(rank: Int)
    /// Values in another unit.
    case otherUnit
  }

  /// What a column called `name` holds of the quantity; `nil` for a name of something else.
  package func meaning(of name: String) -> Meaning? {
    let letters = FieldNames.letters(name)
    var isInOtherUnit = false
    for (known, rank, needsUnit) in ranks where letters.hasPrefix(known) {
      let unit = String(letters.dropFirst(known.count))
      if unit.isEmpty {
        if needsUnit { isInOtherUnit = true } else { return .values(rank: 2 * rank) }
      } else if read.contains(unit) {
        return .values(rank: 2 * rank + 1)
      } else if notRead.contains(unit) {
        isInOtherUnit = true
      }
    }
    return isInOtherUnit ? .otherUnit : nil
  }
}
