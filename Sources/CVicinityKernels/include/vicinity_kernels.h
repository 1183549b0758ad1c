// Sixteen-lane kernels of the packed tree: the few loops where compare-and-select has to become one
// instruction. Baseline SSE2 or NEON, with a portable twin that the tests hold the others to.
//
// Swift's SIMD types express the same arithmetic, but their masks compile to several shuffles and shifts where one
// MINPS or MOVMSKPS does (Swift 6.3.1, x86-64, without flags for the machine).
//
// Layouts are those of TreeLayout.swift. Distances in metres.

#ifndef VICINITY_KERNELS_H
#define VICINITY_KERNELS_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(VICINITY_PORTABLE_KERNELS)
#include <emmintrin.h>
typedef __m128 vk_f4;
static inline vk_f4 vk_load(const float *p) { return _mm_loadu_ps(p); }
static inline void vk_store(float *p, vk_f4 v) { _mm_storeu_ps(p, v); }
static inline vk_f4 vk_splat(float x) { return _mm_set1_ps(x); }
static inline vk_f4 vk_min(vk_f4 a, vk_f4 b) { return _mm_min_ps(a, b); }
static inline vk_f4 vk_max(vk_f4 a, vk_f4 b) { return _mm_max_ps(a, b); }
static inline vk_f4 vk_sqrt(vk_f4 a) { return _mm_sqrt_ps(a); }
static inline vk_f4 vk_abs(vk_f4 a) {
  return _mm_and_ps(a, _mm_castsi128_ps(_mm_set1_epi32(0x7fffffff)));
}
static inline uint32_t vk_less(vk_f4 a, vk_f4 b) {
  return (uint32_t)_mm_movemask_ps(_mm_cmplt_ps(a, b));
}
// Sets the four low mantissa bits of each lane to lane, lane + 1, lane + 2, lane + 3.
static inline vk_f4 vk_tag(vk_f4 a, int lane) {
  __m128i bits = _mm_and_si128(_mm_castps_si128(a), _mm_set1_epi32(~15));
  return _mm_castsi128_ps(_mm_or_si128(bits, _mm_setr_epi32(lane, lane + 1, lane + 2, lane + 3)));
}
static inline float vk_smallest4(vk_f4 v) {
  v = _mm_min_ps(v, _mm_movehl_ps(v, v));
  v = _mm_min_ss(v, _mm_shuffle_ps(v, v, 1));
  return _mm_cvtss_f32(v);
}
// Where a < b the lane of x, elsewhere that of y.
static inline vk_f4 vk_where_less(vk_f4 a, vk_f4 b, vk_f4 x, vk_f4 y) {
  __m128 mask = _mm_cmplt_ps(a, b);
  return _mm_or_ps(_mm_and_ps(mask, x), _mm_andnot_ps(mask, y));
}
// The last lane of `a`, then the first three of `b`.
static inline vk_f4 vk_shifted(vk_f4 a, vk_f4 b) {
  return _mm_move_ss(_mm_shuffle_ps(b, b, _MM_SHUFFLE(2, 1, 0, 3)), _mm_shuffle_ps(a, a, _MM_SHUFFLE(2, 1, 0, 3)));
}
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(VICINITY_PORTABLE_KERNELS)
#include <arm_neon.h>
typedef float32x4_t vk_f4;
static inline vk_f4 vk_load(const float *p) { return vld1q_f32(p); }
static inline void vk_store(float *p, vk_f4 v) { vst1q_f32(p, v); }
static inline vk_f4 vk_splat(float x) { return vdupq_n_f32(x); }
// FMIN would hand on a NaN; compare-and-select ignores it, as MINPS does.
static inline vk_f4 vk_min(vk_f4 a, vk_f4 b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
static inline vk_f4 vk_max(vk_f4 a, vk_f4 b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
static inline vk_f4 vk_sqrt(vk_f4 a) { return vsqrtq_f32(a); }
static inline vk_f4 vk_abs(vk_f4 a) { return vabsq_f32(a); }
static inline uint32_t vk_less(vk_f4 a, vk_f4 b) {
  const uint32_t weights[4] = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(vcltq_f32(a, b), vld1q_u32(weights)));
}
static inline vk_f4 vk_tag(vk_f4 a, int lane) {
  const uint32_t lanes[4] = {(uint32_t)lane, (uint32_t)lane + 1, (uint32_t)lane + 2, (uint32_t)lane + 3};
  uint32x4_t bits = vandq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(~15u));
  return vreinterpretq_f32_u32(vorrq_u32(bits, vld1q_u32(lanes)));
}
static inline float vk_smallest4(vk_f4 v) { return vminvq_f32(v); }
static inline vk_f4 vk_shifted(vk_f4 a, vk_f4 b) { return vextq_f32(a, b, 3); }
static inline vk_f4 vk_where_less(vk_f4 a, vk_f4 b, vk_f4 x, vk_f4 y) { return vbslq_f32(vcltq_f32(a, b), x, y); }
#else
typedef struct { float lane[4]; } vk_f4;
static inline vk_f4 vk_load(const float *p) { vk_f4 v; memcpy(v.lane, p, 16); return v; }
static inline void vk_store(float *p, vk_f4 v) { memcpy(p, v.lane, 16); }
static inline vk_f4 vk_splat(float x) { vk_f4 v = {{x, x, x, x}}; return v; }
#define VK_LANES(expression) \
  vk_f4 v; for (int i = 0; i < 4; i++) { v.lane[i] = (expression); } return v
static inline vk_f4 vk_min(vk_f4 a, vk_f4 b) { VK_LANES(a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]); }
static inline vk_f4 vk_max(vk_f4 a, vk_f4 b) { VK_LANES(a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]); }
static inline vk_f4 vk_sqrt(vk_f4 a) { VK_LANES(__builtin_sqrtf(a.lane[i])); }
static inline vk_f4 vk_abs(vk_f4 a) { VK_LANES(__builtin_fabsf(a.lane[i])); }
static inline uint32_t vk_less(vk_f4 a, vk_f4 b) {
  uint32_t mask = 0;
  for (int i = 0; i < 4; i++) mask |= (uint32_t)(a.lane[i] < b.lane[i]) << i;
  return mask;
}
static inline vk_f4 vk_tag(vk_f4 a, int lane) {
  for (int i = 0; i < 4; i++) {
    uint32_t bits;
    memcpy(&bits, &a.lane[i], 4);
    bits = (bits & ~15u) | (uint32_t)(lane + i);
    memcpy(&a.lane[i], &bits, 4);
  }
  return a;
}
static inline float vk_smallest4(vk_f4 v) {
  float a = v.lane[0] < v.lane[2] ? v.lane[0] : v.lane[2];
  float b = v.lane[1] < v.lane[3] ? v.lane[1] : v.lane[3];
  return a < b ? a : b;
}
static inline vk_f4 vk_where_less(vk_f4 a, vk_f4 b, vk_f4 x, vk_f4 y) {
  VK_LANES(a.lane[i] < b.lane[i] ? x.lane[i] : y.lane[i]);
}
#undef VK_LANES
static inline vk_f4 vk_shifted(vk_f4 a, vk_f4 b) {
  vk_f4 v = {{a.lane[3], b.lane[0], b.lane[1], b.lane[2]}};
  return v;
}
#endif

// The struct of the portable twin has no operators, the vector types of Clang do.
#if (defined(__SSE2__) || (defined(__ARM_NEON) && defined(__aarch64__))) && !defined(VICINITY_PORTABLE_KERNELS)
static inline vk_f4 vk_add(vk_f4 a, vk_f4 b) { return a + b; }
static inline vk_f4 vk_sub(vk_f4 a, vk_f4 b) { return a - b; }
static inline vk_f4 vk_mul(vk_f4 a, vk_f4 b) { return a * b; }
#else
static inline vk_f4 vk_add(vk_f4 a, vk_f4 b) { for (int i = 0; i < 4; i++) a.lane[i] += b.lane[i]; return a; }
static inline vk_f4 vk_sub(vk_f4 a, vk_f4 b) { for (int i = 0; i < 4; i++) a.lane[i] -= b.lane[i]; return a; }
static inline vk_f4 vk_mul(vk_f4 a, vk_f4 b) { for (int i = 0; i < 4; i++) a.lane[i] *= b.lane[i]; return a; }
#endif

// 1 / Rmax², Rmax = a²/b = 6399593.6258 m, rounded down.
#define VK_INVERSE_SQUARE 2.4417e-14f
// Shrinks every chord by TreeLayout.slack, so that rounding never lifts a lower bound.
#define VK_K0 0.999996f
#define VK_K1 (0.999996f / 24)
#define VK_K2 (0.999996f * 3 / 640)

// Asks for a block's lines ahead of their use.
static inline void vk_prefetch(const void *p, int bytes) {
  for (int i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)p + i, 0, 3);
}

// The smallest of sixteen floats.
static inline float vk_smallest16(const float *p) {
  vk_f4 a = vk_min(vk_load(p), vk_load(p + 4));
  vk_f4 b = vk_min(vk_load(p + 8), vk_load(p + 12));
  return vk_smallest4(vk_min(a, b));
}

// The place of the smallest of `count` floats; `count` is padded to a multiple of four with large ones.
static inline int vk_argmin(const float *p, int count) {
  vk_f4 v = vk_load(p);
  for (int i = 4; i < count; i += 4) v = vk_min(v, vk_load(p + i));
  vk_f4 smallest = vk_splat(vk_smallest4(v));
  for (int i = 0; i < count; i += 4) {
    uint32_t larger = vk_less(smallest, vk_load(p + i));
    if (larger != 15) return i + __builtin_ctz(~larger);
  }
  return 0;
}

// The child of a node that a circle fits best: the one whose box and reach would have to grow least,
// b² + (r - reach)²; what is left open goes to the nearest centre and reach, 1e-6 (c² + (reach - r)²).
// Absent children stand so far away that any other is better. r is at most 1e8; only lanes in `mask` count.
static inline int vk_best_child(const void *node, float qx, float qy, float qz, float r, uint32_t mask) {
  const float *p = (const float *)node;
  vk_f4 x = vk_splat(qx), y = vk_splat(qy), z = vk_splat(qz), radius = vk_splat(r);
  vk_f4 zero = vk_splat(0), weight = vk_splat(1e-6f), cap = vk_splat(1e8f);
  float scores[16];
  for (int i = 0; i < 16; i += 4) {
    vk_f4 cx = vk_abs(vk_sub(x, vk_load(p + i)));
    vk_f4 cy = vk_abs(vk_sub(y, vk_load(p + 16 + i)));
    vk_f4 cz = vk_abs(vk_sub(z, vk_load(p + 32 + i)));
    vk_f4 reach = vk_min(vk_load(p + 96 + i), cap);
    vk_f4 dx = vk_max(vk_sub(cx, vk_load(p + 48 + i)), zero);
    vk_f4 dy = vk_max(vk_sub(cy, vk_load(p + 64 + i)), zero);
    vk_f4 dz = vk_max(vk_sub(cz, vk_load(p + 80 + i)), zero);
    vk_f4 dr = vk_max(vk_sub(radius, reach), zero);
    vk_f4 cr = vk_max(vk_sub(reach, radius), zero);
    vk_f4 growth = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_add(vk_mul(dz, dz), vk_mul(dr, dr)));
    vk_f4 offset = vk_add(vk_add(vk_mul(cx, cx), vk_mul(cy, cy)), vk_add(vk_mul(cz, cz), vk_mul(cr, cr)));
    vk_store(scores + i, vk_add(growth, vk_mul(offset, weight)));
  }
  if (mask != 0xffff) {
    for (int i = 0; i < 16; i++) if (!(mask >> i & 1)) scores[i] = 3e38f;
  }
  return vk_argmin(scores, 16);
}

// Lower bounds of the boundary distance to anything below each child of a node: the chord to the child's
// box, raised to a geodesic by c (1 + u/24 + 3u²/640), u = (c/Rmax)², less the child's reach and
// `epsilon`. Writes sixteen bounds, each with its lane number in its four low mantissa bits, and
// returns the smallest.
static inline float vk_node_bounds(const void *node, float qx, float qy, float qz, float epsilon, float *out) {
  const float *p = (const float *)node;
  vk_f4 x = vk_splat(qx), y = vk_splat(qy), z = vk_splat(qz), e = vk_splat(epsilon);
  vk_f4 zero = vk_splat(0), smallest = vk_splat(3e38f);
  for (int i = 0; i < 16; i += 4) {
    vk_f4 dx = vk_max(vk_sub(vk_abs(vk_sub(x, vk_load(p + i))), vk_load(p + 48 + i)), zero);
    vk_f4 dy = vk_max(vk_sub(vk_abs(vk_sub(y, vk_load(p + 16 + i))), vk_load(p + 64 + i)), zero);
    vk_f4 dz = vk_max(vk_sub(vk_abs(vk_sub(z, vk_load(p + 32 + i))), vk_load(p + 80 + i)), zero);
    vk_f4 c2 = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    vk_f4 c = vk_sqrt(c2);
    vk_f4 u = vk_mul(c2, vk_splat(VK_INVERSE_SQUARE));
    vk_f4 series = vk_add(vk_splat(VK_K0), vk_mul(u, vk_add(vk_splat(VK_K1), vk_mul(u, vk_splat(VK_K2)))));
    vk_f4 bound = vk_sub(vk_sub(vk_mul(c, series), vk_load(p + 96 + i)), e);
    bound = vk_tag(bound, i);
    vk_store(out + i, bound);
    smallest = vk_min(smallest, bound);
  }
  return vk_smallest4(smallest);
}

// Lower and upper bounds of the boundary distance to each circle of a leaf, (qx, qy, qz) relative to the
// leaf's origin. The upper bound adds what the chord leaves open, c (8.6e-4 u + 2.2e-4 u² + 1.3e-3 u³)
// for u <= 1.6 (the chord's upper bound less its lower one; nothing beyond that), and the slack twice.
// Returns the mask of lanes whose lower bound is below `threshold`.
static inline uint32_t vk_leaf_bounds(
    const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower, float *upper) {
  const float *p = (const float *)leaf;
  vk_f4 x = vk_splat(qx), y = vk_splat(qy), z = vk_splat(qz), e = vk_splat(epsilon);
  vk_f4 limit = vk_splat(threshold), far = vk_splat(3e38f);
  uint32_t mask = 0;
  for (int i = 0; i < 16; i += 4) {
    vk_f4 dx = vk_sub(x, vk_load(p + i));
    vk_f4 dy = vk_sub(y, vk_load(p + 16 + i));
    vk_f4 dz = vk_sub(z, vk_load(p + 32 + i));
    vk_f4 r = vk_load(p + 48 + i);
    vk_f4 c2 = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    vk_f4 c = vk_sqrt(c2);
    vk_f4 u = vk_mul(c2, vk_splat(VK_INVERSE_SQUARE));
    vk_f4 series = vk_add(vk_splat(VK_K0), vk_mul(u, vk_add(vk_splat(VK_K1), vk_mul(u, vk_splat(VK_K2)))));
    vk_f4 bound = vk_sub(vk_sub(vk_mul(c, series), r), e);
    vk_f4 open = vk_add(vk_splat(1.2e-5f), vk_mul(u, vk_add(vk_splat(8.7e-4f),
        vk_mul(u, vk_add(vk_splat(2.3e-4f), vk_mul(u, vk_splat(1.4e-3f)))))));
    vk_f4 band = vk_add(vk_mul(c, open), vk_add(vk_mul(r, vk_splat(1.2e-5f)), vk_add(e, e)));
    // Beyond u = 1.6 the series says nothing: 1e30 there is larger than any threshold.
    vk_f4 beyond = vk_mul(vk_max(vk_sub(u, vk_splat(1.6f)), vk_splat(0)), vk_splat(1e37f));
    vk_f4 high = vk_min(vk_add(vk_add(bound, band), beyond), far);
    vk_store(lower + i, bound);
    vk_store(upper + i, high);
    mask |= vk_less(bound, limit) << i;
  }
  return mask;
}

// Parts sixteen bounded distances by `pivot`: a lane is inside when the middle of its bounds is below. Returns the
// mask of inside lanes; lowers *outside to the smallest lower bound of the others and raises *inside to the largest
// upper bound of these.
static inline uint32_t vk_part(
    const float *lower, const float *upper, float pivot, float *inside, float *outside) {
  vk_f4 middle = vk_splat(2 * pivot), high = vk_splat(*inside), low = vk_splat(*outside);
  vk_f4 most = vk_splat(3e38f);
  uint32_t mask = 0;
  for (int i = 0; i < 16; i += 4) {
    vk_f4 l = vk_load(lower + i), u = vk_load(upper + i), sum = vk_add(l, u);
    mask |= vk_less(sum, middle) << i;
    high = vk_max(high, vk_where_less(sum, middle, u, vk_sub(vk_splat(0), most)));
    low = vk_min(low, vk_where_less(sum, middle, most, l));
  }
  *inside = -vk_smallest4(vk_sub(vk_splat(0), high));
  *outside = vk_smallest4(low);
  return mask;
}

// Inserts into an ascending list of floats those of sixteen `values` whose bit in `mask` is set, the largest falling
// out. The list starts at list[4]; list[3] must hold -infinity.
//
// Branch-free: every element becomes the middle one of its left neighbour, itself and the new value. Up to 24
// elements stay in six registers for the whole leaf: through memory, each load would straddle two stores
// of the insertion before and wait for both (100k regions, near: 1.45 us a query through memory, 1.25 so).
static inline void vk_insert(float *list, int chunks, const float *values, uint32_t mask) {
  if (chunks <= 6) {
    vk_f4 a = vk_load(list + 4), b = vk_load(list + 8), c = vk_load(list + 12), d = vk_load(list + 16),
          e = vk_load(list + 20), f = vk_load(list + 24), least = vk_load(list);
    while (mask != 0) {
      vk_f4 v = vk_splat(values[__builtin_ctz(mask)]);
      mask &= mask - 1;
      f = vk_max(vk_shifted(e, f), vk_min(f, v));
      e = vk_max(vk_shifted(d, e), vk_min(e, v));
      d = vk_max(vk_shifted(c, d), vk_min(d, v));
      c = vk_max(vk_shifted(b, c), vk_min(c, v));
      b = vk_max(vk_shifted(a, b), vk_min(b, v));
      a = vk_max(vk_shifted(least, a), vk_min(a, v));
    }
    vk_store(list + 4, a);
    vk_store(list + 8, b);
    vk_store(list + 12, c);
    vk_store(list + 16, d);
    vk_store(list + 20, e);
    vk_store(list + 24, f);
    return;
  }
  while (mask != 0) {
    vk_f4 v = vk_splat(values[__builtin_ctz(mask)]);
    mask &= mask - 1;
    for (int i = 4 * chunks; i > 0; i -= 4) {
      vk_f4 here = vk_load(list + i), left = vk_load(list + i - 1);
      vk_store(list + i, vk_max(left, vk_min(here, v)));
    }
  }
}

#endif
