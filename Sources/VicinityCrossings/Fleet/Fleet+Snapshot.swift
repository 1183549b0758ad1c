internal import VicinityGeodesy
public import VicinityIndex

extension Fleet {
  private typealias Field = FleetSnapshot.Field

  // MARK: Writing

  /// Writes the state of all devices to a file, whole or not at all: to a temporary beside it, synchronised, then renamed.
  ///
  /// - Parameters:
  ///   - path: Where.
  ///   - names: The devices' names, to be kept with them.
  /// - Throws: ``FleetSnapshotError/system(operation:path:code:message:)``; what was at `path` is unchanged then.
  /// - Complexity: O(devices + occupied regions + names + the index's bytes)
  public func write(to path: String, names: DeviceNames = DeviceNames()) throws(FleetSnapshotError) {
    do throws(IndexFormatError) {
      try FileSystem.writeWhole(snapshot(names: names), to: path)
    } catch {
      throw FleetSnapshotError(error, path: path)
    }
  }

  /// The bytes that ``write(to:names:)`` writes: the same for the same state.
  public func snapshot(names: DeviceNames = DeviceNames()) -> [UInt8] {
    var occupiedCount = 0
    for device in 0..<deviceCount { occupiedCount += Int(state(of: device).occupiedCount) }
    let rule = ruleSection.bytes
    let layout = FleetSnapshot(
      deviceCount: deviceCount, occupiedCount: occupiedCount, hasDues: engine.delay != nil,
      nameCount: names.count, nameByteCount: names.byteCount, ruleByteCount: rule.count)
    var bytes = [UInt8](repeating: 0, count: layout.fileSize)
    bytes.replaceSubrange(0..<8, with: FleetSnapshot.magic)
    bytes.put(FleetSnapshot.version, at: Field.version)
    bytes.put(UInt32(FleetSnapshot.headerSize), at: Field.headerSize)
    bytes.put(UInt64(layout.fileSize), at: Field.fileSize)
    bytes.put(index.fingerprint, at: Field.fingerprint)
    bytes.put(engine.maximumGap, at: Field.gap)
    bytes.put(engine.delay ?? 0, at: Field.delay)
    bytes.put(UInt64(layout.deviceCount), at: Field.deviceCount)
    bytes.put(UInt64(layout.occupiedCount), at: Field.occupiedCount)
    bytes.put(UInt64(layout.nameCount), at: Field.nameCount)
    bytes.put(UInt64(layout.nameByteCount), at: Field.nameByteCount)
    bytes.put(UInt64(counts.fixes), at: Field.fixes)
    bytes.put(UInt64(counts.repeats), at: Field.repeats)
    bytes.put(UInt64(counts.invalid), at: Field.invalid)
    bytes.put(UInt64(rule.count), at: Field.ruleByteCount)
    var region = 0
    for device in 0..<deviceCount {
      let state = state(of: device)
      let start = layout.devices + FleetSnapshot.deviceSize * device
      bytes.put(state.time, at: start)
      bytes.put(state.latitude, at: start + 8)
      bytes.put(state.longitude, at: start + 16)
      bytes.put(state.occupiedCount, at: start + 24)
      bytes.put(state.margin, at: start + 28)
      for i in 0..<Int(state.occupiedCount) {
        bytes.put(state.ordinal(at: i), at: layout.ordinals + 4 * region)
        if layout.hasDues { bytes.put(state.due(at: i), at: layout.dues + 8 * region) }
        region += 1
      }
    }
    names.put(into: &bytes, ends: layout.nameEnds, at: layout.nameBytes)
    bytes.replaceSubrange(layout.rule..<layout.fileSize, with: rule)
    bytes.put(
      FleetSnapshot.hash(bytes, FleetSnapshot.headerSize..<bytes.count), at: Field.bodyChecksum)
    bytes.put(FleetSnapshot.hash(bytes, 0..<Field.headerChecksum), at: Field.headerChecksum)
    return bytes
  }

  /// The rule, and what is pending or open.
  private var ruleSection: FleetRuleSection {
    var section = FleetRuleSection(options)
    guard engine.fixRule != nil else { return section }
    for device in 0..<deviceCount {
      let state = state(of: device)
      let undecided = state.undecided(hasDues: engine.delay != nil)
      section.counts.append(state.isNotBegun ? FleetRuleSection.notBegun : UInt32(undecided.count))
      section.watches += undecided
    }
    return section
  }

  // MARK: Reading

  /// A fleet as it was when a file was written: given the same fixes from there, it reports the same crossings.
  ///
  /// - Parameters:
  ///   - path: A regular file.
  ///   - index: The regions the fleet was watching; others are refused.
  ///   - names: Gets the devices' names, in place of what it held.
  /// - Throws: ``FleetSnapshotError``.
  /// - Complexity: O(bytes + the index's bytes)
  public static func restored(
    from path: String, index: RegionIndex, names: inout DeviceNames
  ) throws(FleetSnapshotError) -> Fleet {
    let bytes: [UInt8]
    do throws(IndexFormatError) {
      bytes = try FileSystem.readWhole(path)
    } catch {
      throw FleetSnapshotError(error, path: path)
    }
    return try restored(fromSnapshot: bytes, index: index, names: &names)
  }

  /// A fleet from the bytes of a snapshot, wherever they come from: whatever they are, a fleet or an error.
  ///
  /// - Throws: ``FleetSnapshotError``; `names` is unchanged then.
  public static func restored(
    fromSnapshot bytes: [UInt8], index: RegionIndex, names: inout DeviceNames
  ) throws(FleetSnapshotError) -> Fleet {
    let layout = try Self.layout(of: bytes)
    let fingerprint = index.fingerprint
    let found: UInt64 = bytes.number(Field.fingerprint)
    guard found == fingerprint else { throw .otherIndex(found: found, expected: fingerprint) }
    let gap: Int64 = bytes.number(Field.gap)
    let delay: Int64 = bytes.number(Field.delay)
    let section = try FleetRuleSection(
      bytes, at: layout.rule, byteCount: layout.ruleByteCount, deviceCount: layout.deviceCount)
    let options = CrossingOptions(
      maximumGap: .microseconds(gap), dwell: delay == 0 ? nil : .microseconds(delay), rule: section.rule,
      notifyOnEntry: section.notifyOnEntry, notifyOnExit: section.notifyOnExit)
    let engine: CrossingEngine
    do throws(CrossingOptionsError) {
      engine = CrossingEngine(.packed(index), validated: try options.validated())
    } catch {
      throw .damaged(part: "header", reason: "\(error)")
    }
    let newNames = try DeviceNames(
      bytes, count: layout.nameCount, ends: layout.nameEnds, at: layout.nameBytes,
      byteCount: layout.nameByteCount)
    var fleet = Fleet(index, engine, options, deviceCount: layout.deviceCount)
    fleet.counts.fixes = try count(of: "fixes", bytes, Field.fixes)
    fleet.counts.repeats = try count(of: "repeats", bytes, Field.repeats)
    fleet.counts.invalid = try count(of: "invalid fixes", bytes, Field.invalid)
    var region = 0
    for device in 0..<layout.deviceCount { try fleet.restore(device, from: bytes, layout, &region) }
    guard region == layout.occupiedCount else {
      throw .damaged(part: "devices", reason: "\(region) regions of \(layout.occupiedCount)")
    }
    try fleet.restore(section)
    names = newNames
    return fleet
  }

  /// A count of fixes, with room for as many again.
  private static func count(
    of name: String, _ bytes: [UInt8], _ field: Int
  ) throws(FleetSnapshotError) -> Int {
    let value: UInt64 = bytes.number(field)
    guard value <= UInt64(Int.max) / 2 else {
      throw .damaged(part: "header", reason: "\(value) \(name)")
    }
    return Int(value)
  }

  private mutating func restore(
    _ device: Int, from bytes: [UInt8], _ layout: FleetSnapshot, _ region: inout Int
  ) throws(FleetSnapshotError) {
    let start = layout.devices + FleetSnapshot.deviceSize * device
    var state = DeviceState()
    state.time = bytes.number(start)
    state.latitude = bytes.number(start + 8)
    state.longitude = bytes.number(start + 16)
    let count = Int(bytes.number(start + 24, as: UInt32.self))
    state.margin = bytes.number(start + 28)
    guard state.isSeen ? state.coordinate.isValid : count == 0 else {
      throw .damaged(part: "device \(device)", reason: "no valid place")
    }
    guard state.margin >= 1, state.margin <= Float(Neighborhood.largestLimit) else {
      throw .damaged(part: "device \(device)", reason: "a neighbourhood of \(state.margin) m")
    }
    guard count <= layout.occupiedCount - region else {
      throw .damaged(part: "device \(device)", reason: "\(count) regions, more than there are")
    }
    var last = -1
    state.reserve(count, hasDues: layout.hasDues)
    for _ in 0..<count {
      let ordinal = Int(bytes.number(layout.ordinals + 4 * region, as: UInt32.self))
      let due = layout.hasDues ? bytes.number(layout.dues + 8 * region, as: Int64.self) : nil
      guard ordinal > last, ordinal < index.count, due ?? .max > state.time else {
        state.deallocate()
        throw .damaged(part: "device \(device)", reason: "region \(ordinal) or when it is due")
      }
      last = ordinal
      state.insert(UInt32(ordinal), due: due)
      region += 1
    }
    engine.updateDue(&state)
    setState(state, of: device)
  }

  /// Puts what was pending or open into devices otherwise restored.
  private mutating func restore(_ section: FleetRuleSection) throws(FleetSnapshotError) {
    var start = 0
    if let fixRule = engine.fixRule {
      for device in 0..<deviceCount {
        var state = state(of: device)
        if section.counts[device] == FleetRuleSection.notBegun {
          guard state.isSeen, state.occupiedCount == 0, fixRule.usesAccuracy else {
            throw .damaged(part: "device \(device)", reason: "not begun")
          }
          state.nextDue = .min
        } else {
          let count = Int(section.counts[device])
          guard count <= section.watches.count - start else {
            throw .damaged(part: "device \(device)", reason: "\(count) pending, more than there are")
          }
          try state.restore(
            Array(section.watches[start..<start + count]), fixRule, regionCount: index.count,
            device: device, hasDues: engine.delay != nil)
          start += count
        }
        setState(state, of: device)
      }
    }
    guard start == section.watches.count else {
      throw .damaged(part: "rule", reason: "\(start) pending of \(section.watches.count)")
    }
  }

  /// The layout that a header describes, once every part of it has been found consistent.
  private static func layout(of bytes: [UInt8]) throws(FleetSnapshotError) -> FleetSnapshot {
    guard bytes.starts(with: FleetSnapshot.magic) else { throw .badMagic(Array(bytes.prefix(8))) }
    guard bytes.count >= FleetSnapshot.headerSize else {
      throw .truncated(expectedByteCount: FleetSnapshot.headerSize, actualByteCount: bytes.count)
    }
    let version: UInt32 = bytes.number(Field.version)
    guard version == FleetSnapshot.version else {
      throw .unsupportedVersion(found: Int(version), supported: Int(FleetSnapshot.version))
    }
    guard bytes.number(Field.headerChecksum) == FleetSnapshot.hash(bytes, 0..<Field.headerChecksum) else {
      throw .damaged(part: "header", reason: "its checksum does not match")
    }
    let fileSize: UInt64 = bytes.number(Field.fileSize)
    guard fileSize <= UInt64(bytes.count) else {
      throw .truncated(expectedByteCount: Int(clamping: fileSize), actualByteCount: bytes.count)
    }
    // Counts are held to what the file's size allows before any arithmetic on them.
    func count(_ field: Int, _ name: String, each size: Int) throws(FleetSnapshotError) -> Int {
      let value: UInt64 = bytes.number(field)
      guard value <= UInt64(bytes.count / size) else {
        throw .damaged(part: "header", reason: "\(value) \(name) in \(bytes.count) bytes")
      }
      return Int(value)
    }
    let layout = FleetSnapshot(
      deviceCount: try count(Field.deviceCount, "devices", each: FleetSnapshot.deviceSize),
      occupiedCount: try count(Field.occupiedCount, "regions", each: 4),
      hasDues: bytes.number(Field.delay, as: Int64.self) != 0,
      nameCount: try count(Field.nameCount, "names", each: 8),
      nameByteCount: try count(Field.nameByteCount, "bytes of names", each: 1),
      ruleByteCount: try count(Field.ruleByteCount, "bytes of a rule", each: 1))
    guard bytes.number(Field.headerSize, as: UInt32.self) == UInt32(FleetSnapshot.headerSize),
      fileSize == UInt64(bytes.count),
      layout.fileSize == bytes.count
    else { throw .damaged(part: "header", reason: "\(bytes.count) bytes where \(layout.fileSize) belong") }
    guard
      bytes.number(Field.bodyChecksum)
        == FleetSnapshot.hash(bytes, FleetSnapshot.headerSize..<bytes.count)
    else { throw .damaged(part: "body", reason: "its checksum does not match") }
    return layout
  }
}

extension DeviceNames {
  /// How many bytes all names take together.
  var byteCount: Int { count == 0 ? 0 : utf8(of: count - 1).endIndex }

  /// Writes where names end, and their bytes.
  func put(into target: inout [UInt8], ends: Int, at start: Int) {
    for number in 0..<count {
      let name = utf8(of: number)
      target.put(UInt64(name.endIndex), at: ends + 8 * number)
      target.replaceSubrange(start + name.startIndex..<start + name.endIndex, with: name)
    }
  }

  /// The names in a snapshot.
  init(
    _ source: [UInt8], count: Int, ends: Int, at start: Int, byteCount: Int
  ) throws(FleetSnapshotError) {
    self.init()
    reserveCapacity(count)
    var last = 0
    for number in 0..<count {
      let end: UInt64 = source.number(ends + 8 * number)
      guard end >= UInt64(last), end <= UInt64(byteCount) else {
        throw .damaged(part: "name \(number)", reason: "it ends at \(end)")
      }
      guard self.number(of: source[start + last..<start + Int(end)]) == number else {
        throw .damaged(part: "name \(number)", reason: "it is there twice")
      }
      last = Int(end)
    }
    guard last == byteCount else {
      throw .damaged(part: "names", reason: "\(last) bytes of \(byteCount)")
    }
  }

  private mutating func number(of name: ArraySlice<UInt8>) -> Int {
    self.number(of: name.span)
  }
}
