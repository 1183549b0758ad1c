#define VICINITY_PORTABLE_KERNELS
#include "../../Sources/CVicinityKernels/include/vicinity_polygon_kernels.h"
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
float portable_box_gaps(
    const void *node, const void *box, float px, float py, float pz, int count, float *out) {
  vk_frame frame;
  vk_frame_of(box, px, py, pz, &frame);
  return vk_box_gaps(node, &frame, count, out);
}
float portable_edge_gaps(const void *group, float qx, float qy, float qz, float *out, uint32_t *ends) {
  return vk_edge_gaps(group, qx, qy, qz, out, ends);
}
uint32_t portable_lanes_below(const float *p, float limit) { return vk_lanes_below(p, limit); }
