// nanoflann: a k-d tree over the centres in ECEF, leaf size 10 (its default), doubles.
#include <nanoflann.hpp>

#include "exact.hpp"
#include "registry.hpp"

namespace {
using namespace peers;

struct Cloud {
  std::vector<Point> points;

  size_t kdtree_get_point_count() const { return points.size(); }
  double kdtree_get_pt(size_t i, size_t dimension) const {
    return dimension == 0 ? points[i].x : dimension == 1 ? points[i].y : points[i].z;
  }
  template <class Box>
  bool kdtree_get_bbox(Box &) const {
    return false;
  }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<
    nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud, 3, uint32_t>;

/// The tree alone: what ranking by centre needs.
struct Plain {
  Cloud cloud;
  std::unique_ptr<Tree> tree;

  explicit Plain(const vicinity_circles &circles) {
    cloud.points.reserve(circles.count);
    for (size_t i = 0; i < circles.count; ++i) {
      cloud.points.push_back(ecef(circles.latitude[i], circles.longitude[i]));
    }
    tree = std::make_unique<Tree>(3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10));
    tree->buildIndex();
  }

  size_t nearest(const Point &p, size_t k, uint32_t *ids, double *squaredChords) {
    nanoflann::KNNResultSet<double, uint32_t> result(k);
    result.init(ids, squaredChords);
    tree->findNeighbors(result, &p.x, nanoflann::SearchParams());
    return result.size();
  }
};

struct Exact : Plain {
  Circles circles;
  Candidates scratch;

  explicit Exact(const vicinity_circles &circles) : Plain(circles), circles(circles) {}

  void within(const Point &p, double chord, Candidates &candidates) {
    candidates.clear();
    if (chord < 0) return;
    nanoflann::RadiusResultSet<double, uint32_t> result(chord * chord, candidates);
    tree->findNeighbors(result, &p.x, nanoflann::SearchParams());
  }
};

struct Centers {
  static void answer(
      Plain &index, double lat, double lon, size_t k, uint32_t *ids, double *distances) {
    Best best(ids, distances, k);
    best.count = index.nearest(ecef(lat, lon), k, ids, distances);
    best.finish();
  }
};

constexpr char library[] = "nanoflann";
const Registration registrations[] = {
    peer<Plain, Centers>("nanoflann-plain", library, "squared chord, m2", false),
    peer<Exact, TwoPhase>("nanoflann-exact2phase", library, "boundary distance, m", true),
    peer<Exact, Certified>("nanoflann-certified", library, "boundary distance, m", true),
};
}  // namespace
