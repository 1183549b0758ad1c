// Brute force: PROJ's geodesic to every region. The reference for every other answer.
#include "registry.hpp"

namespace {
using namespace peers;

struct Answer {
  static void answer(
      Circles &circles, double lat, double lon, size_t k, uint32_t *ids, double *distances) {
    Best best(ids, distances, k);
    for (size_t i = 0; i < circles.count(); ++i) {
      best.offer(circles.boundaryDistance(lat, lon, uint32_t(i)), uint32_t(i));
    }
    best.finish();
  }
};

const Registration registration =
    peer<Circles, Answer>("brute-force-exact", "PROJ geodesic", "boundary distance, m", true);
}  // namespace
