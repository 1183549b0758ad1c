internal import VicinityGeodesy
public import VicinityIndex

/// The format of a fleet's snapshot. All numbers are little-endian; offsets and lengths in bytes.
///
/// Header, 128 bytes:
///
/// | offset | | |
/// | --- | --- | --- |
/// | 0 | `VICFLEET` | |
/// | 8 | version | UInt32 |
/// | 12 | 128 | UInt32 |
/// | 16 | length of the file | UInt64 |
/// | 24 | fingerprint of the index | UInt64 |
/// | 32, 40 | longest gap, loitering delay or 0 | Int64, microseconds |
/// | 48, 56, 64, 72 | devices, occupied regions of all, names, bytes of names | UInt64 |
/// | 80, 88, 96 | fixes taken, repeats dropped, invalid fixes dropped | UInt64 |
/// | 104 | bytes of the rule's section: 0 for the geometric rule, all its crossings reported | UInt64 |
/// | 112 | XXH64 of all behind the header | UInt64 |
/// | 120 | XXH64 of the header up to here | UInt64 |
///
/// Then, each on a multiple of eight bytes and filled up with zeros:
///
/// - devices, 32 bytes each: time of the last fix (Int64, microseconds), latitude, longitude (Float64;
///   latitude NaN for a device not yet seen), how many regions it occupies (UInt32), how wide neighbourhoods
///   were last (Float32, metres);
/// - ordinals of occupied regions, UInt32, device after device, ascending in each;
/// - with a loitering delay: when each of these has lasted for it, Int64, microseconds; `Int64.max` once
///   reported;
/// - where each name ends, UInt64; the names' bytes;
/// - the rule's section (``FleetRuleSection``);
/// - where it is not kept elsewhere, what tells the regions from others (``RegionHashes``).
private enum FleetSnapshot {
  static let magic = Array("VICFLEET".utf8)
  static let version: UInt32 = 2
  static let headerSize = 128
  static let deviceSize = 32
}

extension Fleet {
  // MARK: Writing

  /// Writes the state of all devices to a file, whole or not at all: to a temporary beside it, synchronised,
  /// then renamed.
  ///
  /// - Parameters:
  ///   - path: Where the file will be; a file there is replaced.
  ///   - names: The devices' names, to be kept with them.
  /// - Throws: ``FleetSnapshotError/system(operation:path:code:message:)``; what was at `path` is unchanged
  ///   then.
  /// - Complexity: O(devices + occupied regions + names + the index's bytes)
  public func write(to path: String, names: DeviceNames = DeviceNames()) throws(FleetSnapshotError) {
    do throws(FileError) {
      try FileSystem.writeWhole(snapshot(names: names), to: path)
    } catch {
      throw FleetSnapshotError(error)
    }
  }

  /// The bytes that ``write(to:names:)`` writes: the same for the same state.
  public func snapshot(names: DeviceNames = DeviceNames()) -> [UInt8] {
    snapshot(names: names, regions: RegionHashes(index).naming(occupied, index.identifier))
  }

  /// The ordinals of all regions that some device is in.
  package var occupied: Set<Int> {
    (0..<deviceCount).reduce(into: []) { all, device in all.formUnion(occupied(by: device)) }
  }

  /// The same, with this said of the regions; with nil nothing is.
  package func snapshot(names: DeviceNames = DeviceNames(), regions: RegionHashes?) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: FleetSnapshot.headerSize)
    var ordinals: [UInt8] = []
    var dues: [UInt8] = []
    for device in 0..<deviceCount {
      let state = state(of: device)
      bytes.append(number: state.time)
      bytes.append(number: state.latitude)
      bytes.append(number: state.longitude)
      bytes.append(number: state.occupiedCount)
      bytes.append(number: state.margin.bitPattern)
      for i in 0..<Int(state.occupiedCount) {
        ordinals.append(number: state.ordinal(at: i))
        if engine.delay != nil { dues.append(number: state.due(at: i)) }
      }
    }
    bytes += ordinals
    bytes.pad()
    bytes += dues
    for number in 0..<names.count { bytes.append(number: UInt64(names.utf8(of: number).endIndex)) }
    for number in 0..<names.count { bytes += names.utf8(of: number) }
    bytes.pad()
    let rule = ruleSection.bytes
    bytes += rule
    regions?.append(to: &bytes)

    var header = FleetSnapshot.magic
    header.append(number: FleetSnapshot.version)
    header.append(number: UInt32(FleetSnapshot.headerSize))
    header.append(number: UInt64(bytes.count))
    header.append(number: index.fingerprint)
    header.append(number: engine.maximumGap)
    header.append(number: engine.delay ?? 0)
    let nameByteCount = names.count == 0 ? 0 : names.utf8(of: names.count - 1).endIndex
    for count in [
      deviceCount, ordinals.count / 4, names.count, nameByteCount, counts.fixes, counts.repeats,
      counts.invalid,
      rule.count,
    ] { header.append(number: UInt64(count)) }
    header.append(number: bytes[FleetSnapshot.headerSize...].checksum)
    header.append(number: header.checksum)
    bytes.replaceSubrange(..<FleetSnapshot.headerSize, with: header)
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

  /// A fleet as it was when a file was written: given the same fixes from there, it reports the same
  /// crossings.
  ///
  /// The regions may have changed since: what is known of those that are the same stays, and
  /// ``Fleet/regionChanges`` says what has changed, and who was in a region that is no longer there.
  ///
  /// - Parameters:
  ///   - path: A regular file.
  ///   - index: The regions. Where none of them was watched before, they are refused.
  ///   - names: Gets the devices' names, in place of what it held.
  /// - Throws: ``FleetSnapshotError``.
  /// - Complexity: O(bytes + the index's bytes)
  public static func restored(
    from path: String, index: RegionIndex, names: inout DeviceNames
  ) throws(FleetSnapshotError) -> Fleet {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileSystem.readWhole(path)
    } catch {
      throw FleetSnapshotError(error)
    }
    return try restored(fromSnapshot: bytes, index: index, names: &names)
  }

  /// A fleet from the bytes of a snapshot, wherever they come from: whatever they are, a fleet or an error.
  ///
  /// - Throws: ``FleetSnapshotError``; `names` is unchanged then.
  public static func restored(
    fromSnapshot bytes: [UInt8], index: RegionIndex, names: inout DeviceNames
  ) throws(FleetSnapshotError) -> Fleet {
    try restored(fromSnapshot: bytes, index: index, names: &names, moves: nil)
  }

  /// The same where it is said elsewhere how the regions have changed.
  package static func restored(
    fromSnapshot bytes: [UInt8], index: RegionIndex, names: inout DeviceNames, moves: RegionMoves?
  ) throws(FleetSnapshotError) -> Fleet {
    do {
      var reader = try body(of: bytes)
      return try read(&reader, index, moves, &names)
    } catch let error as FleetSnapshotError {
      throw error
    } catch {
      throw .damaged(part: "body", reason: "its parts do not fit its \(bytes.count) bytes")
    }
  }

  /// Checks what a header says of the file as a whole, and both checksums; what follows is to be read next.
  private static func body(of bytes: [UInt8]) throws -> ByteReader {
    guard bytes.starts(with: FleetSnapshot.magic) else {
      throw FleetSnapshotError.badMagic(Array(bytes.prefix(8)))
    }
    let headerSize = FleetSnapshot.headerSize
    guard bytes.count >= headerSize else {
      throw FleetSnapshotError.truncated(expectedByteCount: headerSize, actualByteCount: bytes.count)
    }
    var reader = ByteReader(bytes[8...])
    let version: UInt32 = try reader.number()
    guard version == FleetSnapshot.version else {
      throw FleetSnapshotError.unsupportedVersion(
        found: Int(version), supported: Int(FleetSnapshot.version))
    }
    var checksums = ByteReader(bytes[(headerSize - 16)..<headerSize])
    let bodyChecksum: UInt64 = try checksums.number()
    guard try checksums.number() == bytes[..<(headerSize - 8)].checksum else {
      throw FleetSnapshotError.damaged(part: "header", reason: "its checksum does not match")
    }
    let statedSize: UInt32 = try reader.number()
    let fileSize: UInt64 = try reader.number()
    guard fileSize <= UInt64(bytes.count) else {
      throw FleetSnapshotError.truncated(
        expectedByteCount: Int(clamping: fileSize), actualByteCount: bytes.count)
    }
    guard statedSize == UInt32(headerSize), fileSize == UInt64(bytes.count) else {
      throw FleetSnapshotError.damaged(
        part: "header", reason: "\(bytes.count) bytes where \(fileSize) belong")
    }
    guard bodyChecksum == bytes[headerSize...].checksum else {
      throw FleetSnapshotError.damaged(part: "body", reason: "its checksum does not match")
    }
    return reader
  }

  /// Reads a snapshot from the index's fingerprint on.
  private static func read(
    _ reader: inout ByteReader, _ index: RegionIndex, _ given: RegionMoves?, _ names: inout DeviceNames
  ) throws -> Fleet {
    let found: UInt64 = try reader.number()
    let gap: Int64 = try reader.number()
    let delay: Int64 = try reader.number()
    let deviceCount = try reader.count(each: FleetSnapshot.deviceSize)
    let occupiedCount = try reader.count(each: 4)
    let nameCount = try reader.count(each: 8)
    let nameByteCount = try reader.count(each: 1)
    var counts = FixCounts()
    for path in [\FixCounts.fixes, \.repeats, \.invalid] {
      let value: UInt64 = try reader.number()
      // Room for as many again.
      guard value <= UInt64(Int.max) / 2 else {
        throw FleetSnapshotError.damaged(part: "header", reason: "\(value) fixes")
      }
      counts[keyPath: path] = Int(value)
    }
    let ruleByteCount = try reader.count(each: 1)
    // The checksums, which have been compared.
    _ = try reader.bytes(16)
    var devices = ByteReader(try reader.bytes(FleetSnapshot.deviceSize * deviceCount))
    var ordinals = ByteReader(try reader.bytes(4 * occupiedCount))
    try reader.skipPadding()
    var dues = ByteReader(try reader.bytes(delay == 0 ? 0 : 8 * occupiedCount))
    var nameEnds = ByteReader(try reader.bytes(8 * nameCount))
    let newNames = try DeviceNames(try reader.bytes(nameByteCount), count: nameCount, ends: &nameEnds)
    try reader.skipPadding()
    let section = try FleetRuleSection(reader.bytes(ruleByteCount), deviceCount: deviceCount)
    let table = reader.remaining == 0 ? nil : try RegionHashes(&reader)
    guard reader.remaining == 0 else { throw ByteReader.Failure() }
    let fingerprint = index.fingerprint
    let moves = found == fingerprint ? nil : given ?? table?.moves(to: RegionHashes(index))
    guard found == fingerprint || moves != nil else {
      throw FleetSnapshotError.otherIndex(found: found, expected: fingerprint)
    }

    let options = CrossingOptions(
      maximumGap: .microseconds(gap), dwell: delay == 0 ? nil : .microseconds(delay), rule: section.rule,
      notifyOnEntry: moves?.moved(section.notifyOnEntry) ?? section.notifyOnEntry,
      notifyOnExit: moves?.moved(section.notifyOnExit) ?? section.notifyOnExit)
    let engine: CrossingEngine
    do throws(CrossingOptionsError) {
      engine = CrossingEngine(.packed(index), validated: try options.validated())
    } catch {
      throw FleetSnapshotError.damaged(part: "header", reason: "\(error)")
    }
    var fleet = Fleet(index, engine, options, deviceCount: deviceCount)
    fleet.counts = counts
    let regionCount = moves?.earlierCount ?? index.count
    for device in 0..<deviceCount { try fleet.restore(device, regionCount, &devices, &ordinals, &dues) }
    guard ordinals.remaining == 0 else {
      throw FleetSnapshotError.damaged(part: "devices", reason: "fewer regions than \(occupiedCount)")
    }
    try fleet.restore(section, regionCount)
    if let moves { fleet.move(by: moves) }
    names = newNames
    return fleet
  }

  /// Gives the regions that devices are in or wait for their ordinals in another index, and says who is in
  /// those that are new.
  private mutating func move(by moves: RegionMoves) {
    var changes = moves.changes
    let hasDues = engine.delay != nil
    var scratch = DetectorScratch()
    for device in 0..<deviceCount {
      var before = state(of: device)
      guard before.isSeen else { continue }
      var occupied: [(ordinal: UInt32, due: Int64?)] = []
      for i in 0..<Int(before.occupiedCount) {
        let earlier = before.ordinal(at: i)
        if let ordinal = moves.ordinal(of: earlier) {
          occupied.append((ordinal, hasDues ? before.due(at: i) : nil))
        } else {
          changes.ended.append(
            RegionChanges.Ended(
              device: device, region: moves.identifier(of: earlier) ?? "", ordinal: Int(earlier)))
        }
      }
      var watches = before.undecided(hasDues: hasDues).compactMap { watch in
        moves.ordinal(of: watch.ordinal).map { WatchedRegion(ordinal: $0, since: watch.since) }
      }
      if !moves.added.isEmpty, !before.isNotBegun {
        engine.findContaining(before.coordinate, &scratch)
        for ordinal in scratch.containing where moves.added.contains(ordinal) {
          // Where accuracies decide, that of the next fix does.
          if engine.fixRule?.usesAccuracy == true {
            watches.append(WatchedRegion(ordinal: ordinal, since: RuleState.unknown))
          } else {
            occupied.append((ordinal, engine.due(after: before.time)))
            changes.begun.append(
              RegionChanges.Begun(
                device: device, ordinal: ordinal, time: Timestamp(microseconds: before.time)))
          }
        }
      }
      var state = DeviceState()
      state.move(to: before.coordinate, at: before.time)
      state.margin = before.margin
      state.reserve(occupied.count, hasDues: hasDues)
      for region in occupied.sorted(by: { $0.ordinal < $1.ordinal }) {
        state.insert(region.ordinal, due: region.due)
      }
      engine.updateDue(&state)
      if before.isNotBegun { state.nextDue = .min }
      state.setWatches(watches.sorted { $0.ordinal < $1.ordinal }, hasDues: hasDues)
      before.deallocate()
      setState(state, of: device)
    }
    regionChanges = changes
  }

  private mutating func restore(
    _ device: Int, _ regionCount: Int, _ devices: inout ByteReader, _ ordinals: inout ByteReader,
    _ dues: inout ByteReader
  ) throws {
    func damaged(_ reason: String) -> FleetSnapshotError {
      .damaged(part: "device \(device)", reason: reason)
    }
    var state = DeviceState()
    state.time = try devices.number()
    state.latitude = try devices.double()
    state.longitude = try devices.double()
    let count = Int(try devices.number(as: UInt32.self))
    state.margin = Float(bitPattern: try devices.number())
    guard state.isSeen ? state.coordinate.isValid : count == 0 else { throw damaged("no valid position") }
    guard state.margin >= 1, state.margin <= Float(Neighborhood.largestLimit) else {
      throw damaged("a neighbourhood of \(state.margin) m")
    }
    guard count <= ordinals.remaining / 4 else { throw damaged("\(count) regions, more than there are") }
    let hasDues = engine.delay != nil
    var last = -1
    state.reserve(count, hasDues: hasDues)
    for _ in 0..<count {
      let ordinal: UInt32 = try ordinals.number()
      let due: Int64? = hasDues ? try dues.number() : nil
      // The end of time stands for never: told already, or later than any instant.
      let isAhead = due.map { $0 > state.time || $0 == .max } ?? true
      guard Int(ordinal) > last, Int(ordinal) < regionCount, isAhead else {
        state.deallocate()
        throw damaged("region \(ordinal) or when it is due")
      }
      last = Int(ordinal)
      state.insert(ordinal, due: due)
    }
    engine.updateDue(&state)
    setState(state, of: device)
  }

  /// Puts what was pending or open into devices otherwise restored.
  private mutating func restore(
    _ section: FleetRuleSection, _ regionCount: Int
  ) throws(FleetSnapshotError) {
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
            Array(section.watches[start..<start + count]), fixRule, regionCount: regionCount,
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
}

extension DeviceNames {
  /// The names in a snapshot: their bytes, and where each ends.
  fileprivate init(_ bytes: ArraySlice<UInt8>, count: Int, ends: inout ByteReader) throws {
    self.init()
    var last = 0
    for number in 0..<count {
      let end: UInt64 = try ends.number()
      guard end >= UInt64(last), end <= UInt64(bytes.count) else {
        throw FleetSnapshotError.damaged(part: "name \(number)", reason: "it ends at \(end)")
      }
      let name = bytes.dropFirst(last).prefix(Int(end) - last)
      guard insert(name.span) == number else {
        throw FleetSnapshotError.damaged(part: "name \(number)", reason: "it is there twice")
      }
      last = Int(end)
    }
    guard last == bytes.count else {
      throw FleetSnapshotError.damaged(part: "names", reason: "\(last) bytes of \(bytes.count)")
    }
  }
}
