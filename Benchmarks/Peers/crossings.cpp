// Entries and exits by a join, as one would write it in an afternoon: Boost's R-tree over boxes in degrees, a test by
// chord, a geodesic where the chord does not tell, and the set of each fix against the set of the fix before.
//
// It looks at fixes only: what happens between two of them, in and out again, it cannot see.
//
// Twice: straightforward, and with what a second afternoon gains: smaller nodes, and a fix's place in space only once
// something is near.
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

#include "support.hpp"

namespace {
using namespace peers;
namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;

using Place = bg::model::point<double, 2, bg::cs::cartesian>;
using Box = bg::model::box<Place>;
using Entry = std::pair<Box, uint32_t>;

/// The shortest degree of latitude, at the equator, metres.
constexpr double shortestDegree = smallestCurvatureRadius * radians;

/// Circles, and what finds those around a position.
struct Finder {
  Circles circles;
  std::vector<Point> centers;
  /// Squared chords at or below the first are inside, above the second outside.
  std::vector<std::pair<double, double>> limits;
  std::vector<vicinity_state_change> changes;
  std::vector<Entry> entries;

  explicit Finder(const vicinity_circles &input) : circles(input) {
    entries.reserve(circles.count());
    centers.reserve(circles.count());
    limits.reserve(circles.count());
    for (size_t i = 0; i < circles.count(); ++i) {
      const double lat = circles.latitude[i], lon = circles.longitude[i], r = circles.radius[i];
      centers.push_back(ecef(lat, lon));
      // chord <= geodesic <= geodesicUpperBound(chord), inverted.
      const double diameter = 2 * smallestCurvatureRadius;
      const double inside = std::max(0.0, diameter * std::sin(r / diameter) - slack);
      limits.emplace_back(inside * inside, (r + slack) * (r + slack));
      const double high = r / shortestDegree * 1.001;
      const double farthest = std::abs(lat) + high;
      // A circle around a pole has all longitudes.
      const double wide = farthest >= 90 ? 360 : high / std::cos(farthest * radians);
      const auto add = [&](double west, double east) {
        entries.emplace_back(Box(Place(west, lat - high), Place(east, lat + high)), uint32_t(i));
      };
      if (wide >= 180) {
        add(-180, 180);
        continue;
      }
      add(lon - wide, lon + wide);
      if (lon - wide < -180) add(lon - wide + 360, lon + wide + 360);
      if (lon + wide > 180) add(lon - wide - 360, lon + wide - 360);
    }
  }

  virtual ~Finder() = default;

  /// The regions that contain a position, ascending.
  virtual void containing(double lat, double lon, std::vector<uint32_t> &inside) = 0;

  bool contains(uint32_t id, double lat, double lon, const Point &p) const {
    const double squared = squaredChord(p, centers[id]);
    if (squared > limits[id].second) return false;
    return squared <= limits[id].first || circles.boundaryDistance(lat, lon, id) <= 0;
  }

  double run(const vicinity_tracks &tracks) {
    changes.clear();
    const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    std::vector<uint32_t> last, now;
    for (size_t track = 0; track < tracks.count; ++track) {
      for (size_t fix = tracks.start[track]; fix < tracks.start[track + 1]; ++fix) {
        containing(tracks.latitude[fix], tracks.longitude[fix], now);
        if (fix != tracks.start[track] && now != last) report(fix, last, now);
        std::swap(last, now);
      }
    }
    return (seconds(CLOCK_THREAD_CPUTIME_ID) - start) * 1e9;
  }

  void report(size_t fix, const std::vector<uint32_t> &last, const std::vector<uint32_t> &now) {
    auto a = last.begin();
    auto b = now.begin();
    while (a != last.end() || b != now.end()) {
      if (b == now.end() || (a != last.end() && *a < *b)) {
        changes.push_back({uint32_t(fix), *a++, 0});
      } else if (a == last.end() || *b < *a) {
        changes.push_back({uint32_t(fix), *b++, 1});
      } else {
        ++a, ++b;
      }
    }
  }
};

struct Straightforward : Finder {
  bgi::rtree<Entry, bgi::rstar<16>> tree;
  std::vector<Entry> found;

  explicit Straightforward(const vicinity_circles &input) : Finder(input), tree(entries) { entries = {}; }

  void containing(double lat, double lon, std::vector<uint32_t> &inside) override {
    inside.clear();
    found.clear();
    const Point p = ecef(lat, lon);
    tree.query(bgi::intersects(Place(lon, lat)), std::back_inserter(found));
    for (const Entry &entry : found) {
      if (contains(entry.second, lat, lon, p)) inside.push_back(entry.second);
    }
    std::sort(inside.begin(), inside.end());
  }
};

struct Tuned : Finder {
  /// 8 a node: faster than 16 (by a tenth to a fifth) and 32 at 10k, 100k and 1M.
  bgi::rtree<Entry, bgi::rstar<8>> tree;

  explicit Tuned(const vicinity_circles &input) : Finder(input), tree(entries) { entries = {}; }

  void containing(double lat, double lon, std::vector<uint32_t> &inside) override {
    inside.clear();
    bool known = false;
    Point p;
    tree.query(
        bgi::intersects(Place(lon, lat)), boost::make_function_output_iterator([&](const Entry &entry) {
          if (!known) p = ecef(lat, lon);
          known = true;
          if (contains(entry.second, lat, lon, p)) inside.push_back(entry.second);
        }));
    if (inside.size() > 1) std::sort(inside.begin(), inside.end());
  }
};

template <class Index>
vicinity_build buildFinder(const vicinity_circles *circles) {
  vicinity_build built = build<Index>(circles);
  built.index = static_cast<Finder *>(static_cast<Index *>(built.index));
  return built;
}
}  // namespace

vicinity_build vicinity_crossings_build(const vicinity_circles *circles, int tuned) {
  return tuned ? buildFinder<Tuned>(circles) : buildFinder<Straightforward>(circles);
}

double vicinity_crossings_run(
    void *index, const vicinity_tracks *tracks, const vicinity_state_change **changes, size_t *count) {
  Finder &finder = *static_cast<Finder *>(index);
  const double nanoseconds = finder.run(*tracks);
  *changes = finder.changes.data();
  *count = finder.changes.size();
  return nanoseconds;
}

void vicinity_crossings_destroy(void *index) { destroy<Finder>(index); }
