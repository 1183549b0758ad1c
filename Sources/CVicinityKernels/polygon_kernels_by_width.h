// Included once for each width: bounds of sixteen boxes and sixteen edges, the traversal of polygons, and exact distances.
//
// VK_FLOATS is the vector of VK_LANES floats, VK_INTS its mask; VK_SHORTS and VK_UNSIGNED_SHORTS have as many lanes; VK_EDGES is the
// vector of VK_EDGE_LANES doubles.

#include "include/vicinity_polygon_kernels.h"

// MARK: Bounds

// `box`: low x, y, z, high x, y, z, and four bytes more; p relative to the same origin.
static void frame_of(const void *box, float px, float py, float pz, vk_frame *frame) {
  vk_f4 low = vk_load((const float *)box), high = vk_load((const float *)box + 3), p = {px, py, pz, 0};
  vk_f4 step = (high - low) * (1.0f / 65535);
  // A NaN compares as false and becomes 0.
  vk_f4 count = vk_min(vk_max((p - low) / step, (vk_f4)0), (vk_f4)65535), above = vk_min(count + 1, (vk_f4)65535);
  vk_store(frame->out, vk_max(vk_max(low - p, p - high), (vk_f4)0));
  vk_store(frame->step, step);
  vk_i4 counts = __builtin_convertvector(count, vk_i4);
  memcpy(frame->below, &counts, sizeof counts);
  counts = __builtin_convertvector(above, vk_i4);
  memcpy(frame->above, &counts, sizeof counts);
  // On each axis the position, the two faces and their differences are rounded by at most 2^-24 of their size, four times in
  // all; counts and steps by a hundredth of a count, which the boxes' extra count covers.
  float reach = vk_abs(p).x + vk_abs(p).y + vk_abs(p).z + frame->out[0] + frame->out[1] + frame->out[2];
  frame->error = 0x1p-21f * (reach + 65535 * (frame->step[0] + frame->step[1] + frame->step[2])) + 1e-3f;
}

// For as many intervals as a vector has lanes, how many counts the position lies below the lower or above the upper end. The
// intervals are not empty, so at most one of the two differences is not zero.
static inline VK_FLOATS vk_interval_gaps(const uint16_t *low, const uint16_t *high, int32_t below, int32_t above) {
  VK_UNSIGNED_SHORTS under = __builtin_elementwise_sub_sat(
      VK_LOAD(VK_UNSIGNED_SHORTS, low), (VK_UNSIGNED_SHORTS)(uint16_t)above);
  VK_UNSIGNED_SHORTS over = __builtin_elementwise_sub_sat(
      (VK_UNSIGNED_SHORTS)(uint16_t)below, VK_LOAD(VK_UNSIGNED_SHORTS, high));
  return __builtin_convertvector(under | over, VK_FLOATS);
}

static inline VK_FLOATS vk_squares(VK_FLOATS x, VK_FLOATS y, VK_FLOATS z) { return x * x + y * y + z * z; }

// Squared distances from a position to the first `count` boxes of a node, each with its lane number in its four low mantissa
// bits; at most 1e37, which stands in the other lanes too. Returns the smallest; *next gets the smallest of the others.
static float box_gaps(const void *node, const vk_frame *f, int count, float *out, float *next) {
  const uint16_t *p = (const uint16_t *)node;
  const VK_FLOATS far = 1e37f;
  vk_f4 smallest = 1e37f, second = 3e38f;
  VK_FLOATS gaps[16 / VK_LANES];
  for (int i = 0; i < 16; i += VK_LANES) {
    VK_FLOATS dx = vk_interval_gaps(p + i, p + 48 + i, f->below[0], f->above[0]) * f->step[0] + f->out[0];
    VK_FLOATS dy = vk_interval_gaps(p + 16 + i, p + 64 + i, f->below[1], f->above[1]) * f->step[1] + f->out[1];
    VK_FLOATS dz = vk_interval_gaps(p + 32 + i, p + 80 + i, f->below[2], f->above[2]) * f->step[2] + f->out[2];
    VK_FLOATS gap = vk_where((1u << count) - 1, i, vk_min(vk_squares(dx, dy, dz), far), far);
    gaps[i / VK_LANES] = gap = vk_tag(gap, i);
    vk_store(out + i, gap);
    smallest = vk_fold(smallest, gap);
  }
  float least = vk_smallest4(smallest);
  for (int i = 0; i < 16 / VK_LANES; i++) {
    second = vk_fold(second, vk_select(least < gaps[i], gaps[i], (VK_FLOATS)3e38f));
  }
  *next = vk_smallest4(second);
  return least;
}

static inline VK_FLOATS vk_steps(const int16_t *p) {
  return __builtin_convertvector(VK_LOAD(VK_SHORTS, p), VK_FLOATS);
}

// For the sixteen chords between a group's seventeen points: the squared distance from q to the nearest point of each; 1e37 where
// there is no edge, because the first point ends a chain. Sets bit i of *ends where the nearest point of chord i is its start, and
// bit 16 + i where it is its end, by more than the `margin`: of products of the chord and of the vector from q to its ends. Returns
// the smallest. All in steps of the group from its centre. Where only the smallest is wanted, `out` and `ends` are null.
static inline __attribute__((always_inline)) float vk_edge_gaps(
    const void *group, float qx, float qy, float qz, float margin, float *out, uint32_t *ends) {
  const int16_t *px = vk_group_row(group, 0), *py = vk_group_row(group, 1), *pz = vk_group_row(group, 2);
  const VK_FLOATS far = 1e37f;
  vk_f4 smallest = 1e37f;
  uint32_t starts = 0, stops = 0;
  uint16_t absent;
  memcpy(&absent, (const char *)group + VK_GROUP_ABSENT, sizeof absent);
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += VK_LANES) {
    VK_FLOATS x1 = vk_steps(px + i), ex = vk_steps(px + i + 1) - x1, wx = qx - x1;
    VK_FLOATS y1 = vk_steps(py + i), ey = vk_steps(py + i + 1) - y1, wy = qy - y1;
    VK_FLOATS z1 = vk_steps(pz + i), ez = vk_steps(pz + i + 1) - z1, wz = qz - z1;
    VK_FLOATS ee = vk_squares(ex, ey, ez), we = wx * ex + wy * ey + wz * ez;
    starts |= vk_bits(we < -margin) << i;
    stops |= vk_bits(margin < we - ee) << i;
    // Edges of no length divide 0 by 0: a NaN becomes the second operand.
    VK_FLOATS t = vk_min(vk_max(we / ee, (VK_FLOATS)0), (VK_FLOATS)1);
    VK_FLOATS gap = vk_where(absent, i, far, vk_squares(wx - t * ex, wy - t * ey, wz - t * ez));
    if (out) vk_store(out + i, gap);
    smallest = vk_fold(smallest, gap);
  }
  if (ends) *ends = starts | stops << 16;
  return vk_smallest4(smallest);
}

static float edge_gaps(
    const void *group, float qx, float qy, float qz, float margin, float *out, uint32_t *ends) {
  return vk_edge_gaps(group, qx, qy, qz, margin, out, ends);
}

// The next float above one that is positive and not infinite.
static inline float vk_next_up(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits++;
  memcpy(&x, &bits, sizeof bits);
  return x;
}

// The distances to the chords of a group, before it is known which of them are within a limit.
typedef struct {
  // The squared distances, and the smallest of them, in steps of the group.
  float squares[16];
  float least, step, slack;
  // The greatest square that matters.
  float reachable;
  uint32_t ends;
} vk_partial_bounds;

static inline __attribute__((always_inline)) void vk_measure_chords_as(
    const void *group, double qx, double qy, double qz, int is_estimate, vk_partial_bounds *b) {
  float x = (float)(qx - vk_group_float(group, VK_GROUP_CENTER));
  float y = (float)(qy - vk_group_float(group, VK_GROUP_CENTER + 4));
  float z = (float)(qz - vk_group_float(group, VK_GROUP_CENTER + 8));
  float reach = __builtin_fabsf(x) + __builtin_fabsf(y) + __builtin_fabsf(z)
      + 2 * vk_group_float(group, VK_GROUP_SIZE);
  // How far chords as computed may be from those to the surface arcs.
  b->slack = vk_group_float(group, VK_GROUP_SLACK) + 0x1p-19f * reach;
  // A power of two, so nothing is rounded.
  float steps = 1 / (b->step = vk_group_float(group, VK_GROUP_STEP));
  // Steps place a point at most 0.867 steps from where it is. So a product of a chord, no longer than the reach, and of a vector to
  // its ends, no longer either, is off by 2.6 times the reach and 1.5, in steps; and by a tenth of the reach for rounding.
  float margin = 3 * (steps * reach) + 4;
  b->least = is_estimate ? vk_edge_gaps(group, steps * x, steps * y, steps * z, margin, 0, 0)
                         : edge_gaps(group, steps * x, steps * y, steps * z, margin, b->squares, &b->ends);
}

static inline void vk_measure_chords(const void *group, double qx, double qy, double qz, vk_partial_bounds *b) {
  vk_measure_chords_as(group, qx, qy, qz, 0, b);
}

// Lowers the limit to what the smallest chord says of the others, unless all chords within the limit are wanted.
static inline void vk_narrow(vk_partial_bounds *b, int finds_all, vk_group_bounds *bounds) {
  float least = b->step * vk_root(b->least), slack = b->slack;
  bounds->ends = b->ends;
  bounds->lower = least - slack;
  double upper = least + slack;
  if (upper < VK_COMPARABLE_CHORD && !finds_all) {
    double longest = vk_longest_chord(upper);
    if (longest < bounds->limit) bounds->limit = longest;
  }
  float reachable = 1 / b->step * ((vk_next_up((float)bounds->limit) + slack) * (1 + 0x1p-21f));
  b->reachable = reachable * reachable;
}

// The chords that may be within the limit.
static inline uint32_t vk_reachable(const vk_partial_bounds *b) {
  uint32_t lanes = 0;
  for (int i = 0; i < 16; i += VK_LANES) {
    lanes |= vk_bits(VK_LOAD(VK_FLOATS, b->squares + i) < b->reachable) << i;
  }
  return lanes;
}

static void group_bounds(const void *group, double qx, double qy, double qz, vk_group_bounds *bounds) {
  vk_partial_bounds partial;
  vk_measure_chords(group, qx, qy, qz, &partial);
  vk_narrow(&partial, 0, bounds);
  bounds->lanes = vk_reachable(&partial);
}

// MARK: Traversal

// How many polygons ahead headers are asked for. 4, 6 and 9 ahead, a query for 20: 7.52, 7.61 and 7.52 us among 4,556 states, 5.33,
// 4.99 and 5.70 us among 3,221 counties.
enum { VK_HEADERS_AHEAD = 6 };

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

// How many children the nodes of one level have together: groups at level 0, nodes of the level below at others.
static inline uint32_t vk_child_count(const vk_traversal *t, int level) {
  return (t->group_count + (1u << 4 * level) - 1) >> 4 * level;
}

static inline const char *vk_node_of(const vk_traversal *t, int level, uint32_t node) {
  if (level == t->root_level) return t->polygon + VK_POLYGON_ROOT;
  uint32_t before = 0;
  for (int above = t->root_level - 1; above > level; above--) before += vk_child_count(t, above + 1);
  return t->polygon + VK_POLYGON_NODES + VK_NODE_SIZE * (size_t)(before + node);
}

static inline const char *vk_group_of(const vk_traversal *t, uint32_t group) {
  return t->groups + VK_GROUP_BYTES * (size_t)group;
}

// Opens a node: computes the gaps to its boxes. Returns the smallest.
static inline float vk_open(vk_traversal *t, int level, uint32_t node) {
  vk_open_node *open = t->levels + level;
  uint32_t present = vk_child_count(t, level) - 16 * node;
  open->first = 16 * node;
  t->level = level;
  return open->next = box_gaps(
      vk_node_of(t, level, node), &t->frame, present < 16 ? (int)present : 16, open->gaps, &open->second);
}

// The square of the gap beyond which boxes hold nothing with a chord up to the limit, square metres.
static inline float vk_gap_limit(const vk_traversal *t) {
  // The gaps' own rounding, and their lane numbers.
  float l = (vk_next_up((float)t->limit) + t->frame.error) * (1 + 0x1p-19f), l2 = l * l;
  // Lanes beyond a level's end are farther, whatever damaged bytes say.
  return l2 < 1e36f ? l2 : 1e36f;
}

// Asks for a child of the node that is open at a level.
static inline void vk_request_child(const vk_traversal *t, int level, float gap) {
  uint32_t child = t->levels[level].first + vk_lane(gap);
  if (level == 0) {
    vk_request(vk_group_of(t, child), VK_GROUP_REMAINDERS);
  } else {
    vk_request(vk_node_of(t, level - 1, child), VK_NODE_SIZE);
  }
}

// Makes the nearest child that is left of the node that is open at a level the next to visit.
static inline void vk_take_child(vk_traversal *t, int level) {
  vk_open_node *open = t->levels + level;
  t->level = level;
  t->node = open->first + vk_lane(open->next);
  t->group = level == 0 ? t->node : VK_NO_GROUP;
  // Most often the second child is beyond the limit when its turn comes, and the third is never asked for.
  open->next = open->second >= 0 ? open->second : vk_next16(open->gaps, open->next);
  open->second = -1;
}

// Chooses what to visit next: the nearest child that is left of the lowest open node that has any within the limit. Returns 0 where
// nothing is left, and where the candidates have to be measured before it is worth going on.
static inline int vk_advance(vk_traversal *t) {
  float limit = vk_gap_limit(t);
  for (int level = t->level; level <= t->root_level; level++) {
    vk_open_node *open = t->levels + level;
    if (!(open->next <= limit)) continue;
    // Where chords do not tell distances, only measuring lowers the limit.
    int is_blind = t->candidate_count > 0 && t->limit > VK_COMPARABLE_CHORD && !t->finds_all;
    if (t->candidate_count == VK_MOST_CANDIDATES || is_blind) return 0;
    vk_take_child(t, level);
    if (open->next <= limit) {
      vk_request_child(t, level, open->next);
    } else if (level < t->root_level && t->levels[level + 1].next <= limit) {
      vk_request_child(t, level + 1, t->levels[level + 1].next);
    }
    return 1;
  }
  t->is_finished = 1;
  return 0;
}

// The first step: the root's boxes. Returns 0 where they are all beyond the limit.
static inline __attribute__((always_inline)) int vk_begin(vk_traversal *t, double qx, double qy, double qz) {
  const char *polygon = t->polygon;
  uint32_t points = vk_polygon_uint(polygon, VK_POLYGON_POINTS), groups = (points + 14) >> 4;
  t->point_count = points;
  t->group_count = groups = groups > 0 ? groups : points > 0;
  t->root_level = groups > 1 ? (31 - __builtin_clz(groups - 1)) >> 2 : 0;
  t->groups = polygon + VK_POLYGON_NODES;
  for (int level = 1; level <= t->root_level; level++) t->groups += VK_NODE_SIZE * (size_t)vk_child_count(t, level);
  t->x = qx - vk_polygon_double(polygon, VK_POLYGON_ORIGIN);
  t->y = qy - vk_polygon_double(polygon, VK_POLYGON_ORIGIN + 8);
  t->z = qz - vk_polygon_double(polygon, VK_POLYGON_ORIGIN + 16);
  frame_of(polygon + VK_POLYGON_BOX, (float)t->x, (float)t->y, (float)t->z, &t->frame);
  float *out = t->frame.out, outside = out[0] > out[1] ? out[0] : out[1];
  outside = outside > out[2] ? outside : out[2];
  t->is_outside =
      outside > 1e-2f + t->frame.error && !(vk_polygon_uint(polygon, VK_POLYGON_FLAGS) & VK_POLYGON_UNBOUNDED);
  if (!t->is_outside && !t->finds_all) t->limit = VK_FARTHEST;
  t->candidate_count = 0;
  float least;
  if (groups > 1) {
    least = vk_open(t, t->root_level, 0);
    vk_request_child(t, t->root_level, least);
    if (t->root_level == 0) vk_request_child(t, 0, t->levels[0].second);
  } else {
    // No box but the polygon's own.
    float gap = vk_root(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]) * 0.999999f - t->frame.error;
    gap = gap > 0 ? gap : 0;
    least = gap * gap;
    t->level = 0;
    t->levels[0].first = 0;
    t->levels[0].next = groups > 0 ? 0 : 1e37f;
    t->levels[0].second = 1e37f;
    vk_request(t->groups, VK_GROUP_REMAINDERS);
  }
  // No path over the surface is shorter than the chord. Rounding: of the square, its lane number and of the root.
  float better = vk_root(least) * 0.999995f - t->frame.error;
  // A NaN is no better.
  if (t->is_outside && better > t->bound) t->bound = better;
  t->is_finished = !(t->levels[t->root_level].next <= vk_gap_limit(t));
  vk_take_child(t, t->root_level);
  return !t->is_finished;
}

// Looks at one group of each of some traversals. Each step is made with all of them before the next: it has to wait for the one
// before.
static inline void vk_look_at_groups(vk_traversal *const *traversals, uint32_t count) {
  vk_partial_bounds partial[VK_MOST_TRAVERSALS];
  float lower[VK_MOST_TRAVERSALS];
  for (uint32_t i = 0; i < count; i++) {
    vk_traversal *t = traversals[i];
    vk_measure_chords(vk_group_of(t, t->group), t->x, t->y, t->z, partial + i);
  }
  for (uint32_t i = 0; i < count; i++) {
    vk_group_bounds bounds = {.limit = traversals[i]->limit};
    vk_narrow(partial + i, traversals[i]->finds_all, &bounds);
    traversals[i]->limit = bounds.limit;
    lower[i] = bounds.lower;
  }
  for (uint32_t i = 0; i < count; i++) {
    vk_traversal *t = traversals[i];
    // Beyond the last edge there are copies of its end.
    uint32_t edges = t->point_count - 1 - 16 * t->group;
    uint32_t lanes = vk_reachable(partial + i) & (edges < 16 ? (1u << edges) - 1 : 0xffff);
    if (lanes == 0 || !(lower[i] <= t->limit)) continue;
    const char *group = vk_group_of(t, t->group);
    int first = __builtin_ctz(lanes), last = 31 - __builtin_clz(lanes);
    vk_request_ends(group + VK_GROUP_REMAINDERS + 12 * first, 12 * (last + 2 - first));
    // They tell the side.
    if (!t->is_outside) vk_request(group + VK_GROUP_MARKS, 1);
    t->candidates[t->candidate_count++] = (vk_edge_candidates){(int32_t)t->group, lower[i], lanes, partial[i].ends};
  }
}

// Looks at one group of each of some traversals, only to estimate the distance: lowers the bounds of the chord to the nearest
// point, and the limit to chords that are shorter by more than the width.
static inline void vk_look_roughly(vk_traversal *const *traversals, uint32_t count, float width) {
  vk_partial_bounds partial[VK_MOST_TRAVERSALS];
  for (uint32_t i = 0; i < count; i++) {
    vk_traversal *t = traversals[i];
    vk_measure_chords_as(vk_group_of(t, t->group), t->x, t->y, t->z, 1, partial + i);
  }
  for (uint32_t i = 0; i < count; i++) {
    vk_traversal *t = traversals[i];
    float least = partial[i].step * vk_root(partial[i].least), lower = least - partial[i].slack;
    float upper = least + partial[i].slack;
    if (lower < t->lower) t->lower = lower;
    if (upper < t->upper) t->upper = upper;
    double nearer = upper > width ? upper - width : 0;
    if (nearer < t->limit) t->limit = nearer;
  }
}

// Goes on with some traversals that have something to visit until each pauses. Where the width is not negative, the distance is
// only estimated.
static inline __attribute__((always_inline)) void vk_visit_as(vk_traversal **active, uint32_t count, float width) {
  vk_traversal *at_groups[VK_MOST_TRAVERSALS];
  while (count > 0) {
    uint32_t looks = 0, rest = 0;
    for (uint32_t i = 0; i < count; i++) {
      vk_traversal *t = active[i];
      if (t->group != VK_NO_GROUP) {
        at_groups[looks++] = t;
      } else {
        float least = vk_open(t, t->level - 1, t->node);
        vk_request_child(t, t->level, least);
        vk_take_child(t, t->level);
        if (t->level == 0) vk_request_child(t, 0, t->levels[0].next);
        active[rest++] = t;
      }
    }
    if (width < 0) {
      vk_look_at_groups(at_groups, looks);
    } else {
      vk_look_roughly(at_groups, looks, width);
    }
    for (uint32_t i = 0; i < looks; i++) {
      if (vk_advance(at_groups[i])) active[rest++] = at_groups[i];
    }
    count = rest;
  }
}

static void vk_visit(vk_traversal **active, uint32_t count) { vk_visit_as(active, count, -1); }
static void vk_visit_roughly(vk_traversal **active, uint32_t count, float width) {
  vk_visit_as(active, count, width > 0 ? width : 0);
}

// Begins the traversals of some polygons, whose bytes, limits and bounds have been set, and makes them until each is finished or
// pauses because its candidates have to be measured.
//
// Each step asks for the bytes that the next one reads, and is made with all polygons before the next step is made with any: none
// waits for memory.
static void traverse(vk_traversal *traversals, uint32_t count, double qx, double qy, double qz) {
  vk_traversal *active[VK_MOST_TRAVERSALS];
  uint32_t actives = 0;
  for (uint32_t i = 0; i < count && i < VK_HEADERS_AHEAD; i++) vk_request(traversals[i].polygon, VK_POLYGON_HEADER);
  for (uint32_t i = 0; i < count; i++) {
    if (i + VK_HEADERS_AHEAD < count) vk_request(traversals[i + VK_HEADERS_AHEAD].polygon, VK_POLYGON_HEADER);
    if (vk_begin(traversals + i, qx, qy, qz)) active[actives++] = traversals + i;
  }
  vk_visit(active, actives);
}

// As `traverse`; where the position certainly lies outside, the boundary distance is only bounded. What is open between the bounds
// is no more than `width`, metres, and what chords in single precision leave open.
//
// The least distance of a boundary point is a geodesic over the shortest chord, or over a longer one: at least the lower bound of
// geodesics over the shortest. At most it is the upper bound of the one over the shortest chord. Those bounds are
// vk_chord_bounds', here in double precision.
static void estimate(vk_traversal *traversals, uint32_t count, float width, double qx, double qy, double qz) {
  vk_traversal *outside[VK_MOST_TRAVERSALS], *others[VK_MOST_TRAVERSALS];
  uint32_t outsides = 0, rest = 0;
  for (uint32_t i = 0; i < count && i < VK_HEADERS_AHEAD; i++) vk_request(traversals[i].polygon, VK_POLYGON_HEADER);
  for (uint32_t i = 0; i < count; i++) {
    vk_traversal *t = traversals + i;
    if (i + VK_HEADERS_AHEAD < count) vk_request(traversals[i + VK_HEADERS_AHEAD].polygon, VK_POLYGON_HEADER);
    t->lower = t->upper = VK_FARTHEST;
    if (!vk_begin(t, qx, qy, qz)) continue;
    if (t->is_outside) {
      outside[outsides++] = t;
    } else {
      others[rest++] = t;
    }
  }
  vk_visit(others, rest);
  vk_traversal *active[VK_MOST_TRAVERSALS];
  memcpy(active, outside, outsides * sizeof *active);
  vk_visit_roughly(active, outsides, width);
  for (uint32_t i = 0; i < outsides; i++) {
    vk_traversal *t = outside[i];
    // Groups that were not looked at have longer chords than the limit.
    double low = t->lower < t->limit ? t->lower : t->limit, high = t->upper;
    low = low > 0 ? low : 0;
    double u = low * low * VK_INVERSE_SQUARE, v = high * high * VK_INVERSE_SQUARE;
    double lower = low * (1 + u * (1 / 24.0 + u * (3 / 640.0)));
    t->lower = lower > t->bound ? lower : t->bound;
    double open = v * (8.7e-4 + v * (2.3e-4 + v * 1.4e-3));
    t->upper = v < 1.6 ? high * (1 + v * (1 / 24.0 + v * (3 / 640.0)) + open) : VK_FARTHEST;
  }
}

// Goes on with one traversal whose candidates have been measured; its limit may have been lowered.
static void resume(vk_traversal *t) {
  t->candidate_count = 0;
  if (vk_advance(t)) vk_visit(&t, 1);
}

// MARK: Exact distances

typedef struct { VK_EDGES x, y, z; } vk_edge_points;

static inline VK_EDGES vk_dot(vk_edge_points a, vk_edge_points b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline VK_EDGES vk_clamped(VK_EDGES t) { return vk_min(vk_max(t, (VK_EDGES)0), (VK_EDGES)1); }

static inline vk_edge_points vk_along(vk_edge_points p, VK_EDGES t, vk_edge_points e) {
  return (vk_edge_points){p.x + t * e.x, p.y + t * e.y, p.z + t * e.z};
}

static inline vk_edge_points vk_gradient(const vk_chord_series *k, vk_edge_points c) {
  return (vk_edge_points){c.x * k->reciprocal_a2, c.y * k->reciprocal_a2, c.z * k->reciprocal_b2};
}

// How far along g, the gradient (x/a², y/a², z/b²) at a point c just below the surface, the surface lies: EdgeKernel.closestPoint.
static inline VK_EDGES vk_lift(const vk_chord_series *k, vk_edge_points c, vk_edge_points g, VK_EDGES reciprocal_g2) {
  VK_EDGES excess = vk_dot(c, g) - 1;
  VK_EDGES bend = (g.x * g.x + g.y * g.y) * k->reciprocal_a2 + g.z * g.z * k->reciprocal_b2;
  return -0.5 * excess * reciprocal_g2 * (1 + 0.25 * bend * excess * reciprocal_g2 * reciprocal_g2);
}

// The geodesic distances from q to the nearest points of all edges, and the least of each owner's into best[]:
// EdgeKernel.closestPoint, its step always made, and ChordSeries.distance, which holds to 1500 km. Empties the batch.
static void measure(const vk_chord_series *k, vk_closest_point_batch *batch, double qx, double qy, double qz) {
  uint32_t count = batch->count;
  batch->count = 0;
  // Up to a multiple of the lanes; there is room, for 64 is one.
  for (uint32_t i = count; i % VK_EDGE_LANES != 0; i++) {
    batch->x[i] = batch->x[count - 1];
    batch->y[i] = batch->y[count - 1];
    batch->z[i] = batch->z[count - 1];
    batch->ex[i] = batch->ey[i] = batch->ez[i] = 0;
  }
  for (uint32_t i = 0; i < count; i += VK_EDGE_LANES) {
    vk_edge_points p = {
        VK_LOAD(VK_EDGES, batch->x + i), VK_LOAD(VK_EDGES, batch->y + i), VK_LOAD(VK_EDGES, batch->z + i)};
    vk_edge_points e = {
        VK_LOAD(VK_EDGES, batch->ex + i), VK_LOAD(VK_EDGES, batch->ey + i), VK_LOAD(VK_EDGES, batch->ez + i)};
    // The addends keep points at 0 / 1e-300 = 0.
    vk_edge_points w = {qx - p.x, qy - p.y, qz - p.z};
    VK_EDGES t = vk_clamped(vk_dot(w, e) / (vk_dot(e, e) + 1e-300));
    vk_edge_points c = vk_along(p, t, e), g = vk_gradient(k, c);
    VK_EDGES reciprocal = 1 / vk_dot(g, g), lift = vk_lift(k, c, g, reciprocal);
    vk_edge_points r = {qx - (c.x + lift * g.x), qy - (c.y + lift * g.y), qz - (c.z + lift * g.z)};
    // The lift tilts the tangent: one Gauss-Newton step along the true one. g is nearly the unit normal over a.
    VK_EDGES slope = vk_dot(e, g) * reciprocal;
    vk_edge_points tangent = {e.x - slope * g.x, e.y - slope * g.y, e.z - slope * g.z};
    VK_EDGES scale = vk_dot(tangent, tangent) * vk_max(1 + vk_dot(r, g), (VK_EDGES)0.1);
    t = vk_clamped(t + vk_dot(r, tangent) / (scale + 1e-300));
    c = vk_along(p, t, e);
    g = vk_gradient(k, c);
    vk_edge_points s = vk_along(c, vk_lift(k, c, g, 1 / vk_dot(g, g)), g);
    VK_EDGES chord2, s12 = vk_geodesic(k, qx - s.x, qy - s.y, qz - s.z, qz + s.z, 0, &chord2);
    vk_store(batch->x + i, s12);
  }
  for (uint32_t i = 0; i < count; i++) {
    double *best = batch->best + batch->owner[i];
    // A NaN is no better.
    if (batch->x[i] < *best) *best = batch->x[i];
  }
}
