import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

/// The convenient calls lend out working memory: from any thread, after any failure, for any size of query.
@Suite struct ScratchPoolTests {
  @Test func threadsShareNothing() async throws {
    let regions = RegionFamily.clustered.circles(3000, seed: 12)
    let index = try RegionIndex(regions)
    let positions = RegionFamily.clustered.positions(200, among: regions, seed: 12)
    let expected = try positions.map { try index.nearest(20, to: $0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<16 {
        group.addTask {
          for (i, position) in positions.enumerated() {
            // Sizes differ, so that memory left over from one query is wrong for the next.
            if (i + task) % 7 == 0 { _ = try index.nearest(500 + task, to: position) }
            if (i + task) % 11 == 0 { _ = try? index.nearest(-1, to: position) }
            #expect(try index.nearest(20, to: position) == expected[i])
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
