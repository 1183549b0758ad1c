internal import VicinityGeodesy

/// Which crossings, visits and reports a figure is about.
enum CrossingSelection {
  case visits(VisitFilter)
  case oneClass(ClassDimension, Int)

  func contains(_ crossing: TrueCrossing, _ visit: RegionVisit) -> Bool {
    switch self {
    case .visits(let filter): filter.contains(visit)
    case .oneClass(let dimension, let index): dimension.classIndex(of: crossing, visit) == index
    }
  }

  /// Whether precision means anything: a report of nothing has a region's size, and neither speed nor end.
  var hasPrecision: Bool {
    switch self {
    case .visits, .oneClass(.size, _): true
    case .oneClass: false
    }
  }

  /// Whether a report of a region of a size counts; of a region that is not there (NaN), where everything does.
  func containsReport(ofSize radius: Meters) -> Bool {
    switch self {
    case .visits(let filter): filter.minimumRadius <= 0 || radius >= filter.minimumRadius
    case .oneClass(.size, let index): !radius.isNaN && ClassDimension.size.classIndex(of: radius) == index
    case .oneClass: false
    }
  }
}
