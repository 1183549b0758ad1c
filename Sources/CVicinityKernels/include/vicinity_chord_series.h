// The series of ChordSeries.swift: the length of a geodesic from its chord; and the circles that a search measures together.

#ifndef VICINITY_CHORD_SERIES_H
#define VICINITY_CHORD_SERIES_H

#include "vicinity_vectors.h"

// The coefficients of ChordSeries.swift, where they are derived.
typedef struct {
  double reciprocal_a2, reciprocal_b2, a2, gradient_slope, t1, t2, t3, t4, r10, r01, s10, s01, r20, r11, r02;
} vk_chord_series;

// The length of the geodesic over a chord (x, y, z) whose ends' z add up to `z_sum`; *chord2 gets the squared chord. The addend
// keeps coincident points at 0 / 1e-300 = 0. The short series leaves out the terms that stay below 1e-8 m for chords of 100 km.
#define VK_CHORD_SERIES(vector) \
  VK_OVERLOADED vector vk_geodesic( \
      const vk_chord_series *k, vector x, vector y, vector z, vector z_sum, const int is_short, vector *chord2) { \
    vector xy = x * x + y * y, zz = z * z, c2 = xy + zz, h2 = z_sum * z_sum, v = c2 * h2; \
    vector q = xy * k->reciprocal_a2 + zz * k->reciprocal_b2; \
    vector w = q * q * k->a2 / ((c2 + 1e-300) * (1 + h2 * k->gradient_slope)); \
    *chord2 = c2; \
    if (is_short) return vk_sqrt(c2) * (1 + w * (k->t1 + w * k->t2) - c2 * (k->r10 * zz + k->r01 * v)); \
    vector r = c2 * ((k->r10 + k->s10 * c2) * zz + (k->r01 + k->s01 * c2) * v) \
        + (zz * (k->r20 * zz + k->r11 * v) + k->r02 * v * v); \
    return vk_sqrt(c2) * (1 + w * (k->t1 + w * (k->t2 + w * (k->t3 + w * k->t4))) - r); \
  }

VK_CHORD_SERIES(vk_d2)

// The coefficients of GeodesicSeries.swift and the numbers of GeodesicSolver+Near.swift.
typedef struct {
  double a, b, reciprocal_a, reciprocal_b, f, ep2, least_cosine, least_sine2, i3, a31, a32, a33, a34, c310, c311, c312, c313,
      c320, c321, c330;
} vk_geodesic_series;

// Circles whose exact distances a search still needs, in columns; room for 48.
typedef struct {
  // The query's position minus the centre, metres.
  double dx[48], dy[48], dz[48], radius[48];
  // What they are measured to be: the distance to the centre and that to the boundary, metres.
  double center[48], boundary[48];
  const void *record[48];
} vk_batch;

#endif
