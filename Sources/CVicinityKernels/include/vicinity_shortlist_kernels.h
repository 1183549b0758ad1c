// Kernels of crossing detection's shortlist: the few circles whose boundaries a device may reach next, on a plane.
//
// What the plane's errors are, and what follows from the list, is said in Shortlist.swift. Distances in metres.

#ifndef VICINITY_SHORTLIST_KERNELS_H
#define VICINITY_SHORTLIST_KERNELS_H

#include "vicinity_kernels.h"

// How many circles a shortlist has room for.
#define VK_SHORTLIST_ROOM 32

// The plane that touches the ellipsoid at an anchor; x east and y north of that, to the second order in degrees.
typedef struct {
  // The anchor, degrees.
  double latitude, longitude;
  // x = v (east + eastNorth u), y = u (north + northNorth u) + northEast v², for u degrees of latitude and v of longitude.
  double east, eastNorth, north, northNorth, northEast;
  // How far from the anchor that holds, degrees.
  double latitudeReach, longitudeReach;
} vk_plane;

typedef struct {
  vk_plane plane;
  // The disc in which the list is complete: its centre, its radius, and the radius squared; the radius is negative where
  // there is no list.
  float x, y, reach, reach2;
  // More than four times what any distance on the plane is off by.
  float slack;
  // Longer ways are not taken in one piece.
  float longestWay;
  // How many fours of circles there are; lanes beyond the last circle are far away.
  int32_t fours;
  // The circles, and boundary distances where the device was last.
  float centerX[VK_SHORTLIST_ROOM], centerY[VK_SHORTLIST_ROOM], radius[VK_SHORTLIST_ROOM], last[VK_SHORTLIST_ROOM];
} vk_shortlist;

// Places a coordinate on the plane. Returns 0 where that does not hold.
static inline int vk_plane_place(const vk_plane *plane, double latitude, double longitude, float *x, float *y) {
  double u = latitude - plane->latitude, v = longitude - plane->longitude;
  if (!(__builtin_fabs(u) <= plane->latitudeReach && __builtin_fabs(v) <= plane->longitudeReach)) return 0;
  *x = (float)(v * (plane->east + plane->eastNorth * u));
  *y = (float)(u * (plane->north + plane->northNorth * u) + plane->northEast * (v * v));
  return 1;
}

// The square of how far a place is from the middle of the disc.
static inline float vk_shortlist_offset2(const vk_shortlist *list, float x, float y) {
  float dx = x - list->x, dy = y - list->y;
  return dx * dx + dy * dy;
}

// Boundary distances of four circles.
static inline vk_f4 vk_plane_distances(const float *cx, const float *cy, const float *radius, vk_f4 x, vk_f4 y) {
  vk_f4 dx = vk_sub(x, vk_load(cx)), dy = vk_sub(y, vk_load(cy));
  return vk_sub(vk_sqrt(vk_add(vk_mul(dx, dx), vk_mul(dy, dy))), vk_load(radius));
}

// Takes a place as the one where the device was last.
static inline void vk_shortlist_begin(vk_shortlist *list, float px, float py) {
  vk_f4 x = vk_splat(px), y = vk_splat(py);
  for (int i = 0; i < 4 * list->fours; i += 4) {
    vk_store(list->last + i, vk_plane_distances(list->centerX + i, list->centerY + i, list->radius + i, x, y));
  }
}

// Moves to a place by a way no longer than `limit`, what distances may be off by included. Returns the mask of the circles
// whose boundaries may have been met, those with |last + next| below the limit, and lowers *nearest to the smallest
// |boundary distance|. Where boundary distances at the last place are not known, those with |next| below the limit.
static inline uint32_t vk_shortlist_move(
    vk_shortlist *list, float px, float py, float limit, int isKnown, float *nearest) {
  vk_f4 x = vk_splat(px), y = vk_splat(py), most = vk_splat(limit), least = vk_splat(*nearest);
  uint32_t mask = 0;
  for (int i = 0; i < 4 * list->fours; i += 4) {
    vk_f4 d = vk_plane_distances(list->centerX + i, list->centerY + i, list->radius + i, x, y);
    vk_f4 sum = isKnown ? vk_add(d, vk_load(list->last + i)) : d;
    mask |= vk_less(vk_abs(sum), most) << i;
    least = vk_min(least, vk_abs(d));
    vk_store(list->last + i, d);
  }
  *nearest = vk_smallest4(least);
  return mask;
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

#endif
