// Kernels of crossing detection: how far a place is, at least, from circles' boundaries.
//
// Circles stand in blocks of sixteen laid out as the first four rows of a leaf (TreeLayout.swift): x, y, z relative to some
// anchor, and radius. Distances in metres. Four circles at a time, and no more fours than there are.

#ifndef VICINITY_CROSSING_KERNELS_H
#define VICINITY_CROSSING_KERNELS_H

#include "vicinity_kernels.h"

// Lower bounds of |boundary distance| of `fours` times four circles, at most sixteen fours, from a place (qx, qy, qz)
// relative to the blocks' anchor, after vk_leaf_bounds. Returns the mask of circles whose bound is below `threshold`, and
// lowers *nearest to the smallest bound of the others.
static inline uint64_t vk_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest) {
  vk_f4 x = vk_splat(qx), y = vk_splat(qy), z = vk_splat(qz), e = vk_splat(epsilon);
  vk_f4 limit = vk_splat(threshold), far = vk_splat(3e38f), zero = vk_splat(0), least = vk_splat(*nearest);
  uint64_t mask = 0;
  for (int k = 0; k < fours; k++) {
    const float *p = blocks + 64 * (k / 4) + 4 * (k % 4);
    vk_f4 dx = vk_sub(x, vk_load(p));
    vk_f4 dy = vk_sub(y, vk_load(p + 16));
    vk_f4 dz = vk_sub(z, vk_load(p + 32));
    vk_f4 r = vk_load(p + 48);
    vk_f4 c2 = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    vk_f4 c = vk_sqrt(c2);
    vk_f4 u = vk_mul(c2, vk_splat(VK_INVERSE_SQUARE));
    vk_f4 series = vk_add(vk_splat(VK_K0), vk_mul(u, vk_add(vk_splat(VK_K1), vk_mul(u, vk_splat(VK_K2)))));
    vk_f4 low = vk_sub(vk_sub(vk_mul(c, series), r), e);
    vk_f4 open = vk_add(vk_splat(1.2e-5f), vk_mul(u, vk_add(vk_splat(8.7e-4f),
        vk_mul(u, vk_add(vk_splat(2.3e-4f), vk_mul(u, vk_splat(1.4e-3f)))))));
    vk_f4 band = vk_add(vk_mul(c, open), vk_add(vk_mul(r, vk_splat(1.2e-5f)), vk_add(e, e)));
    vk_f4 beyond = vk_mul(vk_max(vk_sub(u, vk_splat(1.6f)), zero), vk_splat(1e37f));
    vk_f4 high = vk_min(vk_add(vk_add(low, band), beyond), far);
    // Outside by the lower bound or inside by the upper one.
    vk_f4 bound = vk_max(low, vk_sub(zero, high));
    least = vk_min(least, vk_where_less(bound, limit, far, bound));
    mask |= (uint64_t)vk_less(bound, limit) << (4 * k);
  }
  *nearest = vk_smallest4(least);
  return mask;
}

// The same where every place and circle lies within 200 km of the anchor: u is below 4e-3 there (chords up to 400 km), a
// geodesic within 3.5e-6 c of c (1 + u/24) (R lies between R- and R+), and one tolerance serves both sides.
static inline uint64_t vk_near_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest) {
  vk_f4 x = vk_splat(qx), y = vk_splat(qy), z = vk_splat(qz), e = vk_splat(epsilon);
  vk_f4 limit = vk_splat(threshold), far = vk_splat(3e38f), least = vk_splat(*nearest);
  vk_f4 slack = vk_splat(1e-5f), stretch = vk_splat(VK_INVERSE_SQUARE / 24), one = vk_splat(1);
  uint64_t mask = 0;
  for (int k = 0; k < fours; k++) {
    const float *p = blocks + 64 * (k / 4) + 4 * (k % 4);
    vk_f4 dx = vk_sub(x, vk_load(p));
    vk_f4 dy = vk_sub(y, vk_load(p + 16));
    vk_f4 dz = vk_sub(z, vk_load(p + 32));
    vk_f4 r = vk_load(p + 48);
    vk_f4 c2 = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    vk_f4 c = vk_sqrt(c2);
    vk_f4 distance = vk_sub(vk_mul(c, vk_add(one, vk_mul(c2, stretch))), r);
    vk_f4 bound = vk_sub(vk_abs(distance), vk_add(vk_mul(vk_add(c, r), slack), e));
    least = vk_min(least, vk_where_less(bound, limit, far, bound));
    mask |= (uint64_t)vk_less(bound, limit) << (4 * k);
  }
  *nearest = vk_smallest4(least);
  return mask;
}

// Appends the circles of a leaf whose bits are set in `mask` to `count` circles in blocks of sixteen, with (x, y, z)
// subtracted from their places, and the addresses of their records to `list`; raises *largest to the largest radius.
// Returns how many circles there are then; there must be room.
static inline int vk_gather(
    const void *leaf, const void *records, int recordSize, float x, float y, float z, uint32_t mask, int count,
    float *blocks, const void **list, float *largest) {
  const float *p = (const float *)leaf;
  float most = *largest;
  while (mask != 0) {
    int lane = __builtin_ctz(mask);
    mask &= mask - 1;
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

#endif
