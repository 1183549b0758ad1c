#include "registry.hpp"

#include <string>

namespace {
std::vector<vicinity_peer> &all() {
  static std::vector<vicinity_peer> peers;
  return peers;
}
}  // namespace

peers::Registration::Registration(const vicinity_peer &peer) { all().push_back(peer); }

const vicinity_peer *vicinity_peers(size_t *count) {
  *count = all().size();
  return all().data();
}

double vicinity_geodesic(
    size_t count, const double *lat1, const double *lon1, const double *lat2, const double *lon2) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    double s12;
    geod_inverse(
        &peers::ellipsoid(), lat1[i], lon1[i], lat2[i], lon2[i], &s12, nullptr, nullptr);
    sum += s12;
  }
  return sum;
}

const char *vicinity_compiler() { return "g++ " __VERSION__ " " PEERS_FLAGS; }
