#if Store
  /// SQLite's write-ahead log by the definition of its format (“The WAL-Mode File Format”,
  /// sqlite.org/walformat.html): which commits a log holds, whatever has been cut off or changed in it. It
  /// shares no code with SQLite.
  enum WriteAheadLog {
    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// Where in the log each commit ends, bytes from its beginning: those before the first frame that does
    /// not count.
    static func commitEnds(_ log: [UInt8]) -> [Int] {
      guard log.count >= headerSize else { return [] }
      let magic = number(log, 0)
      guard magic & ~1 == 0x377F_0682 else { return [] }
      let isBigEndian = magic & 1 == 1
      let pageSize = Int(number(log, 8))
      guard pageSize >= 512, pageSize <= 65536, pageSize & (pageSize - 1) == 0 else { return [] }
      var sum = Checksum(isBigEndian: isBigEndian)
      sum.add(log[0..<24])
      guard sum.first == number(log, 24), sum.second == number(log, 28) else { return [] }
      let salt = log[16..<24]
      var ends: [Int] = []
      var start = headerSize
      while start + frameHeaderSize + pageSize <= log.count {
        let page = start + frameHeaderSize
        sum.add(log[start..<start + 8])
        sum.add(log[page..<page + pageSize])
        guard log[start + 8..<start + 16] == salt, sum.first == number(log, start + 16),
          sum.second == number(log, start + 20), number(log, start) > 0
        else { break }
        start = page + pageSize
        // The size of the file after the commit, which only a commit's last frame has.
        if number(log, start - pageSize - frameHeaderSize + 4) > 0 { ends.append(start) }
      }
      return ends
    }

    private static func number(_ bytes: [UInt8], _ at: Int) -> UInt32 {
      bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private struct Checksum {
      let isBigEndian: Bool
      var first: UInt32 = 0
      var second: UInt32 = 0

      init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

      mutating func add(_ bytes: ArraySlice<UInt8>) {
        var i = bytes.startIndex
        while i + 8 <= bytes.endIndex {
          first &+= word(bytes, i) &+ second
          second &+= word(bytes, i + 4) &+ first
          i += 8
        }
      }

      private func word(_ bytes: ArraySlice<UInt8>, _ i: Int) -> UInt32 {
        let (a, b) = (UInt32(bytes[i]), UInt32(bytes[i + 1]))
        let (c, d) = (UInt32(bytes[i + 2]), UInt32(bytes[i + 3]))
        return isBigEndian ? a << 24 | b << 16 | c << 8 | d : d << 24 | c << 16 | b << 8 | a
      }
    }
  }
#endif
