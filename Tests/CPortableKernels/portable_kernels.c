#define VICINITY_PORTABLE_KERNELS
#define vk_follow portable_follow
#define vk_follow_by portable_follow_by
#define vk_settle portable_settle
#define vk_settle_by portable_settle_by
#include "../../Sources/CVicinityKernels/include/vicinity_kernels.h"
#include "../../Sources/CVicinityKernels/include/vicinity_crossing_kernels.h"
#include "../../Sources/CVicinityKernels/include/vicinity_polygon_kernels.h"
#include "../../Sources/CVicinityKernels/include/vicinity_shortlist_kernels.h"
#include "../../Sources/CVicinityKernels/wide_crossings.c"
#include "portable_kernels.h"

float portable_smallest16(const float *p) { return vk_smallest16(p); }
int portable_argmin(const float *p, int count) { return vk_argmin(p, count); }
float portable_take16(float *p, float taken) { return vk_take16(p, taken); }
float portable_next16(const float *p, float least) { return vk_next16(p, least); }
void portable_put(float *p, int i, float value) { vk_put(p, i, value); }
void portable_push(float *p, int count, float value) { vk_push(p, count, value); }
void portable_measure_feet(const double *series, double *feet, double qx, double qy, double qz) {
  vk_measure_feet((const vk_chord_series *)series, (vk_feet *)feet, qx, qy, qz);
}
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
uint32_t portable_near_bounds(
    const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower) {
  return vk_near_bounds(leaf, qx, qy, qz, epsilon, threshold, lower);
}
uint32_t portable_near_part(
    const void *leaf, float qx, float qy, float qz, float epsilon, float pivot, float *lower, float *inside,
    float *outside) {
  return vk_near_part(leaf, qx, qy, qz, epsilon, pivot, lower, inside, outside);
}
uint32_t portable_below16(const float *p, float limit) { return vk_below16(p, limit); }
void portable_sort16(float *p) { vk_sort16_at(p); }
void portable_sort32(float *p) { vk_sort32(p); }
void portable_merge(float *list, const float *values, float addend, uint32_t mask) {
  vk_merge(list, values, addend, mask);
}
void portable_insert(float *list, int chunks, const float *values, float addend, uint32_t mask) {
  vk_insert(list, chunks, values, addend, mask);
}
double portable_near_distances(const double *series, int count, double *batch, double z2, float *keys) {
  return vk_near_distances((const vk_series *)series, count, (vk_batch *)batch, z2, keys);
}
uint64_t portable_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest) {
  return vk_boundary_bounds(blocks, fours, qx, qy, qz, epsilon, threshold, nearest);
}
uint64_t portable_near_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest) {
  return vk_near_boundary_bounds(blocks, fours, qx, qy, qz, epsilon, threshold, nearest);
}
uint32_t portable_shortlist_touched(
    const void *list, float px, float py, float qx, float qy, float limit, float *nearest) {
  return vk_shortlist_touched((const vk_shortlist *)list, px, py, qx, qy, limit, nearest);
}
int64_t portable_take_fixes(const void *list, const void *fixes, int64_t count, void *course) {
  return vk_follow((const vk_shortlist *)list, (const vk_fix *)fixes, count, (vk_course *)course);
}
uint32_t portable_settle_all(const void *ellipsoid, void *meetings, int count) {
  return vk_settle((const vk_ellipsoid *)ellipsoid, (vk_meetings *)meetings, count);
}
void portable_project(const float *blocks, int fours, const float *east, const float *north, float *out) {
  vk_project(blocks, fours, east, north, out);
}
void portable_plane_bounds(const float *blocks, int fours, float px, float py, float *out) {
  vk_plane_bounds(blocks, fours, px, py, out);
}
uint32_t portable_shortlist_met(
    const void *list, uint32_t mask, float px, float py, float qx, float qy, float limit) {
  return vk_shortlist_met((const vk_shortlist *)list, mask, px, py, qx, qy, limit);
}
int portable_plane_part(
    const float *blocks, int count, float px, float py, float error, float pivot, float *lower, uint32_t *members,
    float *inside, float *outside) {
  return vk_plane_part(blocks, count, px, py, error, pivot, lower, members, inside, outside);
}
uint64_t portable_below(const float *values, int fours, float threshold, float *nearest) {
  return vk_below(values, fours, threshold, nearest);
}
float portable_box_gaps(
    const void *node, const void *box, float px, float py, float pz, int count, float *out, float *next) {
  vk_frame frame;
  vk_frame_of(box, px, py, pz, &frame);
  return vk_box_gaps(node, &frame, count, out, next);
}
void portable_look(const void *group, double qx, double qy, double qz, void *look) {
  vk_look_at(group, qx, qy, qz, (vk_look *)look);
}
void portable_descend(void *descents, uint32_t count, double qx, double qy, double qz) {
  vk_descend((vk_descent *)descents, count, qx, qy, qz);
}
float portable_edge_gaps(
    const void *group, float qx, float qy, float qz, float margin, float *out, uint32_t *ends) {
  return vk_edge_gaps(group, qx, qy, qz, margin, out, ends);
}
