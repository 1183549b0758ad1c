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
// From a 16-byte boundary, where a load can be part of another instruction.
static inline vk_f4 vk_load_aligned(const float *p) { return _mm_load_ps(p); }
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
// Lanes of `x`, but no numbers where a < b, or where not: those drop out of vk_min and vk_max as first operands.
static inline vk_f4 vk_drop_less(vk_f4 a, vk_f4 b, vk_f4 x) { return _mm_or_ps(_mm_cmplt_ps(a, b), x); }
static inline vk_f4 vk_keep_less(vk_f4 a, vk_f4 b, vk_f4 x) { return _mm_or_ps(_mm_cmpnlt_ps(a, b), x); }
// The last lane of `a`, then the first three of `b`.
static inline vk_f4 vk_shifted(vk_f4 a, vk_f4 b) {
  return _mm_move_ss(_mm_shuffle_ps(b, b, _MM_SHUFFLE(2, 1, 0, 3)), _mm_shuffle_ps(a, a, _MM_SHUFFLE(2, 1, 0, 3)));
}
// Lanes of `x` where bit `lane`, `lane` + 1, ... of `mask` is set, of `y` elsewhere.
static inline vk_f4 vk_chosen(uint32_t mask, int lane, vk_f4 x, vk_f4 y) {
  __m128i bits = _mm_setr_epi32(1 << lane, 2 << lane, 4 << lane, 8 << lane);
  __m128 m = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)mask), bits), bits));
  return _mm_or_ps(_mm_and_ps(m, x), _mm_andnot_ps(m, y));
}
// The halves, the even and odd lanes, and the zipped halves of two vectors.
static inline vk_f4 vk_low(vk_f4 a, vk_f4 b) { return _mm_movelh_ps(a, b); }
static inline vk_f4 vk_high(vk_f4 a, vk_f4 b) { return _mm_movehl_ps(b, a); }
static inline vk_f4 vk_even(vk_f4 a, vk_f4 b) { return _mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)); }
static inline vk_f4 vk_odd(vk_f4 a, vk_f4 b) { return _mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)); }
static inline vk_f4 vk_zip_low(vk_f4 a, vk_f4 b) { return _mm_unpacklo_ps(a, b); }
static inline vk_f4 vk_zip_high(vk_f4 a, vk_f4 b) { return _mm_unpackhi_ps(a, b); }
static inline vk_f4 vk_reversed(vk_f4 a) { return _mm_shuffle_ps(a, a, _MM_SHUFFLE(0, 1, 2, 3)); }
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(VICINITY_PORTABLE_KERNELS)
#include <arm_neon.h>
typedef float32x4_t vk_f4;
static inline vk_f4 vk_load(const float *p) { return vld1q_f32(p); }
static inline vk_f4 vk_load_aligned(const float *p) { return vld1q_f32(p); }
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
static inline vk_f4 vk_chosen(uint32_t mask, int lane, vk_f4 x, vk_f4 y) {
  const uint32_t bits[4] = {1u << lane, 2u << lane, 4u << lane, 8u << lane};
  return vbslq_f32(vtstq_u32(vdupq_n_u32(mask), vld1q_u32(bits)), x, y);
}
static inline vk_f4 vk_low(vk_f4 a, vk_f4 b) { return vcombine_f32(vget_low_f32(a), vget_low_f32(b)); }
static inline vk_f4 vk_high(vk_f4 a, vk_f4 b) { return vcombine_f32(vget_high_f32(a), vget_high_f32(b)); }
static inline vk_f4 vk_even(vk_f4 a, vk_f4 b) { return vuzp1q_f32(a, b); }
static inline vk_f4 vk_odd(vk_f4 a, vk_f4 b) { return vuzp2q_f32(a, b); }
static inline vk_f4 vk_zip_low(vk_f4 a, vk_f4 b) { return vzip1q_f32(a, b); }
static inline vk_f4 vk_zip_high(vk_f4 a, vk_f4 b) { return vzip2q_f32(a, b); }
static inline vk_f4 vk_reversed(vk_f4 a) { vk_f4 v = vrev64q_f32(a); return vextq_f32(v, v, 2); }
static inline vk_f4 vk_where_less(vk_f4 a, vk_f4 b, vk_f4 x, vk_f4 y) { return vbslq_f32(vcltq_f32(a, b), x, y); }
static inline vk_f4 vk_drop_less(vk_f4 a, vk_f4 b, vk_f4 x) {
  return vreinterpretq_f32_u32(vorrq_u32(vcltq_f32(a, b), vreinterpretq_u32_f32(x)));
}
static inline vk_f4 vk_keep_less(vk_f4 a, vk_f4 b, vk_f4 x) {
  return vreinterpretq_f32_u32(vorrq_u32(vmvnq_u32(vcltq_f32(a, b)), vreinterpretq_u32_f32(x)));
}
#else
typedef struct { float lane[4]; } vk_f4;
static inline vk_f4 vk_load(const float *p) { vk_f4 v; memcpy(v.lane, p, 16); return v; }
static inline vk_f4 vk_load_aligned(const float *p) { return vk_load(p); }
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
static inline vk_f4 vk_drop_less(vk_f4 a, vk_f4 b, vk_f4 x) {
  VK_LANES(a.lane[i] < b.lane[i] ? __builtin_nanf("") : x.lane[i]);
}
static inline vk_f4 vk_keep_less(vk_f4 a, vk_f4 b, vk_f4 x) {
  VK_LANES(a.lane[i] < b.lane[i] ? x.lane[i] : __builtin_nanf(""));
}
static inline vk_f4 vk_chosen(uint32_t mask, int lane, vk_f4 x, vk_f4 y) {
  VK_LANES(mask >> (lane + i) & 1 ? x.lane[i] : y.lane[i]);
}
#undef VK_LANES
#define VK_PICK(name, w, x, y, z) \
  static inline vk_f4 name(vk_f4 a, vk_f4 b) { vk_f4 v = {{w, x, y, z}}; return v; }
VK_PICK(vk_shifted, a.lane[3], b.lane[0], b.lane[1], b.lane[2])
VK_PICK(vk_low, a.lane[0], a.lane[1], b.lane[0], b.lane[1])
VK_PICK(vk_high, a.lane[2], a.lane[3], b.lane[2], b.lane[3])
VK_PICK(vk_even, a.lane[0], a.lane[2], b.lane[0], b.lane[2])
VK_PICK(vk_odd, a.lane[1], a.lane[3], b.lane[1], b.lane[3])
VK_PICK(vk_zip_low, a.lane[0], b.lane[0], a.lane[1], b.lane[1])
VK_PICK(vk_zip_high, a.lane[2], b.lane[2], a.lane[3], b.lane[3])
#undef VK_PICK
static inline vk_f4 vk_reversed(vk_f4 a) {
  vk_f4 v = {{a.lane[3], a.lane[2], a.lane[1], a.lane[0]}};
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

// Asks for the lines of the first and the last of `bytes` bytes, no more than a line's.
static inline void vk_prefetch_ends(const void *p, int bytes) {
  __builtin_prefetch(p, 0, 3);
  __builtin_prefetch((const char *)p + bytes - 1, 0, 3);
}

// The same, no farther than into the second cache: for the many lines of polygons. A query for 20 among 4,556 states takes
// 6.97 us so, and 7.49 where all go into the first cache at once.
static inline void vk_request(const void *p, int bytes) {
  for (int i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)p + i, 0, 2);
}
static inline void vk_request_ends(const void *p, int bytes) {
  __builtin_prefetch(p, 0, 2);
  __builtin_prefetch((const char *)p + bytes - 1, 0, 2);
}

// Asks for the records of the lanes in `mask`, and no others: at a million regions every line comes from memory.
static inline void vk_prefetch_records(const void *records, int size, uint32_t mask) {
  while (mask != 0) {
    const char *record = (const char *)records + __builtin_ctz(mask) * size;
    mask &= mask - 1;
    vk_prefetch_ends(record, size);
  }
}

// The smallest of sixteen floats.
static inline float vk_smallest16(const float *p) {
  vk_f4 a = vk_min(vk_load(p), vk_load(p + 4));
  vk_f4 b = vk_min(vk_load(p + 8), vk_load(p + 12));
  return vk_smallest4(vk_min(a, b));
}

// Takes the smallest of sixteen floats, which no other equals, out of them: 3e38 stands in its place. Returns the
// smallest of the others.
//
// A load of a vector waits for a single lane of it that was stored just before; whole vectors are handed on.
static inline float vk_take16(float *p, float taken) {
  vk_f4 t = vk_splat(taken), far = vk_splat(3e38f), smallest = far;
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4) {
    vk_f4 v = vk_load(p + i);
    v = vk_where_less(t, v, v, far);
    vk_store(p + i, v);
    smallest = vk_min(smallest, v);
  }
  return vk_smallest4(smallest);
}

// The smallest of those of sixteen floats that are greater than `least`; 3e38 when none is.
static inline float vk_next16(const float *p, float least) {
  vk_f4 t = vk_splat(least), far = vk_splat(3e38f), smallest = far;
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4) {
    vk_f4 v = vk_load(p + i);
    smallest = vk_min(smallest, vk_where_less(t, v, v, far));
  }
  return vk_smallest4(smallest);
}

// Puts a float into place `i` of floats that start at a 16-byte boundary, by whole vectors as vk_take16 does.
static inline void vk_put(float *p, int i, float value) {
  float *q = p + (i & ~3);
  vk_store(q, vk_chosen(1u << (i & 3), 0, vk_splat(value), vk_load_aligned(q)));
}

// Appends a float to `count` floats that start at a 16-byte boundary, and 3e38 up to a multiple of four.
static inline void vk_push(float *p, int count, float value) {
  float *q = p + (count & ~3);
  vk_f4 far = vk_splat(3e38f), old = vk_chosen((1u << (count & 3)) - 1, 0, vk_load_aligned(q), far);
  vk_store(q, vk_chosen(1u << (count & 3), 0, vk_splat(value), old));
}

// The place of the smallest of `count` floats, which are padded with large ones to sixteen, and beyond to a multiple of
// four.
static inline int vk_argmin(const float *p, int count) {
  vk_f4 a = vk_load(p), b = vk_load(p + 4), v = vk_min(a, b);
  if (count <= 8) {
    vk_f4 smallest = vk_splat(vk_smallest4(v));
    return __builtin_ctz(~(vk_less(smallest, a) | vk_less(smallest, b) << 4));
  }
  if (count <= 16) {
    vk_f4 c = vk_load(p + 8), d = vk_load(p + 12);
    vk_f4 smallest = vk_splat(vk_smallest4(vk_min(v, vk_min(c, d))));
    return __builtin_ctz(~(vk_less(smallest, a) | vk_less(smallest, b) << 4 | vk_less(smallest, c) << 8 |
        vk_less(smallest, d) << 12));
  }
  for (int i = 8; i < count; i += 4) v = vk_min(v, vk_load(p + i));
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
// box, raised to a geodesic by c (1 + u/24), u = (c/Rmax)², less the child's reach and `epsilon`. Writes sixteen bounds, each with its lane number in its four low mantissa bits, and
// returns the smallest.
static inline float vk_node_bounds(const void *node, float qx, float qy, float qz, float epsilon, float *out) {
  const float *p = (const float *)node;
  vk_f4 x = vk_splat(qx), y = vk_splat(qy), z = vk_splat(qz), e = vk_splat(epsilon);
  vk_f4 zero = vk_splat(0), smallest = vk_splat(3e38f);
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4) {
    vk_f4 dx = vk_max(vk_sub(vk_abs(vk_sub(x, vk_load_aligned(p + i))), vk_load_aligned(p + 48 + i)), zero);
    vk_f4 dy = vk_max(vk_sub(vk_abs(vk_sub(y, vk_load_aligned(p + 16 + i))), vk_load_aligned(p + 64 + i)), zero);
    vk_f4 dz = vk_max(vk_sub(vk_abs(vk_sub(z, vk_load_aligned(p + 32 + i))), vk_load_aligned(p + 80 + i)), zero);
    vk_f4 c2 = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    vk_f4 series = vk_add(vk_splat(VK_K0), vk_mul(c2, vk_splat(VK_K1 * VK_INVERSE_SQUARE)));
    vk_f4 bound = vk_sub(vk_sub(vk_mul(vk_sqrt(c2), series), vk_load_aligned(p + 96 + i)), e);
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

// Lower bounds of the boundary distance to each circle of a leaf, by the chord alone: for leaves so near that what
// the chord leaves open is a constant. Returns the mask of lanes whose bound is below `threshold`.
static inline uint32_t vk_near_bounds(
    const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower) {
  const float *p = (const float *)leaf;
  vk_f4 x = vk_splat(qx), y = vk_splat(qy), z = vk_splat(qz), e = vk_splat(epsilon);
  vk_f4 limit = vk_splat(threshold), k0 = vk_splat(VK_K0);
  uint32_t mask = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4) {
    vk_f4 dx = vk_sub(x, vk_load_aligned(p + i));
    vk_f4 dy = vk_sub(y, vk_load_aligned(p + 16 + i));
    vk_f4 dz = vk_sub(z, vk_load_aligned(p + 32 + i));
    vk_f4 c2 = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    vk_f4 bound = vk_sub(vk_sub(vk_mul(vk_sqrt(c2), k0), vk_load_aligned(p + 48 + i)), e);
    vk_store(lower + i, bound);
    mask |= vk_less(bound, limit) << i;
  }
  return mask;
}

// Parts sixteen bounded distances by `pivot`: a lane is inside when the middle of its bounds is below. Returns the
// mask of inside lanes; lowers *outside to the smallest lower bound of the others and raises *inside to the largest
// upper bound of these.
static inline uint32_t vk_part(
    const float *lower, const float *upper, float pivot, float *inside, float *outside) {
  vk_f4 middle = vk_splat(2 * pivot), high = vk_splat(-*inside), low = vk_splat(*outside);
  vk_f4 most = vk_splat(3e38f), zero = vk_splat(0);
  uint32_t mask = 0;
  for (int i = 0; i < 16; i += 4) {
    vk_f4 l = vk_load(lower + i), u = vk_load(upper + i), sum = vk_add(l, u);
    mask |= vk_less(sum, middle) << i;
    high = vk_min(high, vk_where_less(sum, middle, vk_sub(zero, u), most));
    low = vk_min(low, vk_where_less(sum, middle, most, l));
  }
  *inside = -vk_smallest4(high);
  *outside = vk_smallest4(low);
  return mask;
}

// vk_near_bounds of sixteen circles, and vk_part of these bounds, in one pass: the upper bounds are the lower ones.
static inline uint32_t vk_near_part(
    const void *leaf, float qx, float qy, float qz, float epsilon, float pivot, float *lower, float *inside,
    float *outside) {
  const float *p = (const float *)leaf;
  vk_f4 x = vk_splat(qx), y = vk_splat(qy), z = vk_splat(qz), e = vk_splat(epsilon), k0 = vk_splat(VK_K0);
  vk_f4 middle = vk_splat(pivot), high = vk_splat(*inside), low = vk_splat(*outside), zero = vk_splat(0);
  uint32_t mask = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4) {
    vk_f4 dx = vk_sub(x, vk_load(p + i));
    vk_f4 dy = vk_sub(y, vk_load(p + 16 + i));
    vk_f4 dz = vk_sub(z, vk_load(p + 32 + i));
    vk_f4 c2 = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    vk_f4 bound = vk_sub(vk_sub(vk_mul(vk_sqrt(c2), k0), vk_load(p + 48 + i)), e);
    vk_store(lower + i, bound);
    mask |= vk_less(bound, middle) << i;
    high = vk_max(vk_keep_less(bound, middle, bound), high);
    low = vk_min(vk_drop_less(bound, middle, bound), low);
  }
  *inside = -vk_smallest4(vk_sub(zero, high));
  *outside = vk_smallest4(low);
  return mask;
}

// Which of sixteen floats are below `limit`.
static inline uint32_t vk_below16(const float *p, float limit) {
  vk_f4 v = vk_splat(limit);
  return vk_less(vk_load(p), v) | vk_less(vk_load(p + 4), v) << 4 | vk_less(vk_load(p + 8), v) << 8 |
      vk_less(vk_load(p + 12), v) << 12;
}

// Sorts each of two bitonic sequences of four: the last two steps of a bitonic merge (K. E. Batcher, Sorting
// networks and their applications, AFIPS 1968).
static inline void vk_clean4(vk_f4 *low, vk_f4 *high) {
  vk_f4 a = vk_low(*low, *high), b = vk_high(*low, *high);
  vk_f4 s = vk_min(a, b), t = vk_max(a, b);
  a = vk_even(s, t);
  b = vk_odd(s, t);
  s = vk_min(a, b);
  t = vk_max(a, b);
  a = vk_zip_low(s, t);
  b = vk_zip_high(s, t);
  *low = vk_low(a, b);
  *high = vk_high(a, b);
}

// Orders two vectors lane by lane.
static inline void vk_order(vk_f4 *a, vk_f4 *b) {
  vk_f4 s = vk_min(*a, *b);
  *b = vk_max(*a, *b);
  *a = s;
}

// Sorts a bitonic sequence of sixteen.
static inline void vk_clean16(vk_f4 *v) {
  vk_order(v, v + 2);
  vk_order(v + 1, v + 3);
  vk_order(v, v + 1);
  vk_order(v + 2, v + 3);
  vk_clean4(v, v + 1);
  vk_clean4(v + 2, v + 3);
}

// Sorts sixteen floats in ascending order: columns, transposed, then two rounds of bitonic merges.
static inline void vk_sort16(vk_f4 *v) {
  vk_f4 a = v[0], b = v[1], c = v[2], d = v[3];
  vk_order(&a, &b);
  vk_order(&c, &d);
  vk_order(&a, &c);
  vk_order(&b, &d);
  vk_order(&b, &c);
  vk_f4 s = vk_zip_low(a, b), t = vk_zip_low(c, d), x = vk_zip_high(a, b), y = vk_zip_high(c, d);
  a = vk_low(s, t);
  b = vk_reversed(vk_high(s, t));
  c = vk_low(x, y);
  d = vk_reversed(vk_high(x, y));
  vk_order(&a, &b);
  vk_clean4(&a, &b);
  vk_order(&c, &d);
  vk_clean4(&c, &d);
  vk_f4 e = vk_reversed(d), f = vk_reversed(c);
  vk_order(&a, &e);
  vk_order(&b, &f);
  vk_order(&a, &b);
  vk_clean4(&a, &b);
  vk_order(&e, &f);
  vk_clean4(&e, &f);
  v[0] = a;
  v[1] = b;
  v[2] = e;
  v[3] = f;
}

// Sorts sixteen floats in ascending order, in place.
static inline void vk_sort16_at(float *p) {
  vk_f4 v[4];
  for (int i = 0; i < 4; i++) v[i] = vk_load(p + 4 * i);
  vk_sort16(v);
  for (int i = 0; i < 4; i++) vk_store(p + 4 * i, v[i]);
}

// Sorts 32 floats in ascending order, in place.
static inline void vk_sort32(float *p) {
  vk_f4 v[8];
  for (int i = 0; i < 8; i++) v[i] = vk_load(p + 4 * i);
  vk_sort16(v);
  vk_sort16(v + 4);
  vk_f4 a = vk_reversed(v[7]), b = vk_reversed(v[6]), c = vk_reversed(v[5]), d = vk_reversed(v[4]);
  vk_order(v, &a);
  vk_order(v + 1, &b);
  vk_order(v + 2, &c);
  vk_order(v + 3, &d);
  v[4] = a;
  v[5] = b;
  v[6] = c;
  v[7] = d;
  vk_clean16(v);
  vk_clean16(v + 4);
  for (int i = 0; i < 8; i++) vk_store(p + 4 * i, v[i]);
}

// Merges those of sixteen `values` whose bit in `mask` is set, `addend` added, into an ascending list of 32, of which
// the largest fall out.
static inline void vk_merge(float *list, const float *values, float addend, uint32_t mask) {
  vk_f4 v[8], n[4], more = vk_splat(addend), far = vk_splat(3e38f);
  n[0] = vk_chosen(mask, 0, vk_add(vk_load(values), more), far);
  n[1] = vk_chosen(mask, 4, vk_add(vk_load(values + 4), more), far);
  n[2] = vk_chosen(mask, 8, vk_add(vk_load(values + 8), more), far);
  n[3] = vk_chosen(mask, 12, vk_add(vk_load(values + 12), more), far);
  vk_sort16(n);
  for (int i = 0; i < 4; i++) v[i] = vk_load(list + 4 * i);
  for (int i = 4; i < 8; i++) v[i] = vk_min(vk_load(list + 4 * i), vk_reversed(n[7 - i]));
  for (int i = 0; i < 4; i++) vk_order(v + i, v + i + 4);
  vk_clean16(v);
  vk_clean16(v + 4);
  for (int i = 0; i < 8; i++) vk_store(list + 4 * i, v[i]);
}

// Fills an ascending list of 32 floats with one value.
static inline void vk_fill32(float *list, float value) {
  vk_f4 v = vk_splat(value);
  for (int i = 0; i < 32; i += 4) vk_store(list + i, v);
}

// Inserts into an ascending list of floats those of sixteen `values` whose bit in `mask` is set, `addend`
// added, the largest falling out. The list starts at list[4]; list[3] must hold -infinity.
//
// Branch-free: every element becomes the middle one of its left neighbour, itself and the new value. Up to 24
// elements stay in six registers for the whole leaf: through memory, each load would straddle two stores
// of the insertion before and wait for both (100k regions, near: 1.45 us a query through memory, 1.25 so).
static inline void vk_insert(float *list, int chunks, const float *values, float addend, uint32_t mask) {
  if (chunks <= 6) {
    vk_f4 a = vk_load(list + 4), b = vk_load(list + 8), c = vk_load(list + 12), d = vk_load(list + 16),
          e = vk_load(list + 20), f = vk_load(list + 24), least = vk_load(list);
    while (mask != 0) {
      vk_f4 v = vk_splat(values[__builtin_ctz(mask)] + addend);
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
    vk_f4 v = vk_splat(values[__builtin_ctz(mask)] + addend);
    mask &= mask - 1;
    for (int i = 4 * chunks; i > 0; i -= 4) {
      vk_f4 here = vk_load(list + i), left = vk_load(list + i - 1);
      vk_store(list + i, vk_max(left, vk_min(here, v)));
    }
  }
}

// Coefficients of ChordSeries for near points, from Swift, where they are derived.
typedef struct {
  double reciprocalA2, reciprocalB2, a2, gradientSlope, t1, t2, r10, r01;
} vk_series;

typedef double vk_d2 __attribute__((vector_size(16)));

static inline vk_d2 vk_sqrt2(vk_d2 v) {
#if defined(__SSE2__) && !defined(VICINITY_PORTABLE_KERNELS)
  return (vk_d2)_mm_sqrt_pd((__m128d)v);
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(VICINITY_PORTABLE_KERNELS)
  return (vk_d2)vsqrtq_f64((float64x2_t)v);
#else
  vk_d2 r = {__builtin_sqrt(v[0]), __builtin_sqrt(v[1])};
  return r;
#endif
}

// Circles on their way from a search to its answer, in columns; room for 48 and what vectors write beyond.
typedef struct {
  // The centre's offset from the query, metres; dx becomes the distance to the centre, dy that to the boundary.
  double dx[48], dy[48], dz[48], radius[48];
  const void *record[48];
  uint32_t visit[48];
} vk_batch;

// Distances of the first `count` circles of a batch, at most 48, from a point whose z is half of `z2`, by
// ChordSeries.distance without the terms that stay below 1e-8 m for chords of 100 km; `keys` become the boundary
// distances in single precision, each with its circle's number in its five low mantissa bits (3.4e38 in the lane after an
// odd count). Returns the largest
// radius, or infinity when a centre is farther than 100 km or not a number. (Swift 6.3.1's SIMD4 takes every square
// root and most products one lane at a time on x86-64.)
static inline double vk_near_distances(const vk_series *k, int count, vk_batch *batch, double z2, float *keys) {
  typedef int64_t vk_mask __attribute__((vector_size(16)));
  typedef float vk_f2 __attribute__((vector_size(8)));
  typedef uint32_t vk_u2 __attribute__((vector_size(8)));
  vk_mask isNear = {-1, -1};
  vk_d2 largest = {0, 0};
  vk_u2 number = {0, 1};
  if (count & 1) batch->dx[count] = batch->dy[count] = batch->dz[count] = batch->radius[count] = 0;
  for (int i = 0; i < count; i += 2) {
    vk_d2 x, y, z, radius;
    memcpy(&x, batch->dx + i, 16);
    memcpy(&y, batch->dy + i, 16);
    memcpy(&z, batch->dz + i, 16);
    memcpy(&radius, batch->radius + i, 16);
    vk_d2 xy = x * x + y * y, zz = z * z, c2 = xy + zz, zSum = z2 - z, h2 = zSum * zSum;
    vk_d2 q = xy * k->reciprocalA2 + zz * k->reciprocalB2;
    // The addend keeps coincident points at 0 / 1e-300 = 0.
    vk_d2 w = q * q * k->a2 / ((c2 + 1e-300) * (1 + h2 * k->gradientSlope));
    vk_d2 r = c2 * (k->r10 * zz + k->r01 * (c2 * h2));
    vk_d2 s12 = vk_sqrt2(c2) * (1 + w * (k->t1 + w * k->t2) - r);
    vk_d2 distance = s12 - radius;
    isNear &= (s12 <= 1e5) & (radius <= 1e9) & (radius >= 0);
    vk_mask isLarger = radius > largest;
    largest = (vk_d2)(((vk_mask)radius & isLarger) | ((vk_mask)largest & ~isLarger));
    vk_u2 bits;
    vk_f2 single = __builtin_convertvector(distance, vk_f2);
    memcpy(&bits, &single, 8);
    bits = (bits & ~31u) | number;
    number += 2;
    memcpy(batch->dx + i, &s12, 16);
    memcpy(batch->dy + i, &distance, 16);
    memcpy(keys + i, &bits, 8);
  }
  if (count & 1) keys[count] = 3.4e38f;
  if (!(isNear[0] & isNear[1])) return (double)__builtin_inff();
  return largest[0] > largest[1] ? largest[0] : largest[1];
}

#endif
