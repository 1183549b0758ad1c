internal import CPeers
import Foundation
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// The library of C++ peers, opened at run time and never closed: its functions stay valid.
@safe struct PeerLibrary {
  /// Every peer in it.
  private let peers: [vicinity_peer]
  /// The compiler that made it, with its flags.
  let compiler: String
  private let geodesicFunction: vicinity_geodesic_function
  private let validityFunction: vicinity_validity_function
  let crossings: CrossingFunctions

  init(contentsOf path: String) throws {
    guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw Failure("cannot open \(path): \(unsafe dlerror().map { unsafe String(cString: $0) } ?? "")")
    }
    func symbol(_ name: String) throws -> UnsafeMutableRawPointer {
      guard let symbol = unsafe dlsym(handle, name) else { throw Failure("\(path) lacks \(name)") }
      return unsafe symbol
    }
    // SAFETY: libpeers is compiled from the very header these types come from.
    let list = unsafe unsafeBitCast(
      try symbol("vicinity_peers"), to: vicinity_peers_function.self)
    var count = 0
    let first = unsafe list(&count)
    unsafe peers = Array(UnsafeBufferPointer(start: first, count: count))
    let compiler = unsafe unsafeBitCast(
      try symbol("vicinity_compiler"), to: vicinity_compiler_function.self)
    self.compiler = unsafe compiler().map { unsafe String(cString: $0) } ?? ""
    unsafe geodesicFunction = unsafeBitCast(
      try symbol("vicinity_geodesic"), to: vicinity_geodesic_function.self)
    unsafe validityFunction = unsafeBitCast(
      try symbol("vicinity_validity"), to: vicinity_validity_function.self)
    unsafe crossings = CrossingFunctions(
      build: unsafeBitCast(
        try symbol("vicinity_crossings_build"), to: vicinity_crossings_build_function.self),
      run: unsafeBitCast(try symbol("vicinity_crossings_run"), to: vicinity_crossings_run_function.self),
      destroy: unsafeBitCast(
        try symbol("vicinity_crossings_destroy"), to: vicinity_crossings_destroy_function.self))
  }

  /// Thread-CPU nanoseconds of one `geod_inverse`, over the legs between consecutive positions: the
  /// machine's speed of the moment.
  func geodesicNanoseconds(_ queries: Queries, count: Int) -> Double {
    let count = min(count, queries.count - 1)
    let start = Clock.thread
    let sum = unsafe queries.latitudes.withUnsafeBufferPointer { latitudes in
      unsafe queries.longitudes.withUnsafeBufferPointer { longitudes in
        guard let lat = latitudes.baseAddress, let lon = longitudes.baseAddress else { return 0.0 }
        return unsafe geodesicFunction(count, lat, lon, lat + 1, lon + 1)
      }
    }
    let elapsed = Clock.thread - start
    precondition(sum.isFinite)
    return elapsed / Double(max(count, 1))
  }

  /// Thread-CPU nanoseconds in which GEOS makes a polygon of a ring and judges it.
  func validityNanoseconds(_ ring: [Coordinate]) throws -> Double {
    var vertices = ring.flatMap { [$0.longitude, $0.latitude] }
    vertices += vertices.prefix(2)
    var isValid: Int32 = 0
    let nanoseconds = unsafe vertices.withUnsafeBufferPointer { vertices in
      guard let first = vertices.baseAddress else { return 0.0 }
      return unsafe validityFunction(vertices.count / 2, first, &isValid)
    }
    guard isValid == 1 else { throw Failure("GEOS calls a ring invalid that is simple") }
    return nanoseconds
  }

  func build(_ name: String, _ circles: Circles) throws -> Peer {
    if let i = unsafe peers.firstIndex(where: { unsafe String(cString: $0.name) == name }) {
      return unsafe Peer(peers[i], circles)
    }
    throw Failure("no peer named \(name)")
  }
}

/// A peer with its index built; it owns the index, and frees it.
@safe final class Peer: Contestant {
  let name: String
  let isExact: Bool
  let buildCost: Cost?
  let bytes: Double?
  private let peer: vicinity_peer
  private let index: UnsafeMutableRawPointer?

  init(_ peer: vicinity_peer, _ circles: Circles) {
    unsafe self.peer = peer
    name = unsafe String(cString: peer.name)
    isExact = unsafe peer.exact != 0
    let built = unsafe circles.latitudes.withUnsafeBufferPointer { latitudes in
      unsafe circles.longitudes.withUnsafeBufferPointer { longitudes in
        unsafe circles.radii.withUnsafeBufferPointer { radii in
          var input = unsafe vicinity_circles(
            count: circles.count, latitude: latitudes.baseAddress,
            longitude: longitudes.baseAddress, radius: radii.baseAddress)
          return unsafe peer.build(&input)
        }
      }
    }
    unsafe index = built.index
    buildCost = unsafe Cost(wall: built.wall_seconds, cpu: built.cpu_seconds)
    bytes = unsafe built.bytes
  }

  deinit {
    unsafe peer.destroy(index)
  }

  func run(_ queries: Queries, count: Int, into answers: inout Answers) throws {
    let k = answers.k
    unsafe queries.latitudes.withUnsafeBufferPointer { latitudes in
      unsafe queries.longitudes.withUnsafeBufferPointer { longitudes in
        unsafe answers.ids.withUnsafeMutableBufferPointer { ids in
          unsafe answers.distances.withUnsafeMutableBufferPointer { distances in
            unsafe answers.batchNanoseconds.withUnsafeMutableBufferPointer { batches in
              // SAFETY: `Answers` has room for `count` queries, checked by the harness.
              var batch = unsafe vicinity_queries(
                count: count, latitude: latitudes.baseAddress, longitude: longitudes.baseAddress,
                k: k, batch: Answers.batch, ids: ids.baseAddress, distances: distances.baseAddress,
                batch_nanoseconds: batches.baseAddress)
              unsafe peer.query(index, &batch)
            }
          }
        }
      }
    }
  }
}
