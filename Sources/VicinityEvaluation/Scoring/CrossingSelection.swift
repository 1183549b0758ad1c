internal import VicinityCrossings
internal import VicinityGeodesy

/// The crossings, visits and reports that a figure is about.
enum CrossingSelection {
  case visits(VisitFilter)
  case oneClass(ClassDimension, Int)

  /// What it counts as a visit. A class has every crossing of its own.
  var filter: VisitFilter {
    if case .visits(let filter) = self { filter } else { .all }
  }

  /// Whether a crossing that the filter leaves is of the class.
  func contains(_ crossing: TrueCrossing, _ visit: RegionVisit) -> Bool {
    switch self {
    case .visits: true
    case .oneClass(let dimension, let index): dimension.classIndex(of: crossing, visit) == index
    }
  }

  /// Whether precision has a meaning: an unfounded report has its region's size, but no speed and no
  /// duration.
  var hasPrecision: Bool {
    switch self {
    case .visits, .oneClass(.size, _): true
    case .oneClass: false
    }
  }

  /// Whether a report counts, by its region's size. A region that is not in the index (NaN) counts where
  /// every size does.
  func containsReport(ofSize radius: Meters) -> Bool {
    switch self {
    case .visits(let filter): filter.minimumRadius <= 0 || radius >= filter.minimumRadius
    case .oneClass(.size, let index): !radius.isNaN && ClassDimension.size.classIndex(of: radius) == index
    case .oneClass: false
    }
  }
}
