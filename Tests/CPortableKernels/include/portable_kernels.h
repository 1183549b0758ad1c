// The kernels as they are where there are no vector instructions, for tests to compare.
#ifndef PORTABLE_KERNELS_H
#define PORTABLE_KERNELS_H

#include "vicinity_kernels_by_width.h"

#pragma clang assume_nonnull begin

// Those that are compiled for several widths.
const vk_kernels *portable_kernels(void);

// Those that inline into Swift, in the order of their headers.
typedef struct {
  int (*argmin)(const float *p, int count);
  float (*take16)(float *p, float taken);
  float (*next16)(const float *p, float least);
  void (*put)(float *p, int i, float value);
  void (*push)(float *p, int count, float value);
  float (*node_bounds)(const void *node, float qx, float qy, float qz, float epsilon, float *out);
  uint32_t (*leaf_bounds)(
      const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower, float *upper);
  uint32_t (*near_bounds)(
      const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower);
  float (*raise_node_bounds)(const void *node, float qx, float qy, float qz, float epsilon, float *out);
  uint32_t (*raise_leaf_bounds)(
      const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower);
  uint32_t (*partition)(const float *lower, const float *upper, float pivot, float *inside, float *outside);
  uint32_t (*partition_near)(
      const void *leaf, float qx, float qy, float qz, float epsilon, float pivot, float *lower, float *inside,
      float *outside);
  uint32_t (*below16)(const float *p, float limit);
  int (*best_child)(const void *node, float qx, float qy, float qz, float r, uint32_t mask);
  void (*sort16)(float *p);
  void (*sort32)(float *p);
  void (*merge)(float *list, const float *values, float addend, uint32_t mask);
  void (*merge_tagged)(float *list, const float *values, float addend, uint32_t mask, uint32_t tag);
  float (*center16)(const float *lower, float *upper, uint32_t mask);
  void (*insert)(float *list, int chunks, const float *values, float addend, uint32_t mask);
  uint64_t (*boundary_bounds)(
      const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest);
  uint64_t (*near_boundary_bounds)(
      const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest);
  void (*project_circles)(const float *blocks, int fours, const float *east, const float *north, float *out);
  void (*plane_bounds)(const float *blocks, int fours, float x, float y, float *out);
  uint64_t (*below)(const float *values, int fours, float threshold, float *nearest);
  int (*partition_plane)(
      const float *blocks, int count, float x, float y, float error, float pivot, float *lower, uint32_t *members,
      float *inside, float *outside);
  uint32_t (*candidate_circles)(
      const vk_nearby_circles *list, float px, float py, float qx, float qy, float limit, float *nearest);
  uint32_t (*intersecting_circles)(
      const vk_nearby_circles *list, uint32_t mask, float px, float py, float qx, float qy, float limit);
  float (*advances)(
      const void *group, float ux, float uy, float uz, float wx, float wy, float wz, float offset, float slack, float bend,
      float *out);
} inline_kernels;
const inline_kernels *portable_inline_kernels(void);

#pragma clang assume_nonnull end

#endif
