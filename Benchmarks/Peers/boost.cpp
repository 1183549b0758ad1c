// Boost.Geometry: an R*-tree, 16 entries a node, bulk-loaded (packed), over the centres in ECEF.
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

#include "exact.hpp"
#include "registry.hpp"

namespace {
using namespace peers;
namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;

using Center = bg::model::point<double, 3, bg::cs::cartesian>;
using Entry = std::pair<Center, uint32_t>;
using Tree = bgi::rtree<Entry, bgi::rstar<16>>;

Center center(const Point &p) { return Center(p.x, p.y, p.z); }

double squaredChordTo(const Entry &entry, const Point &p) {
  return squaredChord({bg::get<0>(entry.first), bg::get<1>(entry.first), bg::get<2>(entry.first)}, p);
}

struct Plain {
  Tree tree;

  explicit Plain(const vicinity_circles &circles) {
    std::vector<Entry> entries;
    entries.reserve(circles.count);
    for (size_t i = 0; i < circles.count; ++i) {
      entries.emplace_back(
          center(ecef(circles.latitude[i], circles.longitude[i])), uint32_t(i));
    }
    tree = Tree(entries);
  }

  /// Boost hands the nearest over in no particular order.
  size_t nearest(const Point &p, size_t k, uint32_t *ids, double *squaredChords) {
    Best best(ids, squaredChords, k);
    tree.query(
        bgi::nearest(center(p), unsigned(k)),
        boost::make_function_output_iterator(
            [&](const Entry &entry) { best.offer(squaredChordTo(entry, p), entry.second); }));
    return best.count;
  }
};

struct Exact : Plain {
  Circles circles;
  Candidates scratch;

  explicit Exact(const vicinity_circles &circles) : Plain(circles), circles(circles) {}

  void within(const Point &p, double chord, Candidates &candidates) {
    candidates.clear();
    if (chord < 0) return;
    chord = std::min(chord, 4 * a);
    const bg::model::box<Center> box(
        Center(p.x - chord, p.y - chord, p.z - chord),
        Center(p.x + chord, p.y + chord, p.z + chord));
    tree.query(
        bgi::intersects(box), boost::make_function_output_iterator([&](const Entry &entry) {
          const double squared = squaredChordTo(entry, p);
          if (squared <= chord * chord) candidates.emplace_back(entry.second, squared);
        }));
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

constexpr char library[] = "Boost.Geometry " BOOST_LIB_VERSION;
const Registration registrations[] = {
    peer<Plain, Centers>("boost-ecef-plain", library, "squared chord, m2", false),
    peer<Exact, TwoPhase>("boost-ecef-exact2phase", library, "boundary distance, m", true),
    peer<Exact, Certified>("boost-ecef-certified", library, "boundary distance, m", true),
};
}  // namespace
