import Harness

@testable internal import VicinityFormats
@testable internal import VicinityText

/// Any bytes as a packed file: unpacked or refused, to the same bytes whether asked for much or little at
/// once, in bounded memory.
@_cdecl("FuzzPacked_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  let path = scratchPath("packed")
  return fuzz(count, arguments, seeds: seeds) { input in
    for compression in Compression.allCases {
      // What is no such file at its start is refused at once; the start is therefore given to it.
      let bytes = start(compression) + input
      write(bytes, to: path)
      let much = unpacked(path, compression, pieceByteCount: 1 << 20)
      let little = unpacked(path, compression, pieceByteCount: 4099)
      guard much == little else { finding("\(compression): pieces differ") }
    }
    write(input, to: path)
    _ = try? RegionReader.read(path)
  }
}

private func start(_ compression: Compression) -> [UInt8] {
  switch compression {
  case .gzip: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
  case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
  case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
  case .bzip2: Array("BZh9".utf8)
  }
}

/// The first bytes of the unpacked file, and whether that is all of it; `nil` for a damaged one.
private func unpacked(_ path: String, _ compression: Compression, pieceByteCount: Int) -> [UInt8]? {
  let most = 1 << 22
  guard let source = try? ByteSource(path), (try? source.unpack(compression, after: [])) != nil else {
    return nil
  }
  var bytes: [UInt8] = []
  do {
    while bytes.count < most {
      let piece = try source.read(min(pieceByteCount, most - bytes.count))
      if piece.isEmpty { break }
      bytes += piece
    }
  } catch {
    return nil
  }
  return bytes
}

private let seeds: [[UInt8]] = [
  // "id,lat,lon,radius\n" by zstd without its first four bytes, and the rest of an empty bzip2 file.
  [0x20, 0x12, 0x91, 0x00, 0x00] + Array("id,lat,lon,radius\n".utf8),
  [0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0],
  [0x03, 0x00], [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x03, 0x00, 0, 0, 0, 0, 0, 0, 0, 0],
]
