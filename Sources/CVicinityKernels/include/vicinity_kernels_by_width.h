// The kernels that are compiled for several widths of vectors, and the choice of the widest that the machine has.

#ifndef VICINITY_KERNELS_BY_WIDTH_H
#define VICINITY_KERNELS_BY_WIDTH_H

#include "vicinity_chord_series.h"
#include "vicinity_circle_intersections.h"
#include "vicinity_nearby_circles.h"
#include "vicinity_polygon_kernels.h"

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

// One width's kernels. All widths give the same results, to the last bit; polygon_kernels_by_width.h,
// crossing_kernels_by_width.h and distance_kernels_by_width.h say what each kernel does. The first four are parts of `traverse`,
// for tests to call.
typedef struct {
  void (*frame_of)(const void *box, float px, float py, float pz, vk_frame *frame);
  float (*box_gaps)(const void *node, const vk_frame *frame, int count, float *out, float *next);
  float (*edge_gaps)(const void *group, float qx, float qy, float qz, float margin, float *out, uint32_t *ends);
  void (*group_bounds)(const void *group, double qx, double qy, double qz, vk_group_bounds *bounds);
  void (*traverse)(vk_traversal *traversals, uint32_t count, double qx, double qy, double qz);
  void (*estimate)(vk_traversal *traversals, uint32_t count, float width, double qx, double qy, double qz);
  void (*resume)(vk_traversal *traversal);
  void (*measure)(const vk_chord_series *series, vk_closest_point_batch *batch, double qx, double qy, double qz);
  int64_t (*follow)(const vk_nearby_circles *list, const vk_fix *fixes, int64_t count, vk_follow_state *state);
  uint32_t (*intersect)(const vk_ellipsoid *ellipsoid, vk_circle_intersections *intersections, int count);
  double (*near_distances)(const vk_chord_series *series, vk_batch *batch, int count, double z2, float *keys);
  void (*series_distances)(const vk_chord_series *series, vk_batch *batch, int count, double z2);
  void (*far_distances)(const vk_geodesic_series *series, vk_batch *batch, int count, double px, double py, double pz);
} vk_kernels;

// The kernels by vectors of four, eight (AVX2) and sixteen lanes (AVX-512), as far as the machine has them: widths 0 to
// vk_widest().
const vk_kernels *vk_kernels_of(int width);
int vk_widest(void);

// The kernels of the widest vectors.
extern const vk_kernels *vk_widest_kernels;

// Begins and makes the traversals of some polygons until each is finished or its candidates have to be measured.
static inline void vk_traverse(vk_traversal *traversals, uint32_t count, double qx, double qy, double qz) {
  vk_widest_kernels->traverse(traversals, count, qx, qy, qz);
}

// Begins and makes the traversals of some polygons; where the position certainly lies outside, only to bound the distance.
static inline void vk_estimate(
    vk_traversal *traversals, uint32_t count, float width, double qx, double qy, double qz) {
  vk_widest_kernels->estimate(traversals, count, width, qx, qy, qz);
}

// Goes on with a traversal whose candidates have been measured.
static inline void vk_resume(vk_traversal *traversal) { vk_widest_kernels->resume(traversal); }

// Measures the edges of a batch, writes the least distance of each owner to best[], and empties the batch.
static inline void vk_measure(
    const vk_chord_series *series, vk_closest_point_batch *batch, double qx, double qy, double qz) {
  vk_widest_kernels->measure(series, batch, qx, qy, qz);
}

// Takes fixes for as long as the list tells which boundaries their legs may meet. Returns how many.
static inline int64_t vk_follow(
    const vk_nearby_circles *list, const vk_fix *fixes, int64_t count, vk_follow_state *state) {
  return vk_widest_kernels->follow(list, fixes, count, state);
}

// Finds where `count` legs cross. Returns the bits of those that are solved: one end inside and one outside by more than a
// micrometre, and the point certain to 1e-9 m. The others are left to more careful methods. A leg has the same result in all lanes.
static inline uint32_t vk_intersect(
    const vk_ellipsoid *ellipsoid, vk_circle_intersections *intersections, int count) {
  return vk_widest_kernels->intersect(ellipsoid, intersections, count);
}

// Distances of the first `count` circles of a batch, at most 48, from a point whose z is half of `z2`, by the short series.
// `keys`, with room for 48, become the boundary distances in single precision, each with its circle's number in its five low
// mantissa bits. Returns the largest radius, or infinity when a centre is farther than 100 km or not a number.
static inline double vk_near_distances(
    const vk_chord_series *series, vk_batch *batch, int count, double z2, float *keys) {
  return vk_widest_kernels->near_distances(series, batch, count, z2, keys);
}

// Measures how far the centres of the first `count` circles of a batch, at most 48, are from a point whose z is half of `z2`, by
// the whole series: batch->center becomes the length of the geodesic.
static inline void vk_series_distances(const vk_chord_series *series, vk_batch *batch, int count, double z2) {
  vk_widest_kernels->series_distances(series, batch, count, z2);
}

// Measures how far the centres of the first `count` circles of a batch, at most 48, are from (px, py, pz): batch->center becomes
// the length of the geodesic, or NaN where that is not solved: beyond about 158 degrees, for coincident points, and where
// something is not finite.
static inline void vk_far_distances(
    const vk_geodesic_series *series, vk_batch *batch, int count, double px, double py, double pz) {
  vk_widest_kernels->far_distances(series, batch, count, px, py, pz);
}

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
