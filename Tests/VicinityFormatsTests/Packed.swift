import CFiles

@testable import VicinityFormats

/// Packs bytes in each of the ways that the readers unpack.
enum Packed {
  static func bytes(_ bytes: [UInt8], _ compression: Compression) -> [UInt8] {
    switch compression {
    case .gzip: Gzip.packed(bytes)
    case .zstd: zstd(bytes)
    case .xz: xz(bytes)
    case .bzip2: bzip2(bytes)
    }
  }

  private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
    let count = unsafe output.withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes {
        unsafe ZSTD_compress(target.baseAddress, target.count, $0.baseAddress, $0.count, 3)
      }
    }
    return Array(output.prefix(count))
  }

  private static func xz(_ bytes: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: lzma_stream_buffer_bound(bytes.count))
    let capacity = output.count
    var count = 0
    _ = unsafe output.withUnsafeMutableBufferPointer { target in
      unsafe bytes.withUnsafeBufferPointer {
        unsafe lzma_easy_buffer_encode(
          6, LZMA_CHECK_CRC64, nil, $0.baseAddress, $0.count, target.baseAddress, &count, capacity)
      }
    }
    return Array(output.prefix(count))
  }

  private static func bzip2(_ bytes: [UInt8]) -> [UInt8] {
    var source = bytes.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: bytes.count + bytes.count / 100 + 1024)
    var count = UInt32(output.count)
    let sourceCount = UInt32(source.count)
    _ = unsafe output.withUnsafeMutableBufferPointer { target in
      unsafe source.withUnsafeMutableBufferPointer {
        unsafe BZ2_bzBuffToBuffCompress(target.baseAddress, &count, $0.baseAddress, sourceCount, 9, 0, 0)
      }
    }
    return output.prefix(Int(count)).map { UInt8(bitPattern: $0) }
  }
}
