import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityIndex

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files are written whole or not at all, and only where files belong.
@Suite final class IndexWritingTests {
  let directory: String
  let index: RegionIndex

  init() throws {
    directory = TemporaryFile.path("writing")
    #expect(unsafe mkdir(directory, 0o755) == 0)
    index = try RegionIndex(try IndexSample.regions())
  }

  deinit { TemporaryFile.remove(directory) }

  func path(_ name: String) -> String { "\(directory)/\(name)" }

  var names: [String] { TemporaryFile.names(directory) }

  func mode(_ path: String) -> mode_t {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode : 0
  }

  func code(_ body: () throws(IndexFormatError) -> Void) -> Int32? {
    do {
      try body()
      return nil
    } catch {
      guard case .system(_, _, let code, let message) = error else { return -1 }
      #expect(!message.isEmpty)
      return code
    }
  }

  @Test func fingerprintsTellIndexesApart() throws {
    let regions = RegionFamily.dense.circles(300, seed: 9)
    let index = try RegionIndex(regions)
    #expect(try RegionIndex(regions).fingerprint == index.fingerprint)
    #expect(try RegionIndex(RegionSet(regions), threads: 1).fingerprint == index.fingerprint)
    #expect(try RegionIndex(regions.reversed()).fingerprint != index.fingerprint)
    #expect(try RegionIndex([Region]()).fingerprint != index.fingerprint)
  }

  @Test("An index that is built in its file has the bytes of one that is built in memory")
  func buildsInTheFile() throws {
    let (inMemory, inFile) = (path("memory.vicinity"), path("file.vicinity"))
    var sets: [[Region]] = RegionFamily.allCases.map { $0.circles(700, seed: 21) }
    // Whole pages of leaves, and none at all.
    sets.append(RegionFamily.uniform.circles(70_000, seed: 22))
    sets += [[], [Region(identifier: "", center: Coordinate(latitude: 1, longitude: 2), radius: 3)]]
    sets.append(try IndexSample.regions(circles: 300, polygons: 40))
    for regions in sets {
      try RegionIndex(regions).write(to: inMemory)
      for threads in [1, 3] {
        let byteCount = try RegionIndex.write(RegionSet(regions), to: inFile, threads: threads)
        let bytes = try FileSystem.readWhole(inFile)
        #expect(bytes.count == byteCount)
        #expect(try bytes == FileSystem.readWhole(inMemory), "\(regions.count) regions")
      }
      try RegionIndex(contentsOf: inFile, verifying: .contents).verify()
    }
    #expect(names == ["file.vicinity", "memory.vicinity"])
  }

  @Test("What cannot be built or written in a file leaves what is there as it was")
  func refusesToBuildInTheFile() throws {
    let file = path("kept.vicinity")
    try index.write(to: file)
    let before = try FileSystem.readWhole(file)
    let circle = Region(identifier: "twice", center: Coordinate(latitude: 1, longitude: 2), radius: 3)
    #expect(throws: RegionError.duplicateIdentifier("twice", first: 0, second: 1)) {
      try RegionIndex.write(RegionSet([circle, circle]), to: file)
    }
    #expect(throws: IndexFormatError.self) {
      try RegionIndex.write(RegionSet([circle]), to: path("nowhere/a.vicinity"))
    }
    #expect(throws: IndexFormatError.self) { try RegionIndex.write(RegionSet([circle]), to: directory) }
    #expect(try FileSystem.readWhole(file) == before)
    #expect(names == ["kept.vicinity"])
  }

  @Test func replacesWholeFilesOnly() throws {
    let file = path("a.vicinity")
    try index.write(to: file)
    let old = try RegionIndex(contentsOf: file)
    let other = try RegionIndex(RegionFamily.ring.circles(50, seed: 1))
    try other.write(to: file)
    #expect(names == ["a.vicinity"])
    // Who has the old file mapped keeps it.
    try old.verify(contents: true)
    #expect(old.count == index.count)
    #expect(try RegionIndex(contentsOf: file).count == 50)
    // Also the index that is being replaced by itself.
    let mapped = try RegionIndex(contentsOf: file)
    try mapped.write(to: file)
    try mapped.verify(contents: true)
    #expect(try RegionIndex(contentsOf: file).count == 50)
  }

  @Test func followsLinksAndKeepsPermissions() throws {
    let file = path("target.vicinity")
    let link = path("link.vicinity")
    let second = path("second.vicinity")
    #expect(unsafe symlink("target.vicinity", link) == 0)
    #expect(unsafe symlink(link, second) == 0)
    try index.write(to: second)
    #expect(mode(link) & S_IFMT == S_IFLNK && mode(second) & S_IFMT == S_IFLNK)
    #expect(mode(file) & S_IFMT == S_IFREG)
    #expect(unsafe chmod(file, 0o600) == 0)
    try index.write(to: link)
    #expect(mode(file) & 0o7777 == 0o600)
    try RegionIndex(contentsOf: second).verify()
    #expect(names == ["link.vicinity", "second.vicinity", "target.vicinity"])
    let loop = path("loop")
    #expect(unsafe symlink("loop", loop) == 0)
    #expect(code { () throws(IndexFormatError) in try index.write(to: loop) } == ELOOP)
  }

  @Test func refusesWhatIsNoFile() throws {
    let pipe = path("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    for place in [pipe, directory, "/dev/null", "/dev/full"] {
      let before = mode(place)
      #expect(code { () throws(IndexFormatError) in try index.write(to: place) } == EINVAL, "\(place)")
      #expect(
        code { () throws(IndexFormatError) in _ = try RegionIndex(contentsOf: place) } == EINVAL, "\(place)")
      #expect(try !RegionIndex.isIndexFile(place))
      #expect(mode(place) == before)
    }
    #expect(names == ["pipe"])
    let nul = path("a\0b")
    #expect(code { () throws(IndexFormatError) in try index.write(to: nul) } == EINVAL)
    #expect(code { () throws(IndexFormatError) in _ = try RegionIndex(contentsOf: nul) } == EINVAL)
    #expect(code { () throws(IndexFormatError) in _ = try RegionIndex(contentsOf: "") } == ENOENT)
    #expect(code { () throws(IndexFormatError) in _ = try RegionIndex(contentsOf: path("none")) } == ENOENT)
    #expect(
      code { () throws(IndexFormatError) in try index.write(to: path("none/a.vicinity")) } == ENOENT)
    #expect(names == ["pipe"])
  }

  @Test func leavesNothingBehindWhenItFails() throws {
    let locked = path("locked")
    #expect(unsafe mkdir(locked, 0o500) == 0)
    // The superuser may write anywhere.
    if geteuid() != 0 {
      #expect(
        code { () throws(IndexFormatError) in try index.write(to: locked + "/a.vicinity") } == EACCES)
    }
    // A name too long for the file system: found out only when the file is renamed.
    let long = path(String(repeating: "x", count: 300))
    #expect(code { () throws(IndexFormatError) in try index.write(to: long) } == ENAMETOOLONG)
    #expect(names == ["locked"])
    // What is told is the path that was given, and not the temporary's.
    for missing in [path("none/a.vicinity"), locked + "/none/a.vicinity"] {
      let error = #expect(throws: IndexFormatError.self) { try index.write(to: missing) }
      #expect(error.map { "\($0)".contains(missing) && !"\($0)".contains(".partial") } == true)
    }
    try index.write(to: path(String(repeating: "x", count: 255)))
    #expect(unsafe chmod(locked, 0o700) == 0)
  }

  #if os(Linux)
    @Test func fullDevicesAreReported() throws {
      let file = try OpenFile("/dev/full", .writing)
      do throws(FileError) {
        try file.write([UInt8](repeating: 1, count: 100_000))
        Issue.record("nothing is thrown")
      } catch {
        #expect(error.operation == "write" && error.path == "/dev/full" && error.code == ENOSPC, "\(error)")
      }
    }
  #endif

  @Test func writersDoNotMeet() async throws {
    let file = path("shared.vicinity")
    let index = index
    try await withThrowingTaskGroup(of: Void.self) { group in
      for i in 0..<16 {
        group.addTask {
          let mine = i % 2 == 0 ? index : try RegionIndex(RegionFamily.dense.circles(2000, seed: 3))
          for _ in 0..<4 {
            try mine.write(to: file)
            let read = try RegionIndex(contentsOf: file)
            #expect([index.count, 2000].contains(read.count))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(names == ["shared.vicinity"])
  }

  @Test func damageStaysDamage() throws {
    var bytes = try IndexSample.bytes(index)
    bytes[bytes.count / 2] ^= 1
    let damaged = try RegionIndex(bytes: bytes, verifying: false)
    try damaged.write(to: path("copy"))
    #expect(throws: IndexFormatError.self) { try RegionIndex(contentsOf: path("copy")) }
  }
}
