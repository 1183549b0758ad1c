// Included once for each width: following a device among nearby circles, and where its legs cross circles.
//
// VK_CIRCLES is the vector of floats with VK_CIRCLE_LANES lanes for circles, VK_LEGS that of doubles with VK_LEG_LANES lanes for
// legs, and VK_LEGS_MASK its mask.

#include "include/vicinity_circle_intersections.h"
#include "include/vicinity_nearby_circles.h"

VK_PLANE_DISTANCES(VK_CIRCLES, vk_circle_distances)

// MARK: Following

// Projects four fixes. Returns the bits of those that are on the plane, valid, in order and before the due time.
static inline uint32_t vk_project_fixes(
    const vk_plane *plane, const vk_fix *const four[4], int64_t time, int64_t due, vk_f4 *x, vk_f4 *y) {
  const vk_fix *a = four[0], *b = four[1], *c = four[2], *d = four[3];
  vk_d4 u = (vk_d4){a->latitude, b->latitude, c->latitude, d->latitude} - plane->latitude;
  vk_d4 v = (vk_d4){a->longitude, b->longitude, c->longitude, d->longitude} - plane->longitude;
  vk_l4 is_valid = (__builtin_elementwise_abs(u) <= plane->latitudeReach)
      & (__builtin_elementwise_abs(v) <= plane->longitudeReach)
      & ((vk_d4){a->accuracy, b->accuracy, c->accuracy, d->accuracy} >= 0);
  vk_l4 times = {a->time, b->time, c->time, d->time}, before = {time, a->time, b->time, c->time};
  *x = __builtin_convertvector(v * (plane->east + plane->eastNorth * u), vk_f4);
  *y = __builtin_convertvector(u * (plane->north + plane->northNorth * u) + plane->northEast * (v * v), vk_f4);
  return vk_bits(__builtin_convertvector(is_valid & (times > before) & (times < due), vk_i4));
}

// Takes fixes for as long as the list tells which boundaries their legs may meet. Returns how many; the state tells where the
// device is then, and which circles it may have met.
//
// Works on VK_STRIDE fixes in three steps, the first two without branches that cannot be predicted: fixes are projected, then all
// legs are compared with all circles, then the few legs that may meet a boundary are examined.
static inline __attribute__((always_inline)) int64_t vk_follow_with(
    const vk_nearby_circles *list, const int vectors, const vk_fix *fixes, int64_t count, vk_follow_state *state) {
  VK_CIRCLES last[VK_NEARBY_CIRCLES_ROOM / VK_CIRCLE_LANES];
  const float slack = list->slack;
  // Projected positions, beginning with the one before the fixes; for the leg to each fix its length with the error of distances,
  // and the circles that it may meet.
  float x[VK_STRIDE + 1], y[VK_STRIDE + 1], limits[VK_STRIDE];
  uint32_t circles[VK_STRIDE];
  int64_t time = state->time, i = 0;
  uint32_t valid = 15;
  state->candidateCount = 0;
  if (!vk_project_point(&list->plane, state->latitude, state->longitude, x, y)) return 0;
  if (!(vk_nearby_offset2(list, x[0], y[0]) < list->reach2)) return 0;
#define VK_DISTANCES(j, x, y) \
  vk_circle_distances( \
      list->centerX + VK_CIRCLE_LANES * (j), list->centerY + VK_CIRCLE_LANES * (j), list->radius + VK_CIRCLE_LANES * (j), x, y)
  for (int j = 0; j < vectors; j++) last[j] = VK_DISTANCES(j, x[0], y[0]);
  while (i < count && valid == 15) {
    int n = 0;
    vk_f4 last_x = x[0], last_y = y[0];
    for (int64_t k = 0; k < VK_STRIDE && i + k < count && valid == 15; k += 4) {
      const vk_fix *four[4];
      vk_f4 next_x, next_y;
      // Beyond the end the last fix is repeated, which is not in order.
      for (int64_t m = 0; m < 4; m++) four[m] = fixes + (i + k + m < count ? i + k + m : count - 1);
      vk_prefetch_fix(four[0]);
      vk_prefetch_fix(four[2]);
      vk_prefetch_fix(four[3]);
      valid = vk_project_fixes(&list->plane, four, time, state->due, &next_x, &next_y);
      vk_f4 dx = next_x - __builtin_shufflevector(last_x, next_x, 3, 4, 5, 6);
      vk_f4 dy = next_y - __builtin_shufflevector(last_y, next_y, 3, 4, 5, 6);
      vk_f4 length = vk_sqrt(dx * dx + dy * dy), ox = next_x - list->x, oy = next_y - list->y;
      valid &= vk_bits((ox * ox + oy * oy < list->reach2) & (length < list->longestLeg));
      vk_store(x + 1 + k, next_x);
      vk_store(y + 1 + k, next_y);
      vk_store(limits + k, length + slack);
      last_x = next_x;
      last_y = next_y;
      time = four[3]->time;
      n += __builtin_ctz(~valid);
    }
    uint32_t legs = 0;
    for (int k = 0; k < n; k++) {
      uint32_t candidates = 0;
      for (int j = 0; j < vectors; j++) {
        VK_CIRCLES next = VK_DISTANCES(j, x[k + 1], y[k + 1]);
        candidates |= vk_bits(VK_MAY_MEET(last[j], next, limits[k], slack)) << (VK_CIRCLE_LANES * j);
        last[j] = next;
      }
      circles[k] = candidates;
      legs |= (uint32_t)(candidates != 0) << k;
    }
    for (; legs != 0; legs &= legs - 1) {
      int k = __builtin_ctz(legs);
      uint32_t met = vk_intersecting_circles(list, circles[k], x[k], y[k], x[k + 1], y[k + 1], limits[k]);
      if (met == 0) continue;
      // Times far apart differ by more than signed integers hold.
      uint64_t start = (uint64_t)(i + k > 0 ? fixes[i + k - 1].time : state->time);
      int is_gap = (uint64_t)fixes[i + k].time - start > (uint64_t)state->gap;
      if (!is_gap) state->candidates[state->candidateCount++] = (vk_candidate_leg){i + k, met};
      if (is_gap || state->candidateCount == state->room) {
        n = is_gap ? k : k + 1;
        valid = 0;
        break;
      }
    }
    i += n;
    x[0] = x[n];
    y[0] = y[n];
  }
#undef VK_DISTANCES
  if (i > 0) {
    state->latitude = fixes[i - 1].latitude;
    state->longitude = fixes[i - 1].longitude;
    state->time = fixes[i - 1].time;
  }
  return i;
}

static int64_t follow(
    const vk_nearby_circles *list, const vk_fix *fixes, int64_t count, vk_follow_state *state) {
  int vectors = (list->count + VK_CIRCLE_LANES - 1) / VK_CIRCLE_LANES;
  // Most often there is one, or with vectors of four there are two.
  if (vectors <= 8 / VK_CIRCLE_LANES) return vk_follow_with(list, 8 / VK_CIRCLE_LANES, fixes, count, state);
  return vk_follow_with(list, vectors, fixes, count, state);
}

// MARK: Intersections
//
// DegreeTrigonometry, ECEF, ShortPath, ChordSeries, CircleTarget and ECEF+Surface explain the formulas.

typedef struct { VK_LEGS x, y, z; } vk_points;

static inline VK_LEGS vk_product(vk_points a, vk_points b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline void vk_sine_and_cosine(VK_LEGS degrees, VK_LEGS *sine, VK_LEGS *cosine) {
  VK_LEGS shifted = degrees * (1.0 / 90) + 0x1.8p52, quarters = shifted - 0x1.8p52;
  VK_LEGS t = (degrees - 90 * quarters) * (3.141592653589793 / 180);
  VK_LEGS z = t * t, z2 = z * z, z4 = z2 * z2;
  VK_LEGS s1 = -1.0 / 6 + z * (1.0 / 120), s2 = -1.0 / 5040 + z * (1.0 / 362880);
  VK_LEGS s4 = -1.0 / 39916800 + z * (1.0 / 6227020800);
  VK_LEGS s = t + t * z * ((s1 + z2 * s2) + z4 * (s4 + z2 * (-1.0 / 1307674368000)));
  VK_LEGS c1 = 1.0 / 24 + z * (-1.0 / 720), c2 = 1.0 / 40320 + z * (-1.0 / 3628800);
  VK_LEGS c3 = 1.0 / 479001600 + z * (-1.0 / 87178291200);
  VK_LEGS c = 1 - 0.5 * z + z2 * ((c1 + z2 * c2) + z4 * (c3 + z2 * (1.0 / 20922789888000)));
  VK_LEGS_MASK turns = (VK_LEGS_MASK)shifted, is_odd = -(turns & 1);
  VK_LEGS first = vk_select(is_odd, c, s), second = vk_select(is_odd, s, c);
  *sine = (VK_LEGS)((VK_LEGS_MASK)first ^ (turns & 2) << 62);
  *cosine = (VK_LEGS)((VK_LEGS_MASK)second ^ ((turns + 1) & 2) << 62);
}

static inline vk_points vk_surface(const vk_ellipsoid *k, VK_LEGS latitude, VK_LEGS longitude) {
  VK_LEGS sinLat, cosLat, sinLon, cosLon;
  vk_sine_and_cosine(latitude, &sinLat, &cosLat);
  vk_sine_and_cosine(longitude, &sinLon, &cosLon);
  VK_LEGS n = k->a / vk_sqrt(1 - k->e2 * sinLat * sinLat);
  return (vk_points){n * cosLat * cosLon, n * cosLat * sinLon, n * (1 - k->e2) * sinLat};
}

static inline VK_LEGS vk_geodesic_between(const vk_chord_series *k, vk_points p, vk_points q, VK_LEGS *chord2) {
  return vk_geodesic(k, q.x - p.x, q.y - p.y, q.z - p.z, p.z + q.z, 0, chord2);
}

// The arctangent of up to 0.01.
static inline VK_LEGS vk_small_arctangent(VK_LEGS t) {
  VK_LEGS t2 = t * t;
  return t * (1 - t2 * (1.0 / 3 - t2 * (0.2 - t2 * (1.0 / 7 - t2 * (1.0 / 9)))));
}

// A short path: its middle, unit chord and normal times curvature; half its length, and two coefficients of its shape.
typedef struct {
  vk_points middle, t, n;
  VK_LEGS half, stretch, bend;
} vk_path;

// The point `u` from the middle of a path.
static inline vk_points vk_point_on(const vk_path *path, VK_LEGS u) {
  VK_LEGS rest = path->half * path->half - u * u;
  VK_LEGS along = path->stretch * u * (1 + path->bend * rest), height = 0.5 * rest;
  return (vk_points){
      path->middle.x + along * path->t.x + height * path->n.x, path->middle.y + along * path->t.y + height * path->n.y,
      path->middle.z + along * path->t.z + height * path->n.z};
}

static inline VK_LEGS vk_row(const double *p) { return VK_LOAD(VK_LEGS, p); }

// Solves the lanes from `i` on: writes where they cross, and returns the bits of those that are solved; adds to `leaving`.
static inline uint32_t vk_solve(const vk_ellipsoid *k, vk_circle_intersections *m, int i) {
  VK_LEGS latitude = vk_row(m->startLatitude + i), longitude = vk_row(m->startLongitude + i);
  VK_LEGS endLongitude = vk_row(m->endLongitude + i), centerLongitude = vk_row(m->centerLongitude + i);
  VK_LEGS radius = vk_row(m->radius + i);
  vk_points start = vk_surface(k, latitude, longitude);
  vk_points end = vk_surface(k, vk_row(m->endLatitude + i), endLongitude);
  vk_points center = vk_surface(k, vk_row(m->centerLatitude + i), centerLongitude);

  vk_points d = {end.x - start.x, end.y - start.y, end.z - start.z};
  VK_LEGS c2 = vk_product(d, d), chord = vk_sqrt(c2), reciprocal = 1 / chord;
  vk_path path;
  path.middle = (vk_points){0.5 * (start.x + end.x), 0.5 * (start.y + end.y), 0.5 * (start.z + end.z)};
  path.t = (vk_points){d.x * reciprocal, d.y * reciprocal, d.z * reciprocal};
  const vk_chord_series *series = &k->series;
  vk_points g = {
      path.middle.x * series->reciprocal_a2, path.middle.y * series->reciprocal_a2,
      path.middle.z * series->reciprocal_b2};
  VK_LEGS form = (path.t.x * path.t.x + path.t.y * path.t.y) * series->reciprocal_a2
      + path.t.z * path.t.z * series->reciprocal_b2;
  VK_LEGS scale = form / vk_product(g, g);
  path.n = (vk_points){g.x * scale, g.y * scale, g.z * scale};
  VK_LEGS curvature2 = form * scale, excess = c2 * curvature2 * (1.0 / 24), length = chord * (1 + excess);
  path.bend = curvature2 / 6;
  path.stretch = 1 - excess;
  path.half = 0.5 * length;

  // Boundary distances at both ends.
  VK_LEGS chord1, chord2;
  VK_LEGS d1 = vk_geodesic_between(series, start, center, &chord1) - radius;
  VK_LEGS d2 = vk_geodesic_between(series, end, center, &chord2) - radius;
  VK_LEGS_MASK leaves = d1 < 0;
  VK_LEGS_MASK isSolved = (leaves ^ (d2 < 0)) & (vk_abs(d1) > 1e-6) & (vk_abs(d2) > 1e-6) & (chord1 <= 2.9e11)
      & (chord2 <= 2.9e11) & (radius <= 500e3) & (length <= 3000);

  // Where the straight line would cross a sphere whose chord is the radius.
  vk_points w = {center.x - start.x, center.y - start.y, center.z - start.z};
  VK_LEGS foot = vk_product(w, path.t);
  vk_points o = {w.x - foot * path.t.x, w.y - foot * path.t.y, w.z - foot * path.t.z};
  VK_LEGS flat = radius * (1 - radius * radius * k->flattening);
  VK_LEGS side2 = flat * flat - vk_product(o, o), side = vk_sqrt(vk_max(side2, (VK_LEGS)0));
  VK_LEGS s = foot + vk_select(leaves, side, -side);
  isSolved &= (s > 0) & (s < length);

  // One step e of Newton's method. The distance d from the centre has a second derivative of at most 1/d + 1/R < 1.16/d
  // where 8 |e| < d; with slope = d d', the step misses by no more than 0.58 e²/|slope|. The slope itself is wrong by less than
  // 0.2 (d/R)², R = 6335 km. Both are below 3e-10 m where the step is so small.
  vk_points p = vk_point_on(&path, s - path.half);
  VK_LEGS ignored, distance = vk_geodesic_between(series, p, center, &ignored);
  vk_points away = {p.x - center.x, p.y - center.y, p.z - center.z};
  VK_LEGS slope = vk_product(away, path.t) - (s - path.half) * vk_product(away, path.n);
  VK_LEGS step = (radius - distance) * distance / slope, size = vk_abs(step);
  s += step;
  isSolved &= (step * step < 5e-10 * vk_abs(slope)) & (size * (distance * distance) < 4e4) & (8 * size < distance)
      & (s > 0) & (s < length);

  // The coordinate there, by small angles from the start's.
  p = vk_point_on(&path, s - path.half);
  VK_LEGS p1 = vk_sqrt(start.x * start.x + start.y * start.y) * (1 - k->e2);
  VK_LEGS p2 = vk_sqrt(p.x * p.x + p.y * p.y) * (1 - k->e2);
  VK_LEGS north = (p.z * p1 - p2 * start.z) / (p1 * p2 + start.z * p.z);
  VK_LEGS dot = p.x * start.x + p.y * start.y, east = (p.y * start.x - p.x * start.y) / dot;
  isSolved &= (dot > 0) & (vk_abs(north) < 0.01) & (vk_abs(east) < 0.01);
  latitude += vk_small_arctangent(north) * (180 / 3.141592653589793);
  VK_LEGS turned = longitude + vk_small_arctangent(east) * (180 / 3.141592653589793);
  isSolved &= (vk_abs(latitude) <= 90) & (turned >= -180) & (turned < 180) & (longitude >= -180) & (longitude < 180)
      & (endLongitude >= -180) & (endLongitude < 180) & (centerLongitude >= -180) & (centerLongitude < 180);

  vk_store(m->s + i, s);
  vk_store(m->length + i, length);
  vk_store(m->latitude + i, latitude);
  vk_store(m->longitude + i, turned);
  uint32_t solved = 0;
  for (int lane = 0; lane < VK_LEG_LANES; lane++) {
    solved |= (uint32_t)(isSolved[lane] & 1) << (i + lane);
    m->leaving |= (uint32_t)(leaves[lane] & 1) << (i + lane);
  }
  return solved;
}

static uint32_t intersect(const vk_ellipsoid *k, vk_circle_intersections *m, int count) {
  uint32_t solved = 0;
  m->leaving = 0;
  for (int i = 0; i < count; i += VK_LEG_LANES) solved |= vk_solve(k, m, i);
  return solved & ((1u << count) - 1);
}
