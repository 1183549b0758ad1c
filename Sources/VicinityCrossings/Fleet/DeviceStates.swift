package import VicinityIndex

/// All devices of a stream and where they are: what is kept in the middle of a run and between its batches,
/// whatever runs it.
///
/// The devices are divided among fleets: device d is number d / n in fleet d mod n of n.
package struct DeviceStates: Sendable {
  package var devices: DeviceNames
  /// What decides whether a fix may follow.
  package var order: TrackOrder
  /// What tells the regions from others.
  package var regions: RegionHashes
  /// A snapshot of each fleet that has devices, or of more, without its regions.
  package var fleets: [[UInt8]]

  package init(devices: DeviceNames, order: TrackOrder, regions: RegionHashes, fleets: [[UInt8]]) {
    self.devices = devices
    self.order = order
    self.regions = regions
    self.fleets = fleets
  }

  /// The files in which states are kept between batches. Each writer keeps something else besides the
  /// devices, and so goes on from its own files alone.
  package static func file(writtenBy writer: String) -> SealedBytes {
    SealedBytes("VICSTATE", version: 4, writer: writer)
  }

  package func append(to bytes: inout [UInt8]) {
    bytes.append(number: UInt64(devices.count))
    for device in 0..<devices.count { bytes.append(block: devices.utf8(of: device)) }
    order.append(to: &bytes)
    regions.append(to: &bytes)
    bytes.append(number: UInt64(fleets.count))
    for fleet in fleets { bytes.append(block: fleet) }
  }

  /// What ``append(to:)`` wrote, whatever the bytes are.
  package init(_ reader: inout ByteReader) throws(ByteReader.Failure) {
    devices = DeviceNames()
    for device in 0..<(try reader.count(each: 8)) {
      let name = try reader.block()
      guard devices.insert(String(decoding: name, as: UTF8.self)) == device else {
        throw ByteReader.Failure()
      }
    }
    order = try TrackOrder(&reader)
    guard order.deviceCount <= devices.count else { throw ByteReader.Failure() }
    regions = try RegionHashes(&reader)
    fleets = []
    for _ in 0..<(try reader.count(each: 8)) { fleets.append(Array(try reader.block())) }
  }
}
