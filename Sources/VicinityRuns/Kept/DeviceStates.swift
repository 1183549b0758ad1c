internal import VicinityCrossings
internal import VicinityIndex

/// All devices of a run and where they are: what a checkpoint and the state between batches have in common.
package struct DeviceStates {
  var devices: DeviceNames
  /// What decides whether a fix may follow.
  var order: TrackOrder
  /// A snapshot of each shard's fleet.
  var fleets: [[UInt8]]
}

extension DeviceStates {
  func append(to bytes: inout [UInt8]) {
    bytes.append(number: UInt64(devices.count))
    for device in 0..<devices.count { bytes.append(block: devices.utf8(of: device)) }
    order.append(to: &bytes)
    bytes.append(number: UInt64(fleets.count))
    for fleet in fleets { bytes.append(block: fleet) }
  }

  init(_ reader: inout ByteReader) throws {
    devices = DeviceNames()
    order = TrackOrder()
    for device in 0..<(try reader.count(each: 8)) {
      let name = try reader.block()
      guard devices.insert(String(decoding: name, as: UTF8.self)) == device else {
        throw ByteReader.Failure()
      }
    }
    order = try TrackOrder(&reader)
    guard order.deviceCount <= devices.count else { throw ByteReader.Failure() }
    fleets = []
    for _ in 0..<(try reader.count(each: 8)) { fleets.append(Array(try reader.block())) }
  }
}

/// Files of a magic number, a version, a content and the checksum of all that.
struct SealedBytes {
  let magic: [UInt8]
  let version: UInt32

  init(_ magic: String, version: UInt32) {
    self.magic = Array(magic.utf8)
    self.version = version
  }

  enum Fault: Error {
    case damaged
    case otherVersion(UInt32)
  }

  /// The bytes of a file with the content that `append` adds.
  func seal(_ append: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = magic
    bytes.append(number: version)
    append(&bytes)
    bytes.append(number: bytes.checksum)
    return bytes
  }

  /// Reads the content of a file, all of it.
  func open<Content>(_ bytes: [UInt8], _ read: (inout ByteReader) throws -> Content) throws(Fault) -> Content
  {
    do {
      var end = ByteReader(bytes.suffix(8))
      guard bytes.count >= magic.count + 12, bytes.starts(with: magic),
        try end.number() == bytes.dropLast(8).checksum
      else { throw Fault.damaged }
      var reader = ByteReader(bytes[magic.count..<bytes.count - 8])
      let found: UInt32 = try reader.number()
      guard found == version else { throw Fault.otherVersion(found) }
      let content = try read(&reader)
      guard reader.remaining == 0 else { throw Fault.damaged }
      return content
    } catch let fault as Fault {
      throw fault
    } catch {
      throw .damaged
    }
  }
}
