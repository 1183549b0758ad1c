// GEOS: an STRtree (through the C API) over the circles' bounding boxes in degrees; exact by windows.
#include <geos_c.h>

#include <cstdlib>

#include "registry.hpp"

namespace {
using namespace peers;

/// Metres in a degree: below every radius of curvature (6335.4 km) and below b (6356.8 km). On the sphere
/// of reduced latitudes b * angle <= geodesic, and reduced latitudes have the larger cosine, so windows made
/// with it are never too small.
constexpr double latitudeMeters = 110500;

struct Windows {
  GEOSContextHandle_t context = GEOS_init_r();
  GEOSSTRtree *tree = nullptr;
  std::vector<GEOSGeometry *> boxes;
  Circles circles;
  Candidates scratch;
  /// A running mean (of logarithms) of the windows needed, metres: where the next query starts.
  double window = 20000;

  explicit Windows(const vicinity_circles &input) : circles(input) {
    tree = GEOSSTRtree_create_r(context, 10);
    boxes.reserve(circles.count());
    for (size_t i = 0; i < circles.count(); ++i) {
      GEOSGeometry *point = GEOSGeom_createPointFromXY_r(
          context, circles.longitude[i], circles.latitude[i]);
      boxes.push_back(point);
      GEOSSTRtree_insert_r(
          context, tree, point, reinterpret_cast<void *>(uintptr_t(i)));
    }
    // The C API of 3.11 has no call to build: the first query does it.
    scan(0, 0, 0, 0);
  }

  ~Windows() {
    GEOSSTRtree_destroy_r(context, tree);
    for (GEOSGeometry *box : boxes) GEOSGeom_destroy_r(context, box);
    GEOS_finish_r(context);
  }

  void scan(double south, double west, double north, double east) {
    GEOSCoordSequence *sequence = GEOSCoordSeq_create_r(context, 2, 2);
    GEOSCoordSeq_setXY_r(context, sequence, 0, west, south);
    GEOSCoordSeq_setXY_r(context, sequence, 1, east, north);
    GEOSGeometry *diagonal = GEOSGeom_createLineString_r(context, sequence);
    GEOSSTRtree_query_r(
        context, tree, diagonal,
        [](void *item, void *user) {
          static_cast<Windows *>(user)->scratch.emplace_back(
              uint32_t(reinterpret_cast<uintptr_t>(item)), 0.0);
        },
        this);
    GEOSGeom_destroy_r(context, diagonal);
  }

  /// Every centre within `meters` of the place, and more. True when the window is the whole globe.
  bool collect(double lat, double lon, double meters) {
    scratch.clear();
    const double dlat = meters / latitudeMeters;
    const double south = lat - dlat, north = lat + dlat;
    // sin(dlon) = sin(angle) / cos(lat), unless the disc reaches a pole.
    const double sine = std::sin(std::min(dlat, 90.0) * radians) / std::cos(lat * radians);
    if (south <= -90 || north >= 90 || !(sine < 1)) {
      scan(std::max(south, -90.0), -180, std::min(north, 90.0), 180);
      return south <= -90 && north >= 90;
    }
    const double dlon = std::asin(sine) / radians + 1e-9;
    const double west = lon - dlon, east = lon + dlon;
    scan(south, std::max(west, -180.0), north, std::min(east, 180.0));
    if (west < -180) scan(south, west + 360, north, 180);
    if (east > 180) scan(south, -180, north, east - 360);
    return false;
  }
};

struct Answer {
  static void answer(
      Windows &index, double lat, double lon, size_t k, uint32_t *ids, double *distances) {
    const Circles &circles = index.circles;
    const Point p = ecef(lat, lon);
    double meters = index.window;
    for (;;) {
      const bool whole = index.collect(lat, lon, meters);
      if (whole || index.scratch.size() >= k) {
        for (auto &[id, bound] : index.scratch) {
          bound = std::sqrt(squaredChord(p, ecef(circles.latitude[id], circles.longitude[id])))
              - circles.radius[id];
        }
        std::sort(index.scratch.begin(), index.scratch.end(), [](const auto &l, const auto &r) {
          return l.second < r.second;
        });
        Best best(ids, distances, k);
        for (const auto &[id, bound] : index.scratch) {
          if (bound > best.worst() + slack) break;
          best.offer(circles.boundaryDistance(lat, lon, id), id);
        }
        const double needed = best.worst() + circles.largestRadius + slack;
        if (whole || needed <= meters) {
          best.finish();
          index.window = std::sqrt(index.window * std::max(1000.0, needed));
          return;
        }
        meters = std::min(needed, 3 * meters);
      } else {
        meters *= 3;
      }
    }
  }
};

const Registration registration = peer<Windows, Answer>(
    "geos-strtree-window-exact", "GEOS " GEOS_VERSION, "boundary distance, m", true);
}  // namespace
