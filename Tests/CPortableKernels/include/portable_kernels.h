// The kernels as they are where there are no vector instructions, for tests to compare.
#ifndef PORTABLE_KERNELS_H
#define PORTABLE_KERNELS_H
#include <stdint.h>

float portable_smallest16(const float *p);
int portable_argmin(const float *p, int count);
float portable_node_bounds(const void *node, float qx, float qy, float qz, float epsilon, float *out);
uint32_t portable_leaf_bounds(
    const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower, float *upper);
uint32_t portable_part(const float *lower, const float *upper, float pivot, float *inside, float *outside);
void portable_insert(float *list, int chunks, const float *values, uint32_t mask);
uint64_t portable_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest);
uint64_t portable_near_boundary_bounds(
    const float *blocks, int fours, float qx, float qy, float qz, float epsilon, float threshold, float *nearest);

#endif
