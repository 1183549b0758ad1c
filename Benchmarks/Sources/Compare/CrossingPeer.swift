internal import CPeers
import Foundation

/// A state that differs from that at the fix before: what tests at fixes can see of crossings.
struct StateChange: Hashable, Comparable {
  /// The fix's number among all.
  var fix: UInt32
  var region: UInt32
  var isInside: Bool

  static func < (a: StateChange, b: StateChange) -> Bool { (a.fix, a.region) < (b.fix, b.region) }
}

/// A C++ program of Peers/crossings.cpp with its index built; it owns the index, and frees it.
@safe final class CrossingPeer {
  /// The one that targets are about.
  static let straightforward = "boost-straightforward"
  static let tuned = "boost-tuned"

  let name: String
  let buildCost: Cost
  private let functions: CrossingFunctions
  private let index: UnsafeMutableRawPointer?

  init(_ name: String, _ library: PeerLibrary, _ circles: Circles) {
    self.name = name
    functions = library.crossings
    let functions = functions
    let built = unsafe circles.latitudes.withUnsafeBufferPointer { latitudes in
      unsafe circles.longitudes.withUnsafeBufferPointer { longitudes in
        unsafe circles.radii.withUnsafeBufferPointer { radii in
          var input = unsafe vicinity_circles(
            count: circles.count, latitude: latitudes.baseAddress,
            longitude: longitudes.baseAddress, radius: radii.baseAddress)
          return unsafe functions.build(&input, name == Self.tuned ? 1 : 0)
        }
      }
    }
    unsafe index = built.index
    buildCost = unsafe Cost(wall: built.wall_seconds, cpu: built.cpu_seconds)
  }

  deinit {
    unsafe functions.destroy(index)
  }

  /// Finds all changes of state; `changes` is filled only when wanted, off the clock.
  ///
  /// - Returns: Thread-CPU nanoseconds.
  func run(_ tracks: Tracks, changes: inout [StateChange]?) -> Double {
    var nanoseconds = 0.0
    unsafe tracks.latitudes.withUnsafeBufferPointer { latitudes in
      unsafe tracks.longitudes.withUnsafeBufferPointer { longitudes in
        unsafe tracks.starts.withUnsafeBufferPointer { starts in
          unsafe starts.withMemoryRebound(to: size_t.self) { starts in
            // SAFETY: the columns are as long as the last start says.
            var input = unsafe vicinity_tracks(
              count: tracks.count, start: starts.baseAddress, latitude: latitudes.baseAddress,
              longitude: longitudes.baseAddress)
            var first: UnsafePointer<vicinity_state_change>?
            var count = 0
            nanoseconds = unsafe functions.run(index, &input, &first, &count)
            if changes != nil {
              changes = unsafe UnsafeBufferPointer(start: first, count: count).map {
                StateChange(fix: $0.fix, region: $0.region, isInside: $0.inside != 0)
              }
            }
          }
        }
      }
    }
    return nanoseconds
  }
}

/// The functions of Peers/crossings.cpp.
@safe struct CrossingFunctions {
  let build: vicinity_crossings_build_function
  let run: vicinity_crossings_run_function
  let destroy: vicinity_crossings_destroy_function
}
