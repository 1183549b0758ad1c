// Kernels of crossing detection: distances from a position to the boundaries of circles in its neighbourhood, in space and on a
// plane that touches the ellipsoid.
//
// Circles stand in blocks of sixteen: in space x, y, z relative to some anchor and the radius, as the first four rows of a leaf
// (TreeLayout.swift); on the plane x, y and the radius. `fours` is how many times four circles there are. Distances in metres.

#ifndef VICINITY_CIRCLE_KERNELS_H
#define VICINITY_CIRCLE_KERNELS_H

#include "vicinity_tree_kernels.h"

// MARK: In space

// Adds four bounds: their bits to *mask where they are below `threshold`, and the smallest of the others to *nearest.
static inline void vk_note(vk_f4 bound, int four, float threshold, uint64_t *mask, vk_f4 *nearest) {
  vk_i4 is_below = bound < threshold;
  *mask |= (uint64_t)vk_bits(is_below) << (4 * four);
  *nearest = vk_min(*nearest, vk_select(is_below, (vk_f4)3e38f, bound));
}

// Lower bounds of |boundary distance| of at most sixteen fours of circles from a position (qx, qy, qz) relative to the blocks'
// anchor, by vk_chord_bounds. Returns the mask of circles whose bound is below `threshold`, and lowers *nearest to the smallest
// bound of the others.
static inline uint64_t vk_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest) {
  vk_f4 least = *nearest;
  uint64_t mask = 0;
  for (int k = 0; k < fours; k++) {
    const float *p = blocks + 64 * (k / 4) + 4 * (k % 4);
    vk_f4 c2 = vk_square(qx - vk_load(p), qy - vk_load(p + 16), qz - vk_load(p + 32)), high;
    vk_f4 low = vk_chord_bounds(c2, vk_load(p + 48), epsilon, &high);
    // Outside by the lower bound or inside by the upper one.
    vk_note(vk_max(low, 0 - high), k, threshold, &mask, &least);
  }
  *nearest = vk_smallest4(least);
  return mask;
}

// The same where every position and circle lies within 200 km of the anchor: u is below 4e-3 there (chords up to 400 km), a
// geodesic within 3.5e-6 c of c (1 + u/24) (R lies between R- and R+), and one tolerance serves both sides.
static inline uint64_t vk_near_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest) {
  vk_f4 least = *nearest;
  uint64_t mask = 0;
  for (int k = 0; k < fours; k++) {
    const float *p = blocks + 64 * (k / 4) + 4 * (k % 4);
    vk_f4 c2 = vk_square(qx - vk_load(p), qy - vk_load(p + 16), qz - vk_load(p + 32)), r = vk_load(p + 48);
    vk_f4 c = vk_sqrt(c2), distance = c * (1 + c2 * (VK_INVERSE_SQUARE / 24)) - r;
    vk_note(vk_abs(distance) - ((c + r) * 1e-5f + epsilon), k, threshold, &mask, &least);
  }
  *nearest = vk_smallest4(least);
  return mask;
}

// Appends the circles of a leaf whose bits are set in `mask` to `count` circles in blocks of sixteen, with (x, y, z) subtracted
// from their centres, and the addresses of their records to `list`; raises *largest to the largest radius. Returns how many
// circles there are then; there must be room.
static inline int vk_gather(
    const void *leaf, const void *records, int recordSize, float x, float y, float z, uint32_t mask, int count,
    float *blocks, const void **list, float *largest) {
  const float *p = (const float *)leaf;
  float most = *largest;
  for (; mask != 0; mask &= mask - 1) {
    int lane = __builtin_ctz(mask);
    float *q = blocks + 64 * (count / 16) + count % 16, radius = p[48 + lane];
    q[0] = p[lane] - x;
    q[16] = p[16 + lane] - y;
    q[32] = p[32 + lane] - z;
    q[48] = radius;
    most = radius > most ? radius : most;
    list[count++] = (const char *)records + recordSize * lane;
  }
  *largest = most;
  return count;
}

// MARK: On a plane

// The plane that touches the ellipsoid at an anchor; x points east and y north. Its errors are derived in TangentPlane.swift.
typedef struct {
  // The anchor, degrees.
  double latitude, longitude;
  // x = v (east + eastNorth u), y = u (north + northNorth u) + northEast v², for u degrees of latitude and v of longitude.
  double east, eastNorth, north, northNorth, northEast;
  // How far from the anchor these formulas hold, degrees.
  double latitudeReach, longitudeReach;
} vk_plane;

// Projects a coordinate on the plane. Returns 0 where that does not hold.
static inline int vk_project_point(const vk_plane *plane, double latitude, double longitude, float *x, float *y) {
  double u = latitude - plane->latitude, v = longitude - plane->longitude;
  if (!(__builtin_fabs(u) <= plane->latitudeReach && __builtin_fabs(v) <= plane->longitudeReach)) return 0;
  *x = (float)(v * (plane->east + plane->eastNorth * u));
  *y = (float)(u * (plane->north + plane->northNorth * u) + plane->northEast * (v * v));
  return 1;
}

// Projects circles from blocks in space to blocks on a plane with the unit vectors (east[0], east[1], 0) and (north[0], north[1],
// north[2]).
static inline void vk_project_circles(
    const float *blocks, int fours, const float *east, const float *north, float *out) {
  for (int k = 0; k < fours; k++) {
    const float *p = blocks + 64 * (k / 4) + 4 * (k % 4);
    float *q = out + 48 * (k / 4) + 4 * (k % 4);
    vk_f4 x = vk_load(p), y = vk_load(p + 16), z = vk_load(p + 32);
    vk_store(q, x * east[0] + y * east[1]);
    vk_store(q + 16, x * north[0] + y * north[1] + z * north[2]);
    vk_store(q + 32, vk_load(p + 48));
  }
}

// Boundary distances from (x, y) to as many circles on a plane as a vector has lanes.
#define VK_PLANE_DISTANCES(vector, name) \
  static inline vector name(const float *cx, const float *cy, const float *radius, float x, float y) { \
    vector dx = x - VK_LOAD(vector, cx), dy = y - VK_LOAD(vector, cy); \
    return vk_sqrt(dx * dx + dy * dy) - VK_LOAD(vector, radius); \
  }
VK_PLANE_DISTANCES(vk_f4, vk_plane_distances)

// |Boundary distances| from (x, y) to circles on a plane.
static inline void vk_plane_bounds(const float *blocks, int fours, float x, float y, float *out) {
  for (int k = 0; k < fours; k++) {
    const float *p = blocks + 48 * (k / 4) + 4 * (k % 4);
    vk_store(out + 4 * k, vk_abs(vk_plane_distances(p, p + 16, p + 32, x, y)));
  }
}

// The mask of those below `threshold` among at most sixteen fours of values; *nearest gets the smallest of the others, at most
// 3e38.
static inline uint64_t vk_below(const float *values, int fours, float threshold, float *nearest) {
  vk_f4 least = 3e38f;
  uint64_t mask = 0;
  for (int k = 0; k < fours; k++) vk_note(vk_load(values + 4 * k), k, threshold, &mask, &least);
  *nearest = vk_smallest4(least);
  return mask;
}

// Partitions `count` blocks of circles on a plane: writes lower bounds of the boundary distances from (x, y), which are `error`
// less than those on the plane, and for each block the mask of those below the pivot. Raises *inside to the largest of these and
// lowers *outside to the smallest of the others. Returns how many are below.
static inline int vk_partition_plane(
    const float *blocks, int count, float x, float y, float error, float pivot, float *lower, uint32_t *members,
    float *inside, float *outside) {
  vk_extremes e = {*inside, *outside};
  int total = 0;
  for (int b = 0; b < count; b++) {
    const float *p = blocks + 48 * b;
    uint32_t mask = 0;
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i += 4) {
      vk_f4 bound = vk_plane_distances(p + i, p + 16 + i, p + 32 + i, x, y) - error;
      vk_store(lower + 16 * b + i, bound);
      vk_i4 is_inside = bound < pivot;
      mask |= vk_bits(is_inside) << i;
      vk_extend(&e, is_inside, bound, bound);
    }
    members[b] = mask;
    total += __builtin_popcount(mask);
  }
  vk_finish(e, inside, outside);
  return total;
}

#endif
