#if Store
  import Foundation
  import Testing
  import VicinityMonitor
  import VicinityStore
  import VicinityTestSupport

  @Suite struct StoreLockTests {
    @Test func opensANameOnce() throws {
      let folder = StoreFolder()
      let store = try folder.records.open("home")
      #expect(throws: RecordStoreError.alreadyOpen(name: "home")) { try folder.records.open("home") }
      // Another name, also one that differs in case only, is another store.
      for other in ["work", "Home", "HOME"] { try folder.records.open(other).close() }
      // Another way to the same folder is no way around.
      let link = TemporaryFile.path("link")
      defer { TemporaryFile.remove(link) }
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
      #expect(throws: RecordStoreError.alreadyOpen(name: "home")) {
        try SQLiteRecords(folder: link).open("home")
      }
      store.close()
      #expect(throws: RecordStoreError.closed) { try store.load() }
      #expect(throws: RecordStoreError.closed) { try store.commit([]) }
      store.close()
      try folder.records.open("home").close()
    }

    @Test func lettingGoCloses() throws {
      let folder = StoreFolder()
      var store: (any RecordStore)? = try folder.records.open("home")
      #expect(store != nil)
      store = nil
      try folder.records.open("home").close()
    }

    @Test func opensANameInOneProcess() throws {
      let folder = StoreFolder()
      let store = try folder.records.open("home")
      #expect(try HelperRun(["hold", folder.path, "home"]).line() == "alreadyOpen")
      store.close()
      let other = try HelperRun(["hold", folder.path, "home"])
      #expect(other.line() == "success")
      #expect(throws: RecordStoreError.alreadyOpen(name: "home")) { try folder.records.open("home") }
      // The lock dies with the process, however that ends.
      other.kill()
      _ = other.lines()
      #expect(other.wasKilled)
      try folder.records.open("home").close()
      let third = try HelperRun(["hold", folder.path, "home"])
      #expect(third.line() == "success")
      third.closeInput()
      _ = third.lines()
      try folder.records.open("home").close()
    }

    @Test func refusesNames() {
      let folder = StoreFolder()
      for name in ["", "a b", "../a", "\u{E4}", "a\0", "a.b", "a_b"] {
        #expect(throws: RecordStoreError.invalidName(name)) { try folder.records.open(name) }
      }
      let long = String(repeating: "x", count: 201)
      #expect(throws: RecordStoreError.invalidName(long)) { try folder.records.open(long) }
    }

    /// A file for each name, in small letters only, no longer than file systems take.
    @Test func namesOfFiles() throws {
      let folder = StoreFolder()
      var files: Set<String> = []
      for bits in 0..<1 << 7 {
        let name = "aBcdefg".enumerated().map { bits >> $0 & 1 == 0 ? $1.lowercased() : $1.uppercased() }
          .joined()
        let file = folder.records.path(of: name)
        let last = URL(fileURLWithPath: file).lastPathComponent
        #expect(last == last.lowercased())
        files.insert(last)
      }
      #expect(files.count == 1 << 7)
      for letter in ["x", "X", "9"] {
        try folder.records.open(String(repeating: letter, count: 200)).close()
      }
    }

    /// A file by two names would have two locks.
    @Test func refusesOtherNamesOfAFile() throws {
      let folder = StoreFolder()
      try folder.records.open("home").close()
      let home = folder.records.path(of: "home")
      try FileManager.default.createSymbolicLink(
        atPath: folder.records.path(of: "soft"), withDestinationPath: home)
      #expect(RecordStoreError.kind { _ = try folder.records.open("soft") } == "unavailable")
      try FileManager.default.linkItem(atPath: home, toPath: folder.records.path(of: "hard"))
      #expect(RecordStoreError.kind { _ = try folder.records.open("hard") } == "unavailable")
      #expect(RecordStoreError.kind { _ = try folder.records.open("home") } == "unavailable")
      TemporaryFile.remove(folder.records.path(of: "hard"))
      try folder.records.open("home").close()
    }
  }
#endif
