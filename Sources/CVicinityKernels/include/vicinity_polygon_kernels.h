// Kernels of the search within one polygon: sixteen boxes at once, and eight edges at once.
//
// Layouts are those of PolygonLayout.swift. Distances in metres.

#ifndef VICINITY_POLYGON_KERNELS_H
#define VICINITY_POLYGON_KERNELS_H

#include "vicinity_kernels.h"

// Squared distances from a point to the sixteen boxes of a node, each with its lane number in its four low mantissa
// bits; at most 1e37. Returns the smallest.
static inline float vk_box_gaps(const void *node, float px, float py, float pz, float *out) {
  const float *p = (const float *)node;
  vk_f4 x = vk_splat(px), y = vk_splat(py), z = vk_splat(pz);
  vk_f4 zero = vk_splat(0), far = vk_splat(1e37f), smallest = far;
  for (int i = 0; i < 16; i += 4) {
    vk_f4 dx = vk_max(vk_max(vk_sub(vk_load(p + i), x), vk_sub(x, vk_load(p + 48 + i))), zero);
    vk_f4 dy = vk_max(vk_max(vk_sub(vk_load(p + 16 + i), y), vk_sub(y, vk_load(p + 64 + i))), zero);
    vk_f4 dz = vk_max(vk_max(vk_sub(vk_load(p + 32 + i), z), vk_sub(z, vk_load(p + 80 + i))), zero);
    vk_f4 sum = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    sum = vk_tag(vk_min(sum, far), i);
    vk_store(out + i, sum);
    smallest = vk_min(smallest, sum);
  }
  return vk_smallest4(smallest);
}

typedef double vk_d2 __attribute__((vector_size(16), aligned(8)));
typedef int64_t vk_l2 __attribute__((vector_size(16), aligned(8)));

// For the eight edges between nine points: where along its chord the nearest point to q lies, 0...1, and the squared
// distance to that. Returns the greatest squared length of a chord.
static inline double vk_edge_chords(
    const double *x, const double *y, const double *z, double qx, double qy, double qz, double *fraction,
    double *squared) {
  vk_d2 zero = {0, 0}, one = {1, 1}, longest = zero;
  for (int i = 0; i < 8; i += 2) {
    vk_d2 x1 = *(const vk_d2 *)(x + i), ex = *(const vk_d2 *)(x + i + 1) - x1, wx = qx - x1;
    vk_d2 y1 = *(const vk_d2 *)(y + i), ey = *(const vk_d2 *)(y + i + 1) - y1, wy = qy - y1;
    vk_d2 z1 = *(const vk_d2 *)(z + i), ez = *(const vk_d2 *)(z + i + 1) - z1, wz = qz - z1;
    vk_d2 ee = ex * ex + ey * ey + ez * ez;
    vk_d2 t = (wx * ex + wy * ey + wz * ez) / ee;
    // Edges of no length divide 0 by 0: a NaN compares as false and becomes 0.
    t = (vk_d2)((vk_l2)t & (vk_l2)(t > zero));
    vk_l2 within = (vk_l2)(t < one);
    t = (vk_d2)(((vk_l2)t & within) | ((vk_l2)one & ~within));
    vk_d2 dx = wx - t * ex, dy = wy - t * ey, dz = wz - t * ez;
    *(vk_d2 *)(fraction + i) = t;
    *(vk_d2 *)(squared + i) = dx * dx + dy * dy + dz * dz;
    vk_l2 longer = (vk_l2)(ee > longest);
    longest = (vk_d2)(((vk_l2)ee & longer) | ((vk_l2)longest & ~longer));
  }
  return longest[0] > longest[1] ? longest[0] : longest[1];
}

#endif
