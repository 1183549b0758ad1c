extension Fleet {
  /// The latest fix of all devices; `nil` before the first.
  package var latestTime: Timestamp? {
    var latest: Timestamp?
    for device in 0..<deviceCount {
      if let time = lastTime(of: device), latest.map({ $0 < time }) ?? true { latest = time }
    }
    return latest
  }

  /// Who was in a region that is no longer there, each with the region's number in the batches before.
  ///
  /// - Parameters:
  ///   - time: The latest fix of all devices, of this fleet and of others beside it: regions were last there
  ///     then.
  ///   - number: A device's number among all by the one that it has here.
  package func ended(at time: Timestamp, number: (Int) -> Int) -> [EventRecord] {
    var records: [EventRecord] = []
    for ended in regionChanges?.ended ?? [] {
      guard let seen = lastTime(of: ended.device), let place = lastCoordinate(of: ended.device) else {
        continue
      }
      records.append(
        EventRecord(
          removed: UInt32(ended.ordinal), seen: seen, at: place, time: time, device: number(ended.device)))
    }
    return records
  }
}
