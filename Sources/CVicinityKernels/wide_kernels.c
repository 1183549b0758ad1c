// The kernels of the search within one polygon by vectors of eight and of sixteen, where the machine has them.
//
// Products are not contracted into sums, and the smallest of sixteen is found in the same order: results are the same by
// all widths, to the last bit, so that answers do not depend on the machine.

#include "vicinity_polygon_kernels.h"

#if defined(__x86_64__) && !defined(VICINITY_PORTABLE_KERNELS)
#define VK_HAS_WIDER 1
#include <immintrin.h>

static const float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// MARK: Eight (AVX2)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

typedef struct { __m256 a, b; } vk_f8x2;

static inline vk_f8x2 vk_interval_gaps8(const uint16_t *low, const uint16_t *high, int32_t below, int32_t above) {
  __m256i under = _mm256_subs_epu16(_mm256_loadu_si256((const __m256i *)low), _mm256_set1_epi16((short)above));
  __m256i over = _mm256_subs_epu16(_mm256_set1_epi16((short)below), _mm256_loadu_si256((const __m256i *)high));
  __m256i gap = _mm256_or_si256(under, over);
  vk_f8x2 g = {
      _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(gap))),
      _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm256_extracti128_si256(gap, 1)))};
  return g;
}

static inline __m256 vk_squares8(__m256 x, __m256 y, __m256 z) {
  return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y)), _mm256_mul_ps(z, z));
}

static inline __m256 vk_box_gaps8(__m256 x, __m256 y, __m256 z, const vk_frame *f, __m256 number, __m256 present) {
  __m256 far = _mm256_set1_ps(1e37f);
  __m256 dx = _mm256_add_ps(_mm256_mul_ps(x, _mm256_set1_ps(f->step[0])), _mm256_set1_ps(f->out[0]));
  __m256 dy = _mm256_add_ps(_mm256_mul_ps(y, _mm256_set1_ps(f->step[1])), _mm256_set1_ps(f->out[1]));
  __m256 dz = _mm256_add_ps(_mm256_mul_ps(z, _mm256_set1_ps(f->step[2])), _mm256_set1_ps(f->out[2]));
  __m256 sum = _mm256_min_ps(vk_squares8(dx, dy, dz), far);
  sum = _mm256_blendv_ps(far, sum, _mm256_cmp_ps(number, present, _CMP_LT_OS));
  __m256 rest = _mm256_and_ps(sum, _mm256_castsi256_ps(_mm256_set1_epi32(~15)));
  return _mm256_or_ps(rest, _mm256_castsi256_ps(_mm256_cvtps_epi32(number)));
}

static float box_gaps_8(const void *node, const vk_frame *f, int count, float *out, float *next) {
  const uint16_t *p = (const uint16_t *)node;
  vk_f8x2 x = vk_interval_gaps8(p, p + 48, f->below[0], f->above[0]);
  vk_f8x2 y = vk_interval_gaps8(p + 16, p + 64, f->below[1], f->above[1]);
  vk_f8x2 z = vk_interval_gaps8(p + 32, p + 80, f->below[2], f->above[2]);
  __m256 present = _mm256_set1_ps((float)count);
  __m256 a = vk_box_gaps8(x.a, y.a, z.a, f, _mm256_loadu_ps(numbers), present);
  __m256 b = vk_box_gaps8(x.b, y.b, z.b, f, _mm256_loadu_ps(numbers + 8), present);
  _mm256_storeu_ps(out, a);
  _mm256_storeu_ps(out + 8, b);
  vk_f4 smallest = vk_min(vk_splat(1e37f), _mm256_castps256_ps128(a));
  smallest = vk_min(smallest, _mm256_extractf128_ps(a, 1));
  smallest = vk_min(smallest, _mm256_castps256_ps128(b));
  float least = vk_smallest4(vk_min(smallest, _mm256_extractf128_ps(b, 1)));
  __m256 taken = _mm256_set1_ps(least), none = _mm256_set1_ps(3e38f);
  __m256 rest = _mm256_min_ps(
      _mm256_blendv_ps(none, a, _mm256_cmp_ps(taken, a, _CMP_LT_OS)),
      _mm256_blendv_ps(none, b, _mm256_cmp_ps(taken, b, _CMP_LT_OS)));
  *next = vk_smallest4(vk_min(_mm256_castps256_ps128(rest), _mm256_extractf128_ps(rest, 1)));
  return least;
}

static inline __m256 vk_steps8(const int16_t *p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p)));
}

static inline float edge_gaps_8(
    const void *group, float qx, float qy, float qz, float margin, float *out, uint32_t *ends) {
  const int16_t *px = vk_group_row(group, 0), *py = vk_group_row(group, 1), *pz = vk_group_row(group, 2);
  uint32_t absent = vk_absent_edges(group), starts = 0, stops = 0;
  __m256 x = _mm256_set1_ps(qx), y = _mm256_set1_ps(qy), z = _mm256_set1_ps(qz), far = _mm256_set1_ps(1e37f);
  __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  vk_f4 smallest = vk_splat(1e37f);
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 8) {
    __m256 x1 = vk_steps8(px + i), ex = _mm256_sub_ps(vk_steps8(px + i + 1), x1);
    __m256 y1 = vk_steps8(py + i), ey = _mm256_sub_ps(vk_steps8(py + i + 1), y1);
    __m256 z1 = vk_steps8(pz + i), ez = _mm256_sub_ps(vk_steps8(pz + i + 1), z1);
    __m256 wx = _mm256_sub_ps(x, x1), wy = _mm256_sub_ps(y, y1), wz = _mm256_sub_ps(z, z1);
    __m256 ee = vk_squares8(ex, ey, ez);
    __m256 we = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(wx, ex), _mm256_mul_ps(wy, ey)), _mm256_mul_ps(wz, ez));
    __m256 t = _mm256_min_ps(_mm256_max_ps(_mm256_div_ps(we, ee), _mm256_setzero_ps()), _mm256_set1_ps(1));
    starts |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(we, _mm256_set1_ps(-margin), _CMP_LT_OS)) << i;
    stops |= (uint32_t)_mm256_movemask_ps(
        _mm256_cmp_ps(_mm256_set1_ps(margin), _mm256_sub_ps(we, ee), _CMP_LT_OS)) << i;
    __m256 sum = vk_squares8(
        _mm256_sub_ps(wx, _mm256_mul_ps(t, ex)), _mm256_sub_ps(wy, _mm256_mul_ps(t, ey)),
        _mm256_sub_ps(wz, _mm256_mul_ps(t, ez)));
    __m256i lanes = _mm256_and_si256(_mm256_set1_epi32((int)(absent >> i)), bits);
    sum = _mm256_blendv_ps(sum, far, _mm256_castsi256_ps(_mm256_cmpeq_epi32(lanes, bits)));
    _mm256_storeu_ps(out + i, sum);
    smallest = vk_min(_mm256_castps256_ps128(sum), smallest);
    smallest = vk_min(_mm256_extractf128_ps(sum, 1), smallest);
  }
  *ends = starts | stops << 16;
  return vk_smallest4(smallest);
}

static inline uint32_t below16_8(const float *p, float limit) {
  __m256 v = _mm256_set1_ps(limit);
  return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(p), v, _CMP_LT_OS))
      | (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(p + 8), v, _CMP_LT_OS)) << 8;
}
#define VK_LOOK(name) name##8
#define VK_LOOK_GAPS edge_gaps_8
#define VK_LOOK_BELOW below16_8
#include "vicinity_look.h"

#define VK_DESCENT(name) name##8
#define VK_DESCENT_BOXES box_gaps_8
#define VK_LOOK(name) name##8
#include "vicinity_descent.h"

typedef double vk_d4 __attribute__((vector_size(32)));
static inline vk_d4 vk_clamped4(vk_d4 t) {
  return (vk_d4)_mm256_min_pd(_mm256_max_pd((__m256d)t, _mm256_setzero_pd()), _mm256_set1_pd(1));
}
static inline vk_d4 vk_atleast4(vk_d4 a, double b) { return (vk_d4)_mm256_max_pd((__m256d)a, _mm256_set1_pd(b)); }
static inline vk_d4 vk_sqrt4(vk_d4 a) { return (vk_d4)_mm256_sqrt_pd((__m256d)a); }
#define VK_FEET_LANES 4
#define VK_FEET(name) name##4
#define VK_FEET_NAME measure_feet_4
#include "vicinity_feet.h"

#pragma clang attribute pop

// MARK: Sixteen (AVX-512)
#pragma clang attribute push(__attribute__((target("avx2,avx512f"))), apply_to = function)

static inline __m512 vk_interval_gaps16(const uint16_t *low, const uint16_t *high, int32_t below, int32_t above) {
  __m256i under = _mm256_subs_epu16(_mm256_loadu_si256((const __m256i *)low), _mm256_set1_epi16((short)above));
  __m256i over = _mm256_subs_epu16(_mm256_set1_epi16((short)below), _mm256_loadu_si256((const __m256i *)high));
  return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_or_si256(under, over)));
}

static inline __m512 vk_squares16(__m512 x, __m512 y, __m512 z) {
  return _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(x, x), _mm512_mul_ps(y, y)), _mm512_mul_ps(z, z));
}

static float box_gaps_16(const void *node, const vk_frame *f, int count, float *out, float *next) {
  const uint16_t *p = (const uint16_t *)node;
  __m512 far = _mm512_set1_ps(1e37f), number = _mm512_loadu_ps(numbers);
  __m512 x = vk_interval_gaps16(p, p + 48, f->below[0], f->above[0]);
  __m512 y = vk_interval_gaps16(p + 16, p + 64, f->below[1], f->above[1]);
  __m512 z = vk_interval_gaps16(p + 32, p + 80, f->below[2], f->above[2]);
  __m512 dx = _mm512_add_ps(_mm512_mul_ps(x, _mm512_set1_ps(f->step[0])), _mm512_set1_ps(f->out[0]));
  __m512 dy = _mm512_add_ps(_mm512_mul_ps(y, _mm512_set1_ps(f->step[1])), _mm512_set1_ps(f->out[1]));
  __m512 dz = _mm512_add_ps(_mm512_mul_ps(z, _mm512_set1_ps(f->step[2])), _mm512_set1_ps(f->out[2]));
  __mmask16 isPresent = _mm512_cmp_ps_mask(number, _mm512_set1_ps((float)count), _CMP_LT_OS);
  __m512 sum = _mm512_mask_mov_ps(far, isPresent, _mm512_min_ps(vk_squares16(dx, dy, dz), far));
  __m512i rest = _mm512_and_si512(_mm512_castps_si512(sum), _mm512_set1_epi32(~15));
  sum = _mm512_castsi512_ps(_mm512_or_si512(rest, _mm512_cvtps_epi32(number)));
  _mm512_storeu_ps(out, sum);
  vk_f4 smallest = vk_min(vk_splat(1e37f), _mm512_castps512_ps128(sum));
  smallest = vk_min(smallest, _mm512_extractf32x4_ps(sum, 1));
  smallest = vk_min(smallest, _mm512_extractf32x4_ps(sum, 2));
  float least = vk_smallest4(vk_min(smallest, _mm512_extractf32x4_ps(sum, 3)));
  __mmask16 isOther = _mm512_cmp_ps_mask(_mm512_set1_ps(least), sum, _CMP_LT_OS);
  __m512 others = _mm512_mask_mov_ps(_mm512_set1_ps(3e38f), isOther, sum);
  vk_f4 second = vk_min(_mm512_castps512_ps128(others), _mm512_extractf32x4_ps(others, 1));
  second = vk_min(second, vk_min(_mm512_extractf32x4_ps(others, 2), _mm512_extractf32x4_ps(others, 3)));
  *next = vk_smallest4(second);
  return least;
}

static inline __m512 vk_steps16(const int16_t *p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p)));
}

static inline float edge_gaps_16(
    const void *group, float qx, float qy, float qz, float margin, float *out, uint32_t *ends) {
  const int16_t *px = vk_group_row(group, 0), *py = vk_group_row(group, 1), *pz = vk_group_row(group, 2);
  __m512 x1 = vk_steps16(px), ex = _mm512_sub_ps(vk_steps16(px + 1), x1);
  __m512 y1 = vk_steps16(py), ey = _mm512_sub_ps(vk_steps16(py + 1), y1);
  __m512 z1 = vk_steps16(pz), ez = _mm512_sub_ps(vk_steps16(pz + 1), z1);
  __m512 wx = _mm512_sub_ps(_mm512_set1_ps(qx), x1), wy = _mm512_sub_ps(_mm512_set1_ps(qy), y1);
  __m512 wz = _mm512_sub_ps(_mm512_set1_ps(qz), z1);
  __m512 ee = vk_squares16(ex, ey, ez);
  __m512 we = _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(wx, ex), _mm512_mul_ps(wy, ey)), _mm512_mul_ps(wz, ez));
  __m512 t = _mm512_min_ps(_mm512_max_ps(_mm512_div_ps(we, ee), _mm512_setzero_ps()), _mm512_set1_ps(1));
  uint32_t starts = _mm512_cmp_ps_mask(we, _mm512_set1_ps(-margin), _CMP_LT_OS);
  uint32_t stops = _mm512_cmp_ps_mask(_mm512_set1_ps(margin), _mm512_sub_ps(we, ee), _CMP_LT_OS);
  *ends = starts | stops << 16;
  __m512 sum = vk_squares16(
      _mm512_sub_ps(wx, _mm512_mul_ps(t, ex)), _mm512_sub_ps(wy, _mm512_mul_ps(t, ey)),
      _mm512_sub_ps(wz, _mm512_mul_ps(t, ez)));
  sum = _mm512_mask_mov_ps(sum, (__mmask16)vk_absent_edges(group), _mm512_set1_ps(1e37f));
  _mm512_storeu_ps(out, sum);
  vk_f4 smallest = vk_min(_mm512_castps512_ps128(sum), vk_splat(1e37f));
  smallest = vk_min(_mm512_extractf32x4_ps(sum, 1), smallest);
  smallest = vk_min(_mm512_extractf32x4_ps(sum, 2), smallest);
  return vk_smallest4(vk_min(_mm512_extractf32x4_ps(sum, 3), smallest));
}

static inline uint32_t below16_16(const float *p, float limit) {
  return _mm512_cmp_ps_mask(_mm512_loadu_ps(p), _mm512_set1_ps(limit), _CMP_LT_OS);
}
#define VK_LOOK(name) name##16
#define VK_LOOK_GAPS edge_gaps_16
#define VK_LOOK_BELOW below16_16
#include "vicinity_look.h"

#define VK_DESCENT(name) name##16
#define VK_DESCENT_BOXES box_gaps_16
#define VK_LOOK(name) name##16
#include "vicinity_descent.h"

typedef double vk_d8 __attribute__((vector_size(64)));
static inline vk_d8 vk_clamped8(vk_d8 t) {
  return (vk_d8)_mm512_min_pd(_mm512_max_pd((__m512d)t, _mm512_setzero_pd()), _mm512_set1_pd(1));
}
static inline vk_d8 vk_atleast8(vk_d8 a, double b) { return (vk_d8)_mm512_max_pd((__m512d)a, _mm512_set1_pd(b)); }
static inline vk_d8 vk_sqrt8(vk_d8 a) { return (vk_d8)_mm512_sqrt_pd((__m512d)a); }
#define VK_FEET_LANES 8
#define VK_FEET(name) name##8
#define VK_FEET_NAME measure_feet_8
#include "vicinity_feet.h"

#pragma clang attribute pop

static int widest;
// By the widest vectors there are.
static float (*widest_box_gaps)(const void *, const vk_frame *, int, float *, float *) = vk_box_gaps;
static void (*widest_look)(const void *, double, double, double, vk_look *) = vk_look_at;
static void (*widest_descend)(vk_descent *, uint32_t, double, double, double) = vk_descend;
static void (*widest_measure_feet)(const vk_chord_series *, vk_feet *, double, double, double) = vk_measure_feet;

// Before anything else runs, so that no thread sees it change.
__attribute__((constructor)) static void find_widest(void) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2")) return;
  widest = __builtin_cpu_supports("avx512f") ? 2 : 1;
  widest_box_gaps = widest == 2 ? box_gaps_16 : box_gaps_8;
  widest_look = widest == 2 ? vk_look_at16 : vk_look_at8;
  widest_descend = widest == 2 ? vk_descend16 : vk_descend8;
  widest_measure_feet = widest == 2 ? measure_feet_8 : measure_feet_4;
}
#else
enum { widest = 0 };
#define widest_box_gaps vk_box_gaps
#define widest_look vk_look_at
#define widest_descend vk_descend
#define widest_measure_feet vk_measure_feet
#endif

int vk_widest(void) { return widest; }

float vk_box_gaps_by(int width, const void *node, const vk_frame *frame, int count, float *out, float *next) {
#ifdef VK_HAS_WIDER
  if (width == 2) return box_gaps_16(node, frame, count, out, next);
  if (width == 1) return box_gaps_8(node, frame, count, out, next);
#endif
  return vk_box_gaps(node, frame, count, out, next);
}

void vk_look_by(int width, const void *group, double qx, double qy, double qz, vk_look *look) {
#ifdef VK_HAS_WIDER
  if (width == 2) { vk_look_at16(group, qx, qy, qz, look); return; }
  if (width == 1) { vk_look_at8(group, qx, qy, qz, look); return; }
#endif
  vk_look_at(group, qx, qy, qz, look);
}

void vk_descend_by(int width, vk_descent *descents, uint32_t count, double qx, double qy, double qz) {
#ifdef VK_HAS_WIDER
  if (width == 2) { vk_descend16(descents, count, qx, qy, qz); return; }
  if (width == 1) { vk_descend8(descents, count, qx, qy, qz); return; }
#endif
  vk_descend(descents, count, qx, qy, qz);
}

void vk_measure_feet_by(int width, const vk_chord_series *k, vk_feet *feet, double qx, double qy, double qz) {
#ifdef VK_HAS_WIDER
  if (width == 2) { measure_feet_8(k, feet, qx, qy, qz); return; }
  if (width == 1) { measure_feet_4(k, feet, qx, qy, qz); return; }
#endif
  vk_measure_feet(k, feet, qx, qy, qz);
}

float vk_wide_box_gaps(const void *node, const vk_frame *frame, int count, float *out, float *next) {
  return widest_box_gaps(node, frame, count, out, next);
}

void vk_wide_look(const void *group, double qx, double qy, double qz, vk_look *look) {
  widest_look(group, qx, qy, qz, look);
}

void vk_wide_descend(vk_descent *descents, uint32_t count, double qx, double qy, double qz) {
  widest_descend(descents, count, qx, qy, qz);
}

void vk_wide_measure_feet(const vk_chord_series *k, vk_feet *feet, double qx, double qy, double qz) {
  widest_measure_feet(k, feet, qx, qy, qz);
}
