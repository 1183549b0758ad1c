#if Store
  import Foundation
  import Testing
  import VicinityMonitor
  import VicinityStore
  import VicinityTestSupport

  /// The process is killed, and what is stored afterwards is what some first commits leave, all acknowledged
  /// ones among them.
  @Suite struct StoreCrashTests {
    /// What a killed process is found to have acknowledged and stored.
    private struct Remains {
      /// How many commits had returned.
      var acknowledged: Int
      var stored: StoredMonitor
    }

    private func remains(_ folder: StoreFolder, _ lines: [String], from start: Int) throws -> Remains {
      Remains(
        acknowledged: start + lines.count { Int($0) != nil }, stored: try folder.load())
    }

    /// Kills at each of SQLite's changes to files in turn, before it and in the middle of it: from making the
    /// store to closing it, with a dozen commits and a checkpoint in between; in the long tests with thirty,
    /// of three scripts.
    @Test func survivesBeingKilledAtEveryWrite() throws {
      let count = isLong ? 30 : 12
      for seed in 1...UInt64(isLong ? 3 : 1) {
        let states = RecordScript.states(count, seed: seed)
        let whole = StoreFolder()
        let lines = try HelperRun(["run", whole.path, "\(seed)", "0", "\(count)", "0", "0"]).lines()
        let words = try #require(lines.last).split(separator: " ")
        let calls = try #require(words.count > 1 ? Int(words[1]) : nil)
        #expect(calls > 90, "seed \(seed)")
        // One after the last is none: every change has had its turn.
        for call in 1...calls + 1 {
          for torn in [0, 1] {
            let folder = StoreFolder()
            let run = try HelperRun(["run", folder.path, "\(seed)", "0", "\(count)", "\(call)", "\(torn)"])
            let lines = run.lines()
            let place = "seed \(seed), killed at call \(call) of \(calls), torn \(torn)"
            #expect(run.wasKilled == (call <= calls), "\(place)")
            let found = try remains(folder, lines, from: 0)
            let possible = states[found.acknowledged...min(count, found.acknowledged + 1)]
            #expect(possible.contains(found.stored), "\(place): \(found.acknowledged) acknowledged")
          }
        }
      }
    }

    /// One store through many deaths, at random writes or from outside: the script goes on where the store
    /// is.
    @Test func goesOnAfterManyDeaths() throws {
      for seed in 10..<UInt64(isLong ? 60 : 12) {
        let count = 120
        let states = RecordScript.states(count, seed: seed)
        let folder = StoreFolder()
        var random = SplitMix64(seed: seed)
        var done = 0
        var deaths = 0
        while done < count {
          // The first death is at a write, as a kill from outside may come when all is done.
          let isInside = random.below(2) == 0 || deaths == 0
          let call = isInside ? 1 + random.below(deaths == 0 ? 60 : 250) : 0
          let run = try HelperRun(
            ["run", folder.path, "\(seed)", "\(done)", "\(count)", "\(call)", "\(random.below(2))"])
          var lines: [String] = []
          let patience = isInside ? Int.max : random.below(30)
          while let line = run.line() {
            lines.append(line)
            if lines.count == patience { run.kill() }
          }
          lines += run.lines()
          if run.wasKilled { deaths += 1 }
          let found = try remains(folder, lines, from: done)
          // What was killed from outside may have gone on while it was being read.
          let last = isInside ? min(count, found.acknowledged + 1) : count
          let next = (found.acknowledged...last).first { states[$0] == found.stored }
          done = try #require(next, "seed \(seed), \(deaths) deaths: \(found.acknowledged) acknowledged")
        }
        #expect(deaths > 0)
        #expect(try folder.load() == states[count], "seed \(seed)")
      }
    }
  }
#endif
