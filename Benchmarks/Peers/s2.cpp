// S2: S2PointIndex and S2ClosestPointQuery over the centres on the sphere.
#include <s2/s2closest_point_query.h>
#include <s2/s2latlng.h>
#include <s2/s2point_index.h>

#include "registry.hpp"

namespace {
using namespace peers;

struct Plain {
  S2PointIndex<uint32_t> points;
  std::unique_ptr<S2ClosestPointQuery<uint32_t>> query;

  explicit Plain(const vicinity_circles &circles) {
    for (size_t i = 0; i < circles.count; ++i) {
      points.Add(
          S2LatLng::FromDegrees(circles.latitude[i], circles.longitude[i]).Normalized().ToPoint(),
          uint32_t(i));
    }
    query = std::make_unique<S2ClosestPointQuery<uint32_t>>(&points);
  }
};

struct Centers {
  static void answer(
      Plain &index, double lat, double lon, size_t k, uint32_t *ids, double *distances) {
    index.query->mutable_options()->set_max_results(int(k));
    S2ClosestPointQuery<uint32_t>::PointTarget target(
        S2LatLng::FromDegrees(lat, lon).Normalized().ToPoint());
    Best best(ids, distances, k);
    for (const auto &result : index.query->FindClosestPoints(&target)) {
      ids[best.count] = result.data();
      distances[best.count++] = result.distance().radians();
    }
    best.finish();
  }
};

const Registration registration =
    peer<Plain, Centers>("s2-closestpoint-plain", "S2", "radians", false);
}  // namespace
