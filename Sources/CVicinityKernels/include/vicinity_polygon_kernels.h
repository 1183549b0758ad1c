// Kernels of the search within one polygon: sixteen boxes at once, and sixteen edges at once.
//
// Layouts are those of PolygonLayout.swift. Distances in metres.

#ifndef VICINITY_POLYGON_KERNELS_H
#define VICINITY_POLYGON_KERNELS_H

#include "vicinity_kernels.h"

#if defined(__SSE2__) && !defined(VICINITY_PORTABLE_KERNELS)
static inline vk_f4 vk_div(vk_f4 a, vk_f4 b) { return _mm_div_ps(a, b); }
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(VICINITY_PORTABLE_KERNELS)
static inline vk_f4 vk_div(vk_f4 a, vk_f4 b) { return vdivq_f32(a, b); }
#else
static inline vk_f4 vk_div(vk_f4 a, vk_f4 b) { for (int i = 0; i < 4; i++) a.lane[i] /= b.lane[i]; return a; }
#endif

#if defined(__SSE2__) && !defined(VICINITY_PORTABLE_KERNELS)
static inline void vk_store_truncated(int32_t *p, vk_f4 a) { _mm_storeu_si128((__m128i *)p, _mm_cvttps_epi32(a)); }
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(VICINITY_PORTABLE_KERNELS)
static inline void vk_store_truncated(int32_t *p, vk_f4 a) { vst1q_s32(p, vcvtq_s32_f32(a)); }
#else
static inline void vk_store_truncated(int32_t *p, vk_f4 a) { for (int i = 0; i < 4; i++) p[i] = (int32_t)a.lane[i]; }
#endif

static inline float vk_root(float x) { return vk_smallest4(vk_sqrt(vk_splat(x))); }

// The next number above one that is positive and not infinite.
static inline float vk_next_up(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits++;
  memcpy(&x, &bits, sizeof bits);
  return x;
}

// A position as the boxes of one polygon see it. Their corners are counted in 65535ths of the polygon's own box. Axes
// x, y, z; the fourth means nothing.
typedef struct {
  // How far outside that box the position lies on each axis.
  float out[4];
  // One 65535th of the box.
  float step[4];
  // Where in the box the position lies, or the face next to it: the count below and the count above.
  int32_t below[4], above[4];
  // How far rounding may make the gap to a box too large, metres.
  float error;
} vk_frame;

// `box`: low x, y, z, high x, y, z, and four bytes more; p relative to the same origin.
static inline void vk_frame_of(const void *box, float px, float py, float pz, vk_frame *frame) {
#pragma clang fp contract(off)
  const float position[4] = {px, py, pz, 0};
  vk_f4 low = vk_load((const float *)box), high = vk_load((const float *)box + 3), p = vk_load(position);
  vk_f4 zero = vk_splat(0), most = vk_splat(65535);
  vk_f4 step = vk_mul(vk_sub(high, low), vk_splat(1.0f / 65535));
  // A NaN compares as false and becomes 0.
  vk_f4 count = vk_min(vk_max(vk_div(vk_sub(p, low), step), zero), most);
  vk_store(frame->out, vk_max(vk_max(vk_sub(low, p), vk_sub(p, high)), zero));
  vk_store(frame->step, step);
  vk_store_truncated(frame->below, count);
  vk_store_truncated(frame->above, vk_min(vk_add(count, vk_splat(1)), most));
  // On each axis the position, the two faces and their differences are rounded by at most 2^-24 of what they are, four
  // times in all; counts and steps by a hundredth of a count, which the boxes' extra count covers.
  float reach = __builtin_fabsf(px) + __builtin_fabsf(py) + __builtin_fabsf(pz) + frame->out[0] + frame->out[1]
      + frame->out[2];
  frame->error = 0x1p-21f * (reach + 65535 * (frame->step[0] + frame->step[1] + frame->step[2])) + 1e-3f;
}

// The square of the gap beyond which boxes hold nothing with a chord up to `chord`, square metres; `error` is a frame's.
static inline float vk_box_limit(float error, double chord) {
#pragma clang fp contract(off)
  // The gaps' own rounding, and their lane numbers.
  float l = (vk_next_up((float)chord) + error) * (1 + 0x1p-19f);
  return l * l;
}

// The least distance to the polygon's box, metres; less than nothing within its rounding.
static inline float vk_frame_gap(const vk_frame *frame) {
#pragma clang fp contract(off)
  const float *out = frame->out;
  return vk_root(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]) * 0.999999f - frame->error;
}

// For sixteen intervals, how many counts the position lies below the lower or above the upper end. The intervals are
// not empty, so at most one of the two differences is not zero.
static inline void vk_interval_gaps(
    const uint16_t *low, const uint16_t *high, uint16_t below, uint16_t above, vk_f4 *out) {
#if defined(__SSE2__) && !defined(VICINITY_PORTABLE_KERNELS)
  __m128i b = _mm_set1_epi16((short)below), a = _mm_set1_epi16((short)above), zero = _mm_setzero_si128();
  for (int i = 0; i < 2; i++) {
    __m128i under = _mm_subs_epu16(_mm_loadu_si128((const __m128i *)low + i), a);
    __m128i over = _mm_subs_epu16(b, _mm_loadu_si128((const __m128i *)high + i));
    __m128i gap = _mm_or_si128(under, over);
    out[2 * i] = _mm_cvtepi32_ps(_mm_unpacklo_epi16(gap, zero));
    out[2 * i + 1] = _mm_cvtepi32_ps(_mm_unpackhi_epi16(gap, zero));
  }
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(VICINITY_PORTABLE_KERNELS)
  uint16x8_t b = vdupq_n_u16(below), a = vdupq_n_u16(above);
  for (int i = 0; i < 2; i++) {
    uint16x8_t gap = vorrq_u16(vqsubq_u16(vld1q_u16(low + 8 * i), a), vqsubq_u16(b, vld1q_u16(high + 8 * i)));
    out[2 * i] = vcvtq_f32_u32(vmovl_u16(vget_low_u16(gap)));
    out[2 * i + 1] = vcvtq_f32_u32(vmovl_u16(vget_high_u16(gap)));
  }
#else
  for (int i = 0; i < 16; i++) {
    uint16_t under = low[i] > above ? low[i] - above : 0, over = below > high[i] ? below - high[i] : 0;
    out[i / 4].lane[i % 4] = (float)(uint16_t)(under | over);
  }
#endif
}

// Squared distances from a position to the first `count` boxes of a node, each with its lane number in its four low
// mantissa bits; at most 1e37, which stands in the other lanes too. Returns the smallest; *next gets the smallest of the
// others.
static inline float vk_box_gaps(const void *node, const vk_frame *frame, int count, float *out, float *next) {
  const uint16_t *p = (const uint16_t *)node;
  vk_f4 x[4], y[4], z[4];
  vk_interval_gaps(p, p + 48, (uint16_t)frame->below[0], (uint16_t)frame->above[0], x);
  vk_interval_gaps(p + 16, p + 64, (uint16_t)frame->below[1], (uint16_t)frame->above[1], y);
  vk_interval_gaps(p + 32, p + 80, (uint16_t)frame->below[2], (uint16_t)frame->above[2], z);
  vk_f4 sx = vk_splat(frame->step[0]), sy = vk_splat(frame->step[1]), sz = vk_splat(frame->step[2]);
  vk_f4 ox = vk_splat(frame->out[0]), oy = vk_splat(frame->out[1]), oz = vk_splat(frame->out[2]);
  vk_f4 far = vk_splat(1e37f), smallest = far, present = vk_splat((float)count);
  const float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (int i = 0; i < 4; i++) {
    vk_f4 dx = vk_add(vk_mul(x[i], sx), ox), dy = vk_add(vk_mul(y[i], sy), oy), dz = vk_add(vk_mul(z[i], sz), oz);
    vk_f4 sum = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    sum = vk_where_less(vk_load(numbers + 4 * i), present, vk_min(sum, far), far);
    sum = vk_tag(sum, 4 * i);
    vk_store(out + 4 * i, sum);
    smallest = vk_min(smallest, sum);
  }
  float least = vk_smallest4(smallest);
  *next = vk_next16(out, least);
  return least;
}

// Byte offsets in a group of edges: PolygonLayout.Group.
enum {
  VK_GROUP_ROW = 34,
  VK_GROUP_ABSENT = 102,
  VK_GROUP_CENTER = 104,
  VK_GROUP_STEP = 116,
  VK_GROUP_SIZE = 120,
  VK_GROUP_SLACK = 124,
  VK_GROUP_REMAINDERS = 128,
  VK_GROUP_MARKS = 332,
};

static inline float vk_group_float(const void *group, int offset) {
  float x;
  memcpy(&x, (const char *)group + offset, sizeof x);
  return x;
}

// How many steps points are from the group's centre on an axis.
static inline const int16_t *vk_group_row(const void *group, int axis) {
  return (const int16_t *)((const char *)group + VK_GROUP_ROW * axis);
}

// The sixteen chords of a group that are no edges, because their first points end chains.
static inline uint32_t vk_absent_edges(const void *group) {
  uint16_t absent;
  memcpy(&absent, (const char *)group + VK_GROUP_ABSENT, sizeof absent);
  return absent;
}

// Four counts of steps.
#if defined(__SSE2__) && !defined(VICINITY_PORTABLE_KERNELS)
static inline vk_f4 vk_steps(const int16_t *p) {
  __m128i steps = _mm_loadl_epi64((const __m128i *)p);
  return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(steps, steps), 16));
}
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(VICINITY_PORTABLE_KERNELS)
static inline vk_f4 vk_steps(const int16_t *p) { return vcvtq_f32_s32(vmovl_s16(vld1_s16(p))); }
#else
static inline vk_f4 vk_steps(const int16_t *p) {
  vk_f4 v;
  for (int i = 0; i < 4; i++) v.lane[i] = p[i];
  return v;
}
#endif

// For the sixteen chords between a group's seventeen points: the squared distance from q to the nearest point of each;
// 1e37 where there is no edge, because the first point ends a chain. Sets bit i of *ends where the nearest point of
// chord i is its start, and bit 16 + i where it is its end, beyond it by more than the `margin`: products of the chord and
// of the way to its ends. Returns the smallest. All in steps of the group from its centre.
static inline float vk_edge_gaps(
    const void *group, float qx, float qy, float qz, float margin, float *out, uint32_t *ends) {
  const int16_t *px = vk_group_row(group, 0), *py = vk_group_row(group, 1), *pz = vk_group_row(group, 2);
  vk_f4 x = vk_splat(qx), y = vk_splat(qy), z = vk_splat(qz);
  vk_f4 zero = vk_splat(0), one = vk_splat(1), before = vk_splat(-margin), beyond = vk_splat(margin);
  vk_f4 smallest = vk_splat(1e37f);
  uint32_t starts = 0, stops = 0;
  uint32_t absent = vk_absent_edges(group);
  vk_f4 far = smallest;
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4) {
    vk_f4 x1 = vk_steps(px + i), ex = vk_sub(vk_steps(px + i + 1), x1), wx = vk_sub(x, x1);
    vk_f4 y1 = vk_steps(py + i), ey = vk_sub(vk_steps(py + i + 1), y1), wy = vk_sub(y, y1);
    vk_f4 z1 = vk_steps(pz + i), ez = vk_sub(vk_steps(pz + i + 1), z1), wz = vk_sub(z, z1);
    vk_f4 ee = vk_add(vk_add(vk_mul(ex, ex), vk_mul(ey, ey)), vk_mul(ez, ez));
    vk_f4 we = vk_add(vk_add(vk_mul(wx, ex), vk_mul(wy, ey)), vk_mul(wz, ez));
    starts |= vk_less(we, before) << i;
    stops |= vk_less(beyond, vk_sub(we, ee)) << i;
    // Edges of no length divide 0 by 0: a NaN becomes the second operand.
    vk_f4 t = vk_min(vk_max(vk_div(we, ee), zero), one);
    vk_f4 dx = vk_sub(wx, vk_mul(t, ex)), dy = vk_sub(wy, vk_mul(t, ey)), dz = vk_sub(wz, vk_mul(t, ez));
    vk_f4 sum = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    sum = vk_chosen(absent, i, far, sum);
    vk_store(out + i, sum);
    smallest = vk_min(sum, smallest);
  }
  *ends = starts | stops << 16;
  return vk_smallest4(smallest);
}

// Coefficients of ChordSeries, all of it, from Swift, where they are derived.
typedef struct {
  double reciprocal_a2, reciprocal_b2, a2, gradient_slope, t1, t2, t3, t4, r10, r01, s10, s01, r20, r11, r02;
} vk_chord_series;

// Points and edges whose exact distances are asked for, and the least of each owner's. Places relative to the Earth's
// centre, metres.
typedef struct {
  // An edge's start, which becomes the distance, and the way to its end: nothing for a point.
  double x[64], y[64], z[64], ex[64], ey[64], ez[64];
  double best[32];
  uint32_t owner[64];
  uint32_t count;
} vk_feet;

#if defined(__SSE2__) && !defined(VICINITY_PORTABLE_KERNELS)
static inline vk_d2 vk_clamped2(vk_d2 t) {
  return (vk_d2)_mm_min_pd(_mm_max_pd((__m128d)t, _mm_setzero_pd()), _mm_set1_pd(1));
}
static inline vk_d2 vk_atleast2(vk_d2 a, double b) { return (vk_d2)_mm_max_pd((__m128d)a, _mm_set1_pd(b)); }
#else
static inline vk_d2 vk_clamped2(vk_d2 t) {
  for (int i = 0; i < 2; i++) t[i] = t[i] > 0 ? (t[i] < 1 ? t[i] : 1) : 0;
  return t;
}
static inline vk_d2 vk_atleast2(vk_d2 a, double b) {
  for (int i = 0; i < 2; i++) a[i] = a[i] > b ? a[i] : b;
  return a;
}
#endif

// vk_measure_feet, two at a time.
#define VK_FEET_LANES 2
#define VK_FEET(name) name##2
#define VK_FEET_NAME vk_measure_feet
#include "vicinity_feet.h"

// Adds an edge, or a point for nothing as its length; there must be room.
static inline void vk_add_foot(
    vk_feet *feet, uint32_t owner, double x, double y, double z, double ex, double ey, double ez) {
  uint32_t i = feet->count++;
  feet->x[i] = x;
  feet->y[i] = y;
  feet->z[i] = z;
  feet->ex[i] = ex;
  feet->ey[i] = ey;
  feet->ez[i] = ez;
  feet->owner[i] = owner;
}

// One of a group's seventeen points on an axis, for the polygon's origin there.
static inline double vk_group_place(const void *group, uint32_t point, int axis, double step, double origin) {
  int32_t remainder;
  memcpy(&remainder, (const char *)group + VK_GROUP_REMAINDERS + 12 * point + 4 * axis, sizeof remainder);
  return (vk_group_row(group, axis)[point] * step + remainder * 0x1p-24)
      + vk_group_float(group, VK_GROUP_CENTER + 4 * axis) + origin;
}

// Adds the edges of `lanes` of a group whose polygon has its origin at (ox, oy, oz); there must be room. Those of which an
// end is the nearest point, by the `ends` of vk_look, are added as points, and once.
static inline void vk_add_edges(
    vk_feet *feet, uint32_t owner, const void *group, double ox, double oy, double oz, uint32_t lanes, uint32_t ends) {
  double step = vk_group_float(group, VK_GROUP_STEP);
  uint32_t starts = ends & 0xffff, stops = ends >> 16;
  // An edge's start is there already where it is the end of an edge before it.
  for (uint32_t rest = lanes & ~((lanes & stops) << 1 & starts); rest != 0; rest &= rest - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rest), last = lane + 1, first = stops >> lane & 1 ? last : lane;
    double x = vk_group_place(group, first, 0, step, ox);
    double y = vk_group_place(group, first, 1, step, oy);
    double z = vk_group_place(group, first, 2, step, oz);
    double ex = 0, ey = 0, ez = 0;
    if (!((starts | stops) >> lane & 1)) {
      ex = vk_group_place(group, last, 0, step, ox) - x;
      ey = vk_group_place(group, last, 1, step, oy) - y;
      ez = vk_group_place(group, last, 2, step, oz) - z;
    }
    vk_add_foot(feet, owner, x, y, z, ex, ey, ez);
  }
}

// What a look at a group's chords finds.
typedef struct {
  // No chord longer than this matters, metres: it is lowered where the group has something nearer (ChordGaps).
  double limit;
  // A lower bound of the distance to the nearest, metres.
  float lower;
  // The chords that may be within the limit, and those of their edges whose nearest points are ends for certain: bit i the
  // start of edge i, bit 16 + i its end.
  uint32_t lanes, ends;
} vk_look;

// Up to here an upper bound of the shortest chord limits the chord to the nearest point, metres.
#define VK_COMPARABLE_CHORD 8e6

// A look half-way.
typedef struct {
  // The squared chords to the edges, and the smallest of them, in steps of the group.
  float squares[16];
  float least, step, slack;
  // The greatest square that matters.
  float reachable;
  uint32_t ends;
  // A lower bound of the distance to the nearest, metres.
  float lower;
} vk_glance;

// The longest chord to the nearest point where that to some point is no longer than `upper`, metres; see ChordGaps.
static inline double vk_longest_chord(double upper) {
#pragma clang fp contract(off)
  double u2 = upper * upper;
  return upper * (1 + u2 * (2.2e-17 + u2 * 1.4e-31)) + 1e-4;
}

// What the smallest of the chords says of the others.
static inline void vk_narrow(vk_glance *glance, vk_look *look) {
#pragma clang fp contract(off)
  float step = glance->step, slack = glance->slack, least = step * vk_root(glance->least);
  look->ends = glance->ends;
  look->lower = least - slack;
  double upper = least + slack, limit = look->limit;
  if (upper < VK_COMPARABLE_CHORD) {
    double longest = vk_longest_chord(upper);
    limit = longest < limit ? longest : limit;
  }
  look->limit = limit;
  float reachable = 1 / step * ((vk_next_up((float)limit) + slack) * (1 + 0x1p-21f));
  glance->reachable = reachable * reachable;
}

#define VK_LOOK(name) name
#define VK_LOOK_GAPS vk_edge_gaps
#define VK_LOOK_BELOW vk_below16
#include "vicinity_look.h"

// Byte offsets in a polygon: PolygonLayout. Its nodes begin after what every search reads first.
enum {
  VK_POLYGON_POINTS = 8,
  VK_POLYGON_FLAGS = 12,
  VK_POLYGON_ORIGIN = 16,
  VK_POLYGON_BOX = 40,
  VK_POLYGON_ROOT = 64,
  VK_POLYGON_HEADER = 256,
  VK_POLYGON_NODES = 320,
  VK_NODE_SIZE = 192,
  VK_GROUP_BYTES = 384,
};

// The most ways down that are made together.
enum { VK_MOST_DESCENTS = 32 };

// How many polygons ahead headers are asked for. 4, 6 and 9 ahead, a query for 20: 7.52, 7.61 and 7.52 us among 4,556
// states, 5.33, 4.99 and 5.70 us among 3,221 counties.
enum { VK_DESCENT_LEAD = 6 };

// No circle bounds the region.
enum { VK_POLYGON_UNBOUNDED = 4 };

// More than any chord, metres; its square is less than the gap to an absent box.
#define VK_FARTHEST 1e9
// Edges whose chords are shorter are measured together (OutsideMeasure), metres.
#define VK_NEAR_EDGES 8.1e5f

// Edges of one group that may be nearest.
typedef struct {
  // The group's number.
  int32_t group;
  // A lower bound of the chord to the nearest, metres.
  float lower;
  // As in vk_look.
  uint32_t lanes, ends;
} vk_candidates;

// The most groups with candidates that a way down keeps, and the most groups that it leads to.
enum { VK_MOST_FOUND = 6, VK_MOST_GROUPS = 256 };
#define VK_NO_GROUP 0xffffffffu

// A position's way down to the edges of one polygon.
typedef struct {
  // The gaps to the root's boxes where there are nodes below it, and those to the groups beside the one that is looked at.
  float gaps[32];
  // The polygon's bytes, which begin at a multiple of 64.
  const char *polygon;
  // The position less the polygon's origin, metres.
  double x, y, z;
  vk_frame frame;
  uint32_t group_count;
  // A lower bound of the boundary distance, metres, which is raised to the gap to the boxes.
  float bound;
  // The smallest of the root's gaps, as vk_box_gaps has them; for a single group, that to the box of the polygon.
  float least;
  // The second smallest of the gaps to the groups of which one is looked at.
  float next;
  // The group that is looked at, the first of those beside it, and those of these that are not yet; and the root's boxes
  // that have not been opened, and the one that has been asked for. VK_NO_GROUP for none.
  uint32_t group, first_group, groups, nodes, node;
  // Those edges that may be nearest. More than there is room for count as one more.
  uint32_t found_count;
  vk_candidates found[VK_MOST_FOUND];
  // No longer chord than this leads to the nearest boundary point, metres.
  double limit;
  // Whether the position lies outside the region for certain, and whether all edges that may be nearest have been found.
  uint8_t is_outside, is_settled;
} vk_descent;

static inline uint32_t vk_polygon_uint(const char *polygon, int offset) {
  uint32_t x;
  memcpy(&x, polygon + offset, sizeof x);
  return x;
}

static inline double vk_polygon_double(const char *polygon, int offset) {
  double x;
  memcpy(&x, polygon + offset, sizeof x);
  return x;
}

// The lane number that a gap carries.
static inline uint32_t vk_lane(float gap) {
  uint32_t bits;
  memcpy(&bits, &gap, sizeof bits);
  return bits & 15;
}

// The first `count` of sixteen lanes.
static inline uint32_t vk_first_lanes(uint32_t count) { return count < 16 ? (1u << count) - 1 : 0xffff; }

// The number of the root's level over two groups or more; level 0 lies over the groups.
static inline int vk_root_level(uint32_t groups) { return (31 - __builtin_clz(groups - 1)) >> 2; }

// Those edges that may be nearest.
static inline const vk_candidates *vk_found(const vk_descent *d) { return d->found; }

// A group of up to VK_MOST_GROUPS.
static inline const char *vk_group_of(const vk_descent *d, uint32_t group) {
  uint32_t nodes = d->group_count > 16 ? (d->group_count + 15) >> 4 : 0;
  return d->polygon + VK_POLYGON_NODES + VK_NODE_SIZE * nodes + VK_GROUP_BYTES * (size_t)group;
}

// Begins with the groups of which `first` is the first: the nearest is looked at, and it and the next are asked for. A search
// looks into one or two groups; of their rest it asks for what it needs when that is known.
static inline void vk_begin_groups(vk_descent *d, uint32_t first, float least) {
  uint32_t lane = vk_lane(least);
  d->first_group = first;
  d->group = first + lane;
  // Lanes beyond the level's end are never followed, whatever their boxes say.
  d->groups = vk_first_lanes(d->group_count - first) & ~(1u << lane);
  if (d->group >= d->group_count || !(least < 1e36f)) {
    d->group = VK_NO_GROUP;
    d->groups = 0;
    return;
  }
  vk_request(vk_group_of(d, d->group), VK_GROUP_REMAINDERS);
  vk_request(vk_group_of(d, first + vk_lane(d->next)), VK_GROUP_REMAINDERS);
}

#define VK_DESCENT(name) name
#define VK_DESCENT_BOXES vk_box_gaps
#define VK_LOOK(name) name
#include "vicinity_descent.h"

// The same four as wide as the machine's vectors are, to the last bit: wide_kernels.c.
float vk_wide_box_gaps(const void *node, const vk_frame *frame, int count, float *out, float *next);
void vk_wide_look(const void *group, double qx, double qy, double qz, vk_look *look);
void vk_wide_measure_feet(const vk_chord_series *k, vk_feet *feet, double qx, double qy, double qz);
void vk_wide_descend(vk_descent *descents, uint32_t count, double qx, double qy, double qz);

// How wide that is: 0 for vectors of four, 1 for eight (AVX2), 2 for sixteen (AVX-512).
int vk_widest(void);
// The same by a width that is no more than the widest, for tests to compare.
float vk_box_gaps_by(int width, const void *node, const vk_frame *frame, int count, float *out, float *next);
void vk_look_by(int width, const void *group, double qx, double qy, double qz, vk_look *look);
void vk_descend_by(int width, vk_descent *descents, uint32_t count, double qx, double qy, double qz);
void vk_measure_feet_by(
    int width, const vk_chord_series *k, vk_feet *feet, double qx, double qy, double qz);

#endif
