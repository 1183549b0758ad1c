public import VicinityGeodesy

extension RegionIndex {
  /// The parts of an index and the area it covers.
  public struct Details: Hashable, Sendable {
    /// A part of the index's bytes.
    public struct Section: Hashable, Sendable {
      /// The name in the format's specification.
      public var name: String
      /// Where the part starts, bytes.
      public var offset: Int
      /// How long it is, bytes, padding not counted.
      public var byteCount: Int
      /// Whether its checksum matches; nil when that was not asked for, and for an index that is no file's.
      public var isIntact: Bool?
    }

    /// Radii of circles, metres. Each is the radius of a circle: of n in ascending order, that
    /// of number ⌊q (n - 1)⌋ counted from 0.
    public struct Radii: Hashable, Sendable {
      public var smallest: Meters
      public var lowerQuartile: Meters
      public var median: Meters
      public var upperQuartile: Meters
      public var percentile90: Meters
      public var percentile99: Meters
      public var largest: Meters
    }

    /// A box around points, degrees; `west > east` where it crosses the antimeridian (RFC 7946, 5.2).
    public struct Bounds: Hashable, Sendable {
      /// The least latitude.
      public var south: Degrees
      /// Where the box begins, going east.
      public var west: Degrees
      /// The greatest latitude.
      public var north: Degrees
      /// Where the box ends, going east.
      public var east: Degrees
    }

    public var formatVersion: Int
    /// The whole index, bytes.
    public var byteCount: Int
    /// Circles and polygons.
    public var regionCount: Int
    public var circleCount: Int
    public var polygonCount: Int
    /// Nodes of the tree, leaves not counted.
    public var nodeCount: Int
    /// Leaves of the tree, up to sixteen regions each.
    public var leafCount: Int
    /// Bytes of the identifiers' text alone.
    public var identifierByteCount: Int
    /// The smallest box around the centres of circles and the bounding centres of polygons; nil when there
    /// are none.
    public var bounds: Bounds?
    /// Radii of circles; nil when there are none.
    public var radii: Radii?
    /// The parts, in the file's order.
    public var sections: [Section]
  }

  /// The parts of the index and the area it covers.
  ///
  /// - Parameter comparingChecksums: Whether to find out which sections are intact; reads all bytes.
  /// - Complexity: O(n log n); O(bytes) more when comparing checksums.
  public func details(comparingChecksums: Bool = false) -> Details {
    defer { withExtendedLifetime(tree) {} }
    let layout = tree.layout
    var centers: [Coordinate] = []
    var radii: [Meters] = []
    centers.reserveCapacity(count)
    for ordinal in 0..<count {
      // Damaged bytes may lead nowhere, or to numbers that are none.
      guard let record = tree.record(ofOrdinal: ordinal), record.center.isValid else { continue }
      centers.append(record.center)
      let isPolygon = layout.polygonCount > 0 && record.isPolygon
      if !isPolygon, record.radius.isFinite { radii.append(record.radius) }
    }
    let base = unsafe UnsafeRawPointer(tree.storage.base)
    let compares = comparingChecksums && tree.isFromFile
    return Details(
      formatVersion: Int(IndexLayout.version), byteCount: layout.fileSize,
      regionCount: layout.regionCount, circleCount: layout.regionCount - layout.polygonCount,
      polygonCount: layout.polygonCount, nodeCount: layout.nodeCount, leafCount: layout.leafCount,
      identifierByteCount: layout.length(.identifierBytes), bounds: Details.Bounds(of: centers),
      radii: Details.Radii(of: radii),
      sections: IndexLayout.Section.allCases.map { section in
        Details.Section(
          name: "\(section)", offset: layout.offset(section), byteCount: layout.length(section),
          isIntact: compares ? unsafe IndexHeader.matches(base, layout, section) : nil)
      })
  }
}

extension RegionIndex.Details.Radii {
  /// The distribution of `values`; nil when there are none.
  init?(of values: [Meters]) {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    func quantile(_ hundredths: Int) -> Meters { sorted[(sorted.count - 1) * hundredths / 100] }
    self.init(
      smallest: quantile(0), lowerQuartile: quantile(25), median: quantile(50),
      upperQuartile: quantile(75), percentile90: quantile(90), percentile99: quantile(99),
      largest: quantile(100))
  }
}

extension RegionIndex.Details.Bounds {
  /// The smallest box around valid coordinates; nil when there are none.
  ///
  /// East and west are the ends of the widest gap between neighbouring longitudes.
  init?(of centers: [Coordinate]) {
    guard let first = centers.first else { return nil }
    var (south, north) = (first.latitude, first.latitude)
    for center in centers {
      south = min(south, center.latitude)
      north = max(north, center.latitude)
    }
    let longitudes = centers.compactMap { try? $0.normalized().longitude }.sorted()
    guard let least = longitudes.first, let greatest = longitudes.last else { return nil }
    var (west, east) = (least, greatest)
    var widestGap = least + 360 - greatest
    for (low, high) in zip(longitudes, longitudes.dropFirst()) where high - low > widestGap {
      (widestGap, west, east) = (high - low, high, low)
    }
    self.init(south: south, west: west, north: north, east: east)
  }
}
