#if Store
  import Foundation
  import Testing
  import VicinityMonitor
  import VicinityStore
  import VicinityTestSupport

  /// No room, no permission.
  @Suite struct StoreRoomTests {
    /// A dozen of SQLite's changes to files, or each in the long tests, are in turn the first for which there
    /// is no room, for a while: what fails leaves nothing, and what is tried again succeeds.
    @Test func survivesAFullDisk() throws {
      let seed: UInt64 = 5
      let whole = StoreFolder()
      let lines = try HelperRun(["fail", whole.path, "\(seed)", "25", "0", "0"]).lines()
      #expect(try whole.load() == RecordScript.states(25, seed: seed)[25])
      let words = try #require(lines.last).split(separator: " ")
      let calls = try #require(words.count > 1 ? Int(words[1]) : nil)
      for call in stride(from: 1, through: calls, by: isLong ? 1 : max(1, calls / 12)) {
        for length in isLong ? [1, 2, 3, 7, 20] : [1 + call % 7] {
          let folder = StoreFolder()
          let run = try HelperRun(["fail", folder.path, "\(seed)", "25", "\(call)", "\(length)"]).lines()
          let place = "call \(call), \(length) failures"
          #expect(run.last?.hasPrefix("success") == true, "\(place): \(run)")
          #expect(try folder.load() == RecordScript.states(25, seed: seed)[25], "\(place)")
        }
      }
    }

    @Test func readOnlyFolderIsUnavailable() throws {
      let folder = StoreFolder()
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
      try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
      #expect(try HelperRun(["read-only", folder.path, "home"]).lines() == ["unavailable"])
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
      // A file that may be read and not written.
      try folder.records.open("home").close()
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o444], ofItemAtPath: folder.records.path(of: "home"))
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o666], ofItemAtPath: folder.records.path(of: "home") + ".lock")
      #expect(try HelperRun(["read-only", folder.path, "home"]).lines() == ["unavailable"])
    }

    @Test func placesThatAreNoFolders() throws {
      let file = TemporaryFile.path("file")
      defer { TemporaryFile.remove(file) }
      try TemporaryFile.write([1], to: file)
      for folder in [file, file + "/below", "a\0b"] {
        #expect(RecordStoreError.kind { _ = try SQLiteRecords(folder: folder).open("home") } == "unavailable")
      }
      let folder = StoreFolder()
      try FileManager.default.createDirectory(
        atPath: folder.records.path(of: "home"), withIntermediateDirectories: true)
      #expect(RecordStoreError.kind { _ = try folder.records.open("home") } == "unavailable")
    }
  }
#endif
