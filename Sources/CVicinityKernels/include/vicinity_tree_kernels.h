// Kernels of the search in the packed tree: bounds of a node's sixteen boxes and of a leaf's sixteen circles, and the short
// lists of a search.
//
// They inline into Swift, four lanes at a time. Swift's own SIMD types express the same arithmetic, but their masks compile to
// several shuffles and shifts where one MINPS or MOVMSKPS does (Swift 6.3.1, x86-64, without flags for the machine).
//
// Layouts are those of TreeLayout.swift. Distances in metres.

#ifndef VICINITY_TREE_KERNELS_H
#define VICINITY_TREE_KERNELS_H

#include "vicinity_vectors.h"

// 1 / Rmax², Rmax = a²/b = 6399593.6258 m, rounded down.
#define VK_INVERSE_SQUARE 2.4417e-14f
// The series of a geodesic over its chord. Shrinks every chord by TreeLayout.slack, so that rounding never lifts a lower bound.
#define VK_K0 0.999996f
#define VK_K1 (0.999996f / 24)
#define VK_K2 (0.999996f * 3 / 640)

// MARK: Prefetching

// Asks for a block's cache lines ahead of their use.
static inline void vk_prefetch(const void *p, int bytes) {
  for (int i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)p + i, 0, 3);
}

// Asks for the lines of the first and the last of `bytes` bytes, at most a line's length.
static inline void vk_prefetch_ends(const void *p, int bytes) {
  __builtin_prefetch(p, 0, 3);
  __builtin_prefetch((const char *)p + bytes - 1, 0, 3);
}

// The same, only into the second-level cache: for the many lines of polygons. A query for 20 among 4,556 states takes 6.97 us
// this way, and 7.49 us where all lines go into the first-level cache.
static inline void vk_request(const void *p, int bytes) {
  for (int i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)p + i, 0, 2);
}
static inline void vk_request_ends(const void *p, int bytes) {
  __builtin_prefetch(p, 0, 2);
  __builtin_prefetch((const char *)p + bytes - 1, 0, 2);
}

// Asks for the records of the lanes in `mask`, and no others: at a million regions every line comes from memory.
static inline void vk_prefetch_records(const void *records, int size, uint32_t mask) {
  for (; mask != 0; mask &= mask - 1) {
    vk_prefetch_ends((const char *)records + __builtin_ctz(mask) * size, size);
  }
}

// MARK: Bounds

// Lower bounds of the boundary distance to anything below each child of a node: the chord to the child's box, raised to a
// geodesic by c (1 + u/24), u = (c/Rmax)², less the child's largest radius and `epsilon`. Writes sixteen bounds, each with its
// lane number in its four low mantissa bits, and returns the smallest.
static inline float vk_node_bounds(const void *node, float qx, float qy, float qz, float epsilon, float *out) {
  const float *p = (const float *)node;
  const vk_f4 zero = 0;
  vk_f4 smallest = 3e38f;
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4) {
    vk_f4 dx = vk_max(vk_abs(qx - vk_load_aligned(p + i)) - vk_load_aligned(p + 48 + i), zero);
    vk_f4 dy = vk_max(vk_abs(qy - vk_load_aligned(p + 16 + i)) - vk_load_aligned(p + 64 + i), zero);
    vk_f4 dz = vk_max(vk_abs(qz - vk_load_aligned(p + 32 + i)) - vk_load_aligned(p + 80 + i), zero);
    vk_f4 c2 = vk_square(dx, dy, dz);
    vk_f4 series = VK_K0 + c2 * (VK_K1 * VK_INVERSE_SQUARE);
    vk_f4 bound = vk_tag(vk_sqrt(c2) * series - vk_load_aligned(p + 96 + i) - epsilon, i);
    vk_store(out + i, bound);
    smallest = vk_min(smallest, bound);
  }
  return vk_smallest4(smallest);
}

// A lower bound of the boundary distance to four circles, from the squared chords to their centres and their radii; *upper gets
// an upper bound. That adds what the chord leaves open, c (8.6e-4 u + 2.2e-4 u² + 1.3e-3 u³) for u <= 1.6 (the chord's upper
// bound less its lower one), and the slack twice. Beyond u = 1.6 the series says nothing: the upper bound is then at least
// 1e30, larger than any threshold, and at most 3e38.
static inline vk_f4 vk_chord_bounds(vk_f4 c2, vk_f4 radius, float epsilon, vk_f4 *upper) {
  vk_f4 c = vk_sqrt(c2), u = c2 * VK_INVERSE_SQUARE;
  vk_f4 lower = c * (VK_K0 + u * (VK_K1 + u * VK_K2)) - radius - epsilon;
  vk_f4 open = 1.2e-5f + u * (8.7e-4f + u * (2.3e-4f + u * 1.4e-3f));
  vk_f4 band = c * open + (radius * 1.2e-5f + (epsilon + epsilon));
  vk_f4 beyond = vk_max(u - 1.6f, (vk_f4)0) * 1e37f;
  *upper = vk_min(lower + band + beyond, (vk_f4)3e38f);
  return lower;
}

// Lower and upper bounds of the boundary distance to each circle of a leaf, (qx, qy, qz) relative to the leaf's origin, by
// vk_chord_bounds. Returns the mask of lanes whose lower bound is below `threshold`.
static inline uint32_t vk_leaf_bounds(
    const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower, float *upper) {
  const float *p = (const float *)leaf;
  uint32_t mask = 0;
  for (int i = 0; i < 16; i += 4) {
    vk_f4 c2 = vk_square(qx - vk_load(p + i), qy - vk_load(p + 16 + i), qz - vk_load(p + 32 + i)), high;
    vk_f4 low = vk_chord_bounds(c2, vk_load(p + 48 + i), epsilon, &high);
    vk_store(lower + i, low);
    vk_store(upper + i, high);
    mask |= vk_bits(low < threshold) << i;
  }
  return mask;
}

// A lower bound of the boundary distance to four circles of a leaf by the chord alone.
static inline vk_f4 vk_near_bound(const float *p, float qx, float qy, float qz, float epsilon) {
  vk_f4 c2 = vk_square(
      qx - vk_load_aligned(p), qy - vk_load_aligned(p + 16), qz - vk_load_aligned(p + 32));
  return vk_sqrt(c2) * VK_K0 - vk_load_aligned(p + 48) - epsilon;
}

// vk_near_bound of a leaf's circles: for leaves so near that what the chord leaves open is a constant. Returns the mask of lanes
// whose bound is below `threshold`.
static inline uint32_t vk_near_bounds(
    const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower) {
  uint32_t mask = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4) {
    vk_f4 bound = vk_near_bound((const float *)leaf + i, qx, qy, qz, epsilon);
    vk_store(lower + i, bound);
    mask |= vk_bits(bound < threshold) << i;
  }
  return mask;
}

// A lower bound of the geodesic between points with this squared chord between their images (x/a, y/a, z/b) on the unit sphere.
//
// The ellipsoid's metric is (a² sin² β + b² cos² β) dβ² + a² cos² β dλ² in reduced latitude and longitude, which are those of the
// images; so no path is shorter than b times its image, and b times the angle between the images is a lower bound. It is the
// better one for long paths: 0.34 % low at most, at the antipode too, where the chord itself tells nothing.
//
// The arcsine is y + y³ p(y²) up to 1/2, and pi/2 less that of the half angle beyond; p is the polynomial of degree four with the
// least relative error there, by Lawson's weights over 4000 Chebyshev points. In floats the arcsine is within 3.2e-7 of the true
// one at 20 million points. The half chord's factor covers that, its own rounding and that of the coordinates it comes from, a
// metre each, for chords of 2000 km and more.
static inline vk_f4 vk_image_bound(vk_f4 c2) {
  vk_f4 h = vk_min(vk_sqrt(c2) * (0.5f * 0.999996f), (vk_f4)1);
  vk_i4 is_long = (vk_f4)0.5f < h;
  vk_f4 z = vk_select(is_long, 0.5f - 0.5f * h, h * h), y = vk_select(is_long, vk_sqrt(z), h);
  vk_f4 p = (((0.0421663076f * z + 0.0241795145f) * z + 0.0454703756f) * z + 0.0749529749f) * z + 0.166667521f;
  p = p * z * y + y;
  return (2 * 6356752.0f) * vk_select(is_long, 1.5707963f - 2 * p, p);
}

#define VK_RECIPROCAL_A (1 / 6378137.0f)
#define VK_RECIPROCAL_B (1 / 6356752.314f)

// Raises vk_node_bounds of children that are far away by vk_image_bound. Returns the smallest.
static inline float vk_raise_node_bounds(const void *node, float qx, float qy, float qz, float epsilon, float *out) {
  const float *p = (const float *)node;
  const vk_f4 zero = 0;
  vk_f4 smallest = 3e38f;
  for (int i = 0; i < 16; i += 4) {
    vk_f4 dx = vk_max(vk_abs(qx - vk_load_aligned(p + i)) - vk_load_aligned(p + 48 + i), zero) * VK_RECIPROCAL_A;
    vk_f4 dy = vk_max(vk_abs(qy - vk_load_aligned(p + 16 + i)) - vk_load_aligned(p + 64 + i), zero) * VK_RECIPROCAL_A;
    vk_f4 dz = vk_max(vk_abs(qz - vk_load_aligned(p + 32 + i)) - vk_load_aligned(p + 80 + i), zero) * VK_RECIPROCAL_B;
    // Absent children are farther than any chord, and stay so.
    vk_f4 bound = vk_image_bound(vk_square(dx, dy, dz)) - vk_load_aligned(p + 96 + i) - epsilon;
    bound = vk_tag(vk_max(bound, vk_load(out + i)), i);
    vk_store(out + i, bound);
    smallest = vk_min(smallest, bound);
  }
  return vk_smallest4(smallest);
}

// Raises the lower bounds of a leaf's far circles by vk_image_bound, (qx, qy, qz) relative to the leaf's origin. Returns the mask
// of lanes whose bound is below `threshold`.
static inline uint32_t vk_raise_leaf_bounds(
    const void *leaf, float qx, float qy, float qz, float epsilon, float threshold, float *lower) {
  const float *p = (const float *)leaf;
  uint32_t mask = 0;
  for (int i = 0; i < 16; i += 4) {
    vk_f4 dx = (qx - vk_load(p + i)) * VK_RECIPROCAL_A, dy = (qy - vk_load(p + 16 + i)) * VK_RECIPROCAL_A;
    vk_f4 dz = (qz - vk_load(p + 32 + i)) * VK_RECIPROCAL_B;
    vk_f4 bound = vk_image_bound(vk_square(dx, dy, dz)) - vk_load(p + 48 + i) - epsilon;
    bound = vk_max(bound, vk_load(lower + i));
    vk_store(lower + i, bound);
    mask |= vk_bits(bound < threshold) << i;
  }
  return mask;
}

// Which of sixteen floats are below `limit`.
static inline uint32_t vk_below16(const float *p, float limit) {
  return vk_bits(vk_load(p) < limit) | vk_bits(vk_load(p + 4) < limit) << 4 | vk_bits(vk_load(p + 8) < limit) << 8 |
      vk_bits(vk_load(p + 12) < limit) << 12;
}

// MARK: Partitions

// The largest value of the lanes that are inside a partition and the smallest of the others.
typedef struct {
  vk_f4 inside, outside;
} vk_extremes;

static inline void vk_extend(vk_extremes *e, vk_i4 is_inside, vk_f4 inside, vk_f4 outside) {
  e->inside = vk_max(vk_drop(~is_inside, inside), e->inside);
  e->outside = vk_min(vk_drop(is_inside, outside), e->outside);
}

static inline void vk_finish(vk_extremes e, float *inside, float *outside) {
  *inside = vk_largest4(e.inside);
  *outside = vk_smallest4(e.outside);
}

// Partitions sixteen bounded distances by `pivot`: a lane is inside when the middle of its bounds is below. Returns the mask of
// inside lanes; lowers *outside to the smallest lower bound of the others and raises *inside to the largest upper bound of
// these, and to no less than -3e38.
static inline uint32_t vk_partition(
    const float *lower, const float *upper, float pivot, float *inside, float *outside) {
  vk_extremes e = {*inside > -3e38f ? *inside : -3e38f, *outside};
  uint32_t mask = 0;
  for (int i = 0; i < 16; i += 4) {
    vk_f4 l = vk_load(lower + i), u = vk_load(upper + i);
    vk_i4 is_inside = l + u < 2 * pivot;
    mask |= vk_bits(is_inside) << i;
    vk_extend(&e, is_inside, u, l);
  }
  vk_finish(e, inside, outside);
  return mask;
}

// vk_near_bounds of sixteen circles, and the partition of these bounds, in one pass: the upper bounds are the lower ones.
static inline uint32_t vk_partition_near(
    const void *leaf, float qx, float qy, float qz, float epsilon, float pivot, float *lower, float *inside,
    float *outside) {
  vk_extremes e = {*inside, *outside};
  uint32_t mask = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4) {
    vk_f4 bound = vk_near_bound((const float *)leaf + i, qx, qy, qz, epsilon);
    vk_store(lower + i, bound);
    vk_i4 is_inside = bound < pivot;
    mask |= vk_bits(is_inside) << i;
    vk_extend(&e, is_inside, bound, bound);
  }
  vk_finish(e, inside, outside);
  return mask;
}

// MARK: The search's frontier

// Replaces the smallest of sixteen different floats, `taken`, by 3e38. Returns the smallest of the others.
//
// Whole vectors are written: a vector load has to wait for a single lane that was stored just before.
static inline float vk_take16(float *p, float taken) {
  vk_f4 far = 3e38f, smallest = far;
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4) {
    vk_f4 v = vk_load(p + i);
    v = vk_select(taken < v, v, far);
    vk_store(p + i, v);
    smallest = vk_min(smallest, v);
  }
  return vk_smallest4(smallest);
}

// The smallest of those of sixteen floats that are greater than `least`; 3e38 when none is.
static inline float vk_next16(const float *p, float least) {
  vk_f4 far = 3e38f, smallest = far;
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4) {
    vk_f4 v = vk_load(p + i);
    smallest = vk_min(smallest, vk_select(least < v, v, far));
  }
  return vk_smallest4(smallest);
}

// Stores float `i` of floats that start at a 16-byte boundary, as a whole vector for the reason that vk_take16 gives.
static inline void vk_put(float *p, int i, float value) {
  float *q = p + (i & ~3);
  vk_store(q, vk_where(1u << (i & 3), 0, (vk_f4)value, vk_load_aligned(q)));
}

// Appends a float to `count` floats that start at a 16-byte boundary, and 3e38 up to a multiple of four.
static inline void vk_push(float *p, int count, float value) {
  float *q = p + (count & ~3);
  vk_f4 old = vk_where((1u << (count & 3)) - 1, 0, vk_load_aligned(q), (vk_f4)3e38f);
  vk_store(q, vk_where(1u << (count & 3), 0, (vk_f4)value, old));
}

// The index of the smallest of `count` floats, which are padded with large ones to sixteen, and beyond to a multiple of four.
static inline int vk_argmin(const float *p, int count) {
  vk_f4 a = vk_load(p), b = vk_load(p + 4), v = vk_min(a, b);
  if (count <= 8) {
    float smallest = vk_smallest4(v);
    return __builtin_ctz(~(vk_bits(smallest < a) | vk_bits(smallest < b) << 4));
  }
  if (count <= 16) {
    vk_f4 c = vk_load(p + 8), d = vk_load(p + 12);
    float smallest = vk_smallest4(vk_min(v, vk_min(c, d)));
    return __builtin_ctz(~(vk_bits(smallest < a) | vk_bits(smallest < b) << 4 | vk_bits(smallest < c) << 8 |
        vk_bits(smallest < d) << 12));
  }
  for (int i = 8; i < count; i += 4) v = vk_min(v, vk_load(p + i));
  float smallest = vk_smallest4(v);
  for (int i = 0; i < count; i += 4) {
    uint32_t larger = vk_bits(smallest < vk_load(p + i));
    if (larger != 15) return i + __builtin_ctz(~larger);
  }
  return 0;
}

// The child of a node that a circle fits best: the one whose box and largest radius R would have to grow least, b² + (r - R)²;
// ties go to the nearest centre and radius, 1e-6 (c² + (R - r)²). Absent children are so far away that any other is better. r is
// at most 1e8; only lanes in `mask` count.
static inline int vk_best_child(const void *node, float qx, float qy, float qz, float r, uint32_t mask) {
  const float *p = (const float *)node;
  const vk_f4 zero = 0;
  float scores[16];
  for (int i = 0; i < 16; i += 4) {
    vk_f4 cx = vk_abs(qx - vk_load(p + i)), cy = vk_abs(qy - vk_load(p + 16 + i)), cz = vk_abs(qz - vk_load(p + 32 + i));
    vk_f4 largest = vk_min(vk_load(p + 96 + i), (vk_f4)1e8f);
    vk_f4 dx = vk_max(cx - vk_load(p + 48 + i), zero);
    vk_f4 dy = vk_max(cy - vk_load(p + 64 + i), zero);
    vk_f4 dz = vk_max(cz - vk_load(p + 80 + i), zero);
    vk_f4 dr = vk_max(r - largest, zero), cr = vk_max(largest - r, zero);
    vk_f4 growth = dx * dx + dy * dy + (dz * dz + dr * dr);
    vk_f4 offset = cx * cx + cy * cy + (cz * cz + cr * cr);
    vk_store(scores + i, vk_where(mask, i, growth + offset * 1e-6f, (vk_f4)3e38f));
  }
  return vk_argmin(scores, 16);
}

// MARK: Sorted lists

// Orders two vectors lane by lane.
static inline void vk_order(vk_f4 *a, vk_f4 *b) {
  vk_f4 s = vk_min(*a, *b);
  *b = vk_max(*a, *b);
  *a = s;
}

// Sorts each of two bitonic sequences of four: the last two steps of a bitonic merge (K. E. Batcher, Sorting networks and their
// applications, AFIPS 1968).
static inline void vk_clean4(vk_f4 *low, vk_f4 *high) {
  vk_f4 a = __builtin_shufflevector(*low, *high, 0, 1, 4, 5), b = __builtin_shufflevector(*low, *high, 2, 3, 6, 7);
  vk_order(&a, &b);
  vk_f4 even = __builtin_shufflevector(a, b, 0, 2, 4, 6), odd = __builtin_shufflevector(a, b, 1, 3, 5, 7);
  vk_order(&even, &odd);
  a = __builtin_shufflevector(even, odd, 0, 4, 1, 5);
  b = __builtin_shufflevector(even, odd, 2, 6, 3, 7);
  *low = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  *high = __builtin_shufflevector(a, b, 2, 3, 6, 7);
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
  vk_f4 s = __builtin_shufflevector(a, b, 0, 4, 1, 5), t = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  vk_f4 x = __builtin_shufflevector(a, b, 2, 6, 3, 7), y = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  vk_f4 e = __builtin_shufflevector(s, t, 0, 1, 4, 5), f = __builtin_shufflevector(s, t, 7, 6, 3, 2);
  vk_f4 g = __builtin_shufflevector(x, y, 0, 1, 4, 5), h = __builtin_shufflevector(x, y, 7, 6, 3, 2);
  vk_order(&e, &f);
  vk_clean4(&e, &f);
  vk_order(&g, &h);
  vk_clean4(&g, &h);
  v[0] = e;
  v[1] = f;
  v[2] = h.wzyx;
  v[3] = g.wzyx;
  vk_clean16(v);
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
  vk_f4 n[4] = {v[7].wzyx, v[6].wzyx, v[5].wzyx, v[4].wzyx};
  for (int i = 0; i < 4; i++) {
    vk_order(v + i, n + i);
    v[i + 4] = n[i];
  }
  vk_clean16(v);
  vk_clean16(v + 4);
  for (int i = 0; i < 8; i++) vk_store(p + 4 * i, v[i]);
}

// Merges those of sixteen `values` whose bit in `mask` is set, `addend` added, into an ascending list of 32, from which the
// largest are dropped.
static inline void vk_merge(float *list, const float *values, float addend, uint32_t mask) {
  vk_f4 v[8], n[4];
  for (int i = 0; i < 4; i++) n[i] = vk_where(mask, 4 * i, vk_load(values + 4 * i) + addend, (vk_f4)3e38f);
  vk_sort16(n);
  for (int i = 0; i < 4; i++) v[i] = vk_load(list + 4 * i);
  for (int i = 4; i < 8; i++) v[i] = vk_min(vk_load(list + 4 * i), n[7 - i].wzyx);
  for (int i = 0; i < 4; i++) vk_order(v + i, v + i + 4);
  vk_clean16(v);
  vk_clean16(v + 4);
  for (int i = 0; i < 8; i++) vk_store(list + 4 * i, v[i]);
}

// vk_merge of values whose eight low mantissa bits say whose they are: `tag`, a multiple of sixteen, and the lane.
static inline void vk_merge_tagged(float *list, const float *values, float addend, uint32_t mask, uint32_t tag) {
  const vk_i4 lanes = {0, 1, 2, 3};
  float tagged[16];
  for (int i = 0; i < 16; i += 4) {
    vk_i4 bits = (vk_i4)(vk_load(values + i) + addend);
    vk_store(tagged + i, (vk_f4)((bits & ~255) | (lanes + (int32_t)(tag + i))));
  }
  vk_merge(list, tagged, 0, mask);
}

// Replaces sixteen upper bounds by the middles of the bounds. Returns half of the most that those of `mask` leave open.
static inline float vk_center16(const float *lower, float *upper, uint32_t mask) {
  vk_f4 most = 0;
  for (int i = 0; i < 16; i += 4) {
    vk_f4 low = vk_load(lower + i), half = (vk_load(upper + i) - low) * 0.5f;
    vk_store(upper + i, low + half);
    most = vk_max(most, vk_where(mask, i, half, (vk_f4)0));
  }
  return vk_largest4(most);
}

// Fills an ascending list of 32 floats with one value.
static inline void vk_fill32(float *list, float value) {
  for (int i = 0; i < 32; i += 4) vk_store(list + i, (vk_f4)value);
}

// Every element becomes the middle one of its left neighbour, itself and the new value.
static inline vk_f4 vk_inserted(vk_f4 left, vk_f4 here, vk_f4 value) { return vk_max(left, vk_min(here, value)); }

// Inserts into an ascending list of floats those of sixteen `values` whose bit in `mask` is set, `addend` added; the largest are
// dropped. The list starts at list[4]; list[3] must hold -infinity.
//
// Branch-free. Up to 24 elements stay in six registers for the whole leaf: through memory, each load would straddle two stores
// of the insertion before and wait for both (100k regions, near: 1.45 us a query through memory, 1.25 us this way).
static inline void vk_insert(float *list, int chunks, const float *values, float addend, uint32_t mask) {
  if (chunks <= 6) {
    vk_f4 v[7];
    for (int i = 0; i < 7; i++) v[i] = vk_load(list + 4 * i);
    for (; mask != 0; mask &= mask - 1) {
      vk_f4 value = values[__builtin_ctz(mask)] + addend;
#pragma clang loop unroll(full)
      for (int i = 6; i > 0; i--) v[i] = vk_inserted(__builtin_shufflevector(v[i - 1], v[i], 3, 4, 5, 6), v[i], value);
    }
    for (int i = 1; i < 7; i++) vk_store(list + 4 * i, v[i]);
    return;
  }
  for (; mask != 0; mask &= mask - 1) {
    vk_f4 value = values[__builtin_ctz(mask)] + addend;
    for (int i = 4 * chunks; i > 0; i -= 4) {
      vk_store(list + i, vk_inserted(vk_load(list + i - 1), vk_load(list + i), value));
    }
  }
}

#endif
