// Kernels on a plane that touches the ellipsoid: places, and circles in blocks of sixteen x, y and radii.
//
// What the plane's errors are is said in TangentPlane.swift. Distances in metres.

#ifndef VICINITY_PLANE_KERNELS_H
#define VICINITY_PLANE_KERNELS_H

#include "vicinity_kernels.h"

// The plane that touches the ellipsoid at an anchor; x east and y north of that, to the second order in degrees.
typedef struct {
  // The anchor, degrees.
  double latitude, longitude;
  // x = v (east + eastNorth u), y = u (north + northNorth u) + northEast v², for u degrees of latitude and v of longitude.
  double east, eastNorth, north, northNorth, northEast;
  // How far from the anchor that holds, degrees.
  double latitudeReach, longitudeReach;
} vk_plane;

// Places a coordinate on the plane. Returns 0 where that does not hold.
static inline int vk_plane_place(const vk_plane *plane, double latitude, double longitude, float *x, float *y) {
  double u = latitude - plane->latitude, v = longitude - plane->longitude;
  if (!(__builtin_fabs(u) <= plane->latitudeReach && __builtin_fabs(v) <= plane->longitudeReach)) return 0;
  *x = (float)(v * (plane->east + plane->eastNorth * u));
  *y = (float)(u * (plane->north + plane->northNorth * u) + plane->northEast * (v * v));
  return 1;
}

// Boundary distances of four circles.
static inline vk_f4 vk_plane_distances(const float *cx, const float *cy, const float *radius, vk_f4 x, vk_f4 y) {
  vk_f4 dx = vk_sub(x, vk_load(cx)), dy = vk_sub(y, vk_load(cy));
  return vk_sub(vk_sqrt(vk_add(vk_mul(dx, dx), vk_mul(dy, dy))), vk_load(radius));
}

// Projects `fours` times four circles on a plane: from blocks of sixteen as those of vk_boundary_bounds to blocks of
// sixteen x, y and radii. The unit vectors are (east[0], east[1], 0) and (north[0], north[1], north[2]).
static inline void vk_project(
    const float *blocks, int fours, const float *east, const float *north, float *out) {
  vk_f4 ex = vk_splat(east[0]), ey = vk_splat(east[1]);
  vk_f4 nx = vk_splat(north[0]), ny = vk_splat(north[1]), nz = vk_splat(north[2]);
  for (int k = 0; k < fours; k++) {
    const float *p = blocks + 64 * (k / 4) + 4 * (k % 4);
    float *q = out + 48 * (k / 4) + 4 * (k % 4);
    vk_f4 x = vk_load(p), y = vk_load(p + 16), z = vk_load(p + 32);
    vk_store(q, vk_add(vk_mul(x, ex), vk_mul(y, ey)));
    vk_store(q + 16, vk_add(vk_add(vk_mul(x, nx), vk_mul(y, ny)), vk_mul(z, nz)));
    vk_store(q + 32, vk_load(p + 48));
  }
}

// |Boundary distances| from a place of `fours` times four circles, which stand in blocks of sixteen: x, y and radius.
static inline void vk_plane_bounds(const float *blocks, int fours, float px, float py, float *out) {
  vk_f4 x = vk_splat(px), y = vk_splat(py);
  for (int k = 0; k < fours; k++) {
    const float *p = blocks + 48 * (k / 4) + 4 * (k % 4);
    vk_store(out + 4 * k, vk_abs(vk_plane_distances(p, p + 16, p + 32, x, y)));
  }
}

// The mask of those below `threshold` among `fours` times four values, at most sixteen fours; *nearest gets the smallest
// of the others, at most 3e38.
static inline uint64_t vk_below(const float *values, int fours, float threshold, float *nearest) {
  vk_f4 limit = vk_splat(threshold), far = vk_splat(3e38f), least = far;
  uint64_t mask = 0;
  for (int k = 0; k < fours; k++) {
    vk_f4 v = vk_load(values + 4 * k);
    mask |= (uint64_t)vk_less(v, limit) << (4 * k);
    least = vk_min(least, vk_where_less(v, limit, far, v));
  }
  *nearest = vk_smallest4(least);
  return mask;
}

// Parts `count` blocks at a pivot: writes lower bounds of the boundary distances from a place, which are `error` less than
// on the plane, and for each block the mask of those below the pivot. *inside is raised to the largest of these, *outside
// lowered to the smallest of the others. Returns how many are below.
static inline int vk_plane_part(
    const float *blocks, int count, float px, float py, float error, float pivot, float *lower, uint32_t *members,
    float *inside, float *outside) {
  vk_f4 x = vk_splat(px), y = vk_splat(py), e = vk_splat(error), middle = vk_splat(pivot);
  vk_f4 high = vk_splat(*inside), low = vk_splat(*outside);
  int total = 0;
  for (int b = 0; b < count; b++) {
    const float *p = blocks + 48 * b;
    uint32_t mask = 0;
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i += 4) {
      vk_f4 bound = vk_sub(vk_plane_distances(p + i, p + 16 + i, p + 32 + i, x, y), e);
      vk_store(lower + 16 * b + i, bound);
      mask |= vk_less(bound, middle) << i;
      high = vk_max(vk_keep_less(bound, middle, bound), high);
      low = vk_min(vk_drop_less(bound, middle, bound), low);
    }
    members[b] = mask;
    total += __builtin_popcount(mask);
  }
  *inside = -vk_smallest4(vk_sub(vk_splat(0), high));
  *outside = vk_smallest4(low);
  return total;
}

#endif
