// What the peers share: circles in the three forms they need, clocks, and the ordered list of the best k.
#pragma once

#include <geodesic.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "peers.h"

namespace peers {

constexpr double a = 6378137;
constexpr double f = 1 / 298.257223563;
constexpr double e2 = f * (2 - f);
constexpr double radians = M_PI / 180;
/// The smallest radius of curvature of any normal section: the meridian's at the equator.
constexpr double smallestCurvatureRadius = a * (1 - e2);

struct Point {
  double x, y, z;
};

inline Point ecef(double lat, double lon) {
  const double phi = lat * radians, lambda = lon * radians;
  const double n = a / std::sqrt(1 - e2 * std::sin(phi) * std::sin(phi));
  return {n * std::cos(phi) * std::cos(lambda), n * std::cos(phi) * std::sin(lambda),
          n * (1 - e2) * std::sin(phi)};
}

inline double squaredChord(const Point &p, const Point &q) {
  const double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
  return dx * dx + dy * dy + dz * dz;
}

inline const geod_geodesic &ellipsoid() {
  static const geod_geodesic g = [] {
    geod_geodesic g;
    geod_init(&g, a, f);
    return g;
  }();
  return g;
}

/// An upper bound on the geodesic over a chord, metres. A geodesic's curvature in space is the normal
/// curvature, at most 1/R with R the smallest radius; by Schur's comparison theorem its chord is at least
/// that of a circular arc of radius R and the same length. Infinite where the arc would pass a half circle.
inline double geodesicUpperBound(double chord) {
  const double sine = chord / (2 * smallestCurvatureRadius);
  return sine < 1 ? 2 * smallestCurvatureRadius * std::asin(sine)
                  : std::numeric_limits<double>::infinity();
}

/// Slack for rounding in coordinates, chords and geodesics, metres: a thousand times what they can err.
constexpr double slack = 1e-5;

struct Circles {
  std::vector<double> latitude, longitude, radius;
  double largestRadius = 0;

  explicit Circles(const vicinity_circles &c)
      : latitude(c.latitude, c.latitude + c.count),
        longitude(c.longitude, c.longitude + c.count),
        radius(c.radius, c.radius + c.count) {
    for (double r : radius) largestRadius = std::max(largestRadius, r);
  }

  size_t count() const { return radius.size(); }

  /// The signed distance to the boundary of circle `i`, by the authority.
  double boundaryDistance(double lat, double lon, uint32_t i) const {
    double s12;
    geod_inverse(&ellipsoid(), lat, lon, latitude[i], longitude[i], &s12, nullptr, nullptr);
    return s12 - radius[i];
  }
};

/// The best `k` by (distance, ordinal), in ascending order, in the caller's memory.
struct Best {
  uint32_t *ids;
  double *distances;
  size_t k, count = 0;

  Best(uint32_t *ids, double *distances, size_t k) : ids(ids), distances(distances), k(k) {}

  double worst() const {
    return count < k ? std::numeric_limits<double>::infinity() : distances[k - 1];
  }

  void offer(double distance, uint32_t id) {
    if (count == k) {
      if (distance > distances[k - 1] || (distance == distances[k - 1] && id > ids[k - 1])) return;
    } else {
      ++count;
    }
    size_t i = count - 1;
    for (; i > 0; --i) {
      if (distances[i - 1] < distance || (distances[i - 1] == distance && ids[i - 1] < id)) break;
      distances[i] = distances[i - 1];
      ids[i] = ids[i - 1];
    }
    distances[i] = distance;
    ids[i] = id;
  }

  void finish() {
    for (size_t i = count; i < k; ++i) {
      ids[i] = UINT32_MAX;
      distances[i] = std::numeric_limits<double>::infinity();
    }
  }
};

inline double seconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

inline double heapBytes() {
  const struct mallinfo2 m = mallinfo2();
  return double(m.uordblks) + double(m.hblkhd);
}

/// Builds an `Index`, measured.
template <class Index>
vicinity_build build(const vicinity_circles *circles) {
  const double bytes = heapBytes();
  const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
  auto index = std::make_unique<Index>(*circles);
  vicinity_build result;
  result.cpu_seconds = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
  result.wall_seconds = seconds(CLOCK_MONOTONIC) - wall;
  result.bytes = heapBytes() - bytes;
  result.index = index.release();
  return result;
}

/// Answers queries with `Answer::answer(index, lat, lon, k, ids, distances)`, batch by batch, measured.
template <class Index, class Answer>
void query(void *pointer, const vicinity_queries *q) {
  Index &index = *static_cast<Index *>(pointer);
  size_t slot = 0;
  for (size_t start = 0; start < q->count; start += q->batch) {
    const size_t end = std::min(start + q->batch, q->count);
    const double before = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = start; i < end; ++i) {
      Answer::answer(
          index, q->latitude[i], q->longitude[i], q->k, q->ids + i * q->k, q->distances + i * q->k);
    }
    q->batch_nanoseconds[slot++] = (seconds(CLOCK_THREAD_CPUTIME_ID) - before) * 1e9;
  }
}

template <class Index>
void destroy(void *index) {
  delete static_cast<Index *>(index);
}

template <class Index, class Answer>
constexpr vicinity_peer peer(
    const char *name, const char *library, const char *unit, bool exact) {
  return {name, library, unit, exact, build<Index>, query<Index, Answer>, destroy<Index>};
}

/// A list of candidates the exact constructions fill and sort; kept between queries.
using Candidates = std::vector<std::pair<uint32_t, double>>;

}  // namespace peers
