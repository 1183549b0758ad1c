// Exact answers from indexes that know only centres: two certified constructions.
//
// Both rest on chord <= geodesic: a region whose centre is at chord c has a boundary distance of at least
// c - radius. So once 20 regions within T are known, every region that could still belong to the answer
// has its centre at a chord of at most T + (the largest radius).
#pragma once

#include "support.hpp"

namespace peers {

/// Geodesics for the k nearest centres give T; the rest of the disc is refined where its bound passes.
///
/// `Index` offers `circles`, `scratch`, `nearest(p, k, ids, squaredChords)` (how many were found, in
/// ascending order) and `within(p, chord, candidates)` (ordinals with squared chords).
struct TwoPhase {
  template <class Index>
  static void answer(
      Index &index, double lat, double lon, size_t k, uint32_t *ids, double *distances) {
    constexpr size_t most = 64;
    const Circles &circles = index.circles;
    const Point p = ecef(lat, lon);
    uint32_t first[most];
    double chords[most];
    const size_t found = index.nearest(p, std::min(k, most), first, chords);
    Best best(ids, distances, k);
    for (size_t i = 0; i < found; ++i) {
      best.offer(circles.boundaryDistance(lat, lon, first[i]), first[i]);
    }
    if (found < circles.count()) {
      Candidates &candidates = index.scratch;
      index.within(p, best.worst() + circles.largestRadius + slack, candidates);
      for (const auto &[id, squared] : candidates) {
        if (squared <= chords[found - 1] && std::find(first, first + found, id) != first + found) {
          continue;
        }
        if (std::sqrt(squared) - circles.radius[id] > best.worst() + slack) continue;
        best.offer(circles.boundaryDistance(lat, lon, id), id);
      }
    }
    best.finish();
  }
};

/// The sharper construction: T from the k-th smallest upper bound, without geodesics; then the disc in the
/// order of lower bounds, so that hardly more than k geodesics are solved.
struct Certified {
  template <class Index>
  static void answer(
      Index &index, double lat, double lon, size_t k, uint32_t *ids, double *distances) {
    constexpr size_t most = 64;
    const Circles &circles = index.circles;
    const Point p = ecef(lat, lon);
    uint32_t first[most];
    double chords[most];
    const size_t found = index.nearest(p, std::min(k, most), first, chords);
    double reach = std::numeric_limits<double>::infinity();
    if (found == k) {
      reach = -reach;
      for (size_t i = 0; i < found; ++i) {
        reach = std::max(
            reach, geodesicUpperBound(std::sqrt(chords[i])) - circles.radius[first[i]]);
      }
    }
    Candidates &candidates = index.scratch;
    index.within(p, reach + circles.largestRadius + slack, candidates);
    size_t kept = 0;
    for (const auto &[id, squared] : candidates) {
      const double lower = std::sqrt(squared) - circles.radius[id];
      if (lower <= reach + slack) candidates[kept++] = {id, lower};
    }
    candidates.resize(kept);
    std::sort(candidates.begin(), candidates.end(), [](const auto &l, const auto &r) {
      return l.second < r.second;
    });
    Best best(ids, distances, k);
    for (const auto &[id, lower] : candidates) {
      if (lower > best.worst() + slack) break;
      best.offer(circles.boundaryDistance(lat, lon, id), id);
    }
    best.finish();
  }
};

}  // namespace peers
