// The kernels as they are where there are no vector instructions, for tests to compare.
#ifndef PORTABLE_KERNELS_H
#define PORTABLE_KERNELS_H
#include <stdint.h>

float portable_smallest16(const float *p);
int portable_argmin(const float *p, int count);
float portable_take16(float *p, float taken);
float portable_next16(const float *p, float least);
void portable_put(float *p, int i, float value);
void portable_push(float *p, int count, float value);
float portable_node_bounds(const void *node, float qx, float qy, float qz, float epsilon, float *out);
uint32_t portable_leaf_bounds(
    const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower, float *upper);
uint32_t portable_part(const float *lower, const float *upper, float pivot, float *inside, float *outside);
uint32_t portable_near_bounds(
    const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower);
uint32_t portable_near_part(
    const void *leaf, float qx, float qy, float qz, float epsilon, float pivot, float *lower, float *inside,
    float *outside);
uint32_t portable_below16(const float *p, float limit);
void portable_sort16(float *p);
void portable_sort32(float *p);
void portable_merge(float *list, const float *values, float addend, uint32_t mask);
void portable_insert(float *list, int chunks, const float *values, float addend, uint32_t mask);
// The series' eight coefficients, and a batch: vk_series and vk_batch, whose types only one header may define.
double portable_near_distances(const double *series, int count, double *batch, double z2, float *keys);
// The list is a vk_shortlist.
uint32_t portable_shortlist_touched(
    const void *list, float px, float py, float qx, float qy, float limit, float *nearest);
int64_t portable_take_fixes(const void *list, const void *fixes, int64_t count, void *course);
uint32_t portable_settle_all(const void *ellipsoid, void *meetings, int count);
void portable_project(const float *blocks, int fours, const float *east, const float *north, float *out);
void portable_plane_bounds(const float *blocks, int fours, float px, float py, float *out);
uint32_t portable_shortlist_met(
    const void *list, uint32_t mask, float px, float py, float qx, float qy, float limit);
int portable_plane_part(
    const float *blocks, int count, float px, float py, float error, float pivot, float *lower, uint32_t *members,
    float *inside, float *outside);
uint64_t portable_below(const float *values, int fours, float threshold, float *nearest);
float portable_box_gaps(
    const void *node, const void *box, float px, float py, float pz, int count, float *out, float *next);
void portable_descend(void *descents, uint32_t count, double qx, double qy, double qz);
void portable_look(const void *group, double qx, double qy, double qz, void *look);
float portable_edge_gaps(
    const void *group, float qx, float qy, float qz, float margin, float *out, uint32_t *ends);
// The series' fifteen coefficients, and a list of edges: vk_chord_series and vk_feet.
void portable_measure_feet(const double *series, double *feet, double qx, double qy, double qz);
uint64_t portable_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest);
uint64_t portable_near_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest);

#endif
