#define VICINITY_PORTABLE_KERNELS
#include "../../Sources/CVicinityKernels/include/vicinity_kernels.h"
#include "../../Sources/CVicinityKernels/include/vicinity_crossing_kernels.h"
#include "portable_kernels.h"

float portable_smallest16(const float *p) { return vk_smallest16(p); }
int portable_argmin(const float *p, int count) { return vk_argmin(p, count); }
float portable_node_bounds(const void *node, float qx, float qy, float qz, float epsilon, float *out) {
  return vk_node_bounds(node, qx, qy, qz, epsilon, out);
}
uint32_t portable_leaf_bounds(
    const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower, float *upper) {
  return vk_leaf_bounds(leaf, qx, qy, qz, epsilon, threshold, lower, upper);
}
uint32_t portable_part(const float *lower, const float *upper, float pivot, float *inside, float *outside) {
  return vk_part(lower, upper, pivot, inside, outside);
}
void portable_insert(float *list, int chunks, const float *values, uint32_t mask) {
  vk_insert(list, chunks, values, mask);
}
uint64_t portable_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest) {
  return vk_boundary_bounds(blocks, fours, qx, qy, qz, epsilon, threshold, nearest);
}
uint64_t portable_near_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest) {
  return vk_near_boundary_bounds(blocks, fours, qx, qy, qz, epsilon, threshold, nearest);
}
