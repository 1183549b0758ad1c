// Included once for each width, with VK_LANES lanes and VK_TABLE the name of its table: all kernels of that width.

#define VK_EDGE_LANES (VK_LANES / 2)
// Crossings gain nothing from more than eight lanes.
#define VK_CIRCLE_LANES (VK_LANES < 8 ? VK_LANES : 8)
#define VK_LEG_LANES (VK_CIRCLE_LANES / 2)

typedef int16_t VK_SHORTS VK_VECTOR(VK_LANES);
typedef uint16_t VK_UNSIGNED_SHORTS VK_VECTOR(VK_LANES);

#if VK_LANES == 4
#define VK_FLOATS vk_f4
#define VK_CIRCLES vk_f4
#define VK_EDGES vk_d2
#define VK_LEGS vk_d2
#define VK_LEGS_MASK vk_l2
#else
typedef float vk_f8 VK_VECTOR(8);
typedef int32_t vk_i8 VK_VECTOR(8);
VK_OPERATIONS(vk_f8, vk_i8, float)
VK_OPERATIONS(vk_d4, vk_l4, double)
VK_CHORD_SERIES(vk_d4)
VK_OVERLOADED vk_f4 vk_fold(vk_f4 least, vk_f8 a) { return vk_fold(vk_fold(least, a.lo), a.hi); }
VK_OVERLOADED uint32_t vk_bits(vk_i8 mask) { return (uint32_t)_mm256_movemask_ps((__m256)mask); }
#define VK_CIRCLES vk_f8
#define VK_LEGS vk_d4
#define VK_LEGS_MASK vk_l4
#if VK_LANES == 8
#define VK_FLOATS vk_f8
#define VK_INTS vk_i8
#define VK_EDGES vk_d4
#define VK_LANE_NUMBERS {0, 1, 2, 3, 4, 5, 6, 7}
#else
typedef float vk_f16 VK_VECTOR(16);
typedef int32_t vk_i16 VK_VECTOR(16);
typedef double vk_d8 VK_VECTOR(8);
typedef __typeof__((vk_d8)0 < (vk_d8)0) vk_l8;
VK_OPERATIONS(vk_f16, vk_i16, float)
VK_OPERATIONS(vk_d8, vk_l8, double)
VK_CHORD_SERIES(vk_d8)
VK_OVERLOADED vk_f4 vk_fold(vk_f4 least, vk_f16 a) { return vk_fold(vk_fold(least, a.lo), a.hi); }
VK_OVERLOADED uint32_t vk_bits(vk_i16 mask) { return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask); }
#define VK_FLOATS vk_f16
#define VK_INTS vk_i16
#define VK_EDGES vk_d8
#define VK_LANE_NUMBERS {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#endif
VK_OVERLOADED VK_FLOATS vk_where(uint32_t bits, int lane, VK_FLOATS a, VK_FLOATS b) {
  return vk_select(((VK_INTS)(int32_t)(bits >> lane) & (1 << (VK_INTS)VK_LANE_NUMBERS)) != 0, a, b);
}
VK_OVERLOADED VK_FLOATS vk_tag(VK_FLOATS a, int lane) {
  return (VK_FLOATS)(((VK_INTS)a & ~15) | ((VK_INTS)VK_LANE_NUMBERS + lane));
}
#endif

#include "crossing_kernels_by_width.h"
#include "distance_kernels_by_width.h"
#include "polygon_kernels_by_width.h"

const vk_kernels VK_TABLE = {
    frame_of, box_gaps, edge_gaps, group_bounds, traverse, estimate, resume, measure, follow, intersect,
    near_distances, series_distances, far_distances,
};
