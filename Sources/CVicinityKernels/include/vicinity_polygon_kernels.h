// Kernels of the search within polygons: the layout of a polygon's bytes, what a traversal keeps, and the edges whose exact
// distances are computed together. The kernels themselves are in polygon_kernels_by_width.h.
//
// Layouts are those of PolygonLayout.swift. Distances in metres.

#ifndef VICINITY_POLYGON_KERNELS_H
#define VICINITY_POLYGON_KERNELS_H

#include "vicinity_chord_series.h"
#include "vicinity_tree_kernels.h"

// MARK: Layout

// Byte offsets in a polygon and in a group of edges, and sizes. A polygon's nodes begin after what every search reads first.
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
  VK_GROUP_ROW = 34,
  VK_GROUP_ABSENT = 102,
  VK_GROUP_CENTER = 104,
  VK_GROUP_STEP = 116,
  VK_GROUP_SIZE = 120,
  VK_GROUP_SLACK = 124,
  VK_GROUP_REMAINDERS = 128,
  VK_GROUP_MARKS = 332,
  // A flag: no circle bounds the region.
  VK_POLYGON_UNBOUNDED = 4,
  VK_MOST_LEVELS = 6,
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

// MARK: Bounds

// A position relative to the boxes of one polygon. Their corners are counted in 65535ths of the polygon's own box. Axes x, y, z;
// the fourth means nothing.
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

// Bounds of the distances from a position to the sixteen chords of a group.
typedef struct {
  // No chord longer than this matters, metres: an input, and lowered where the group has something nearer.
  //
  // If the shortest chord is u metres long at most, the geodesic to its point is at most 2 R₋ asin(u / 2R₋), and the chord of one no
  // longer at most 2 R₊ times the sine of that over 2R₊ (GeodesicBounds), as EdgeKernel.longestChord has it. Up to 8000 km this is
  // less than u (1 + 2.2e-17 u² + 1.4e-31 u⁴): the series begins with (R₋⁻² - R₊⁻²) / 24 = 2.08e-17, torsion adds 0.10e-17, and
  // what is over u³ rises from 2.17e-17 to 2.67e-17 at 8000 km, where the polynomial has 3.1e-17. Ties need a tenth of a
  // millimetre.
  double limit;
  // A lower bound of the distance to the nearest, metres.
  float lower;
  // The chords that may be within the limit, and those of their edges whose nearest points are certainly ends: bit i the start of
  // edge i, bit 16 + i its end.
  uint32_t lanes, ends;
} vk_group_bounds;

// Up to here an upper bound of the shortest chord limits the chord to the nearest point, metres.
#define VK_COMPARABLE_CHORD 8e6
// More than any chord, metres; its square is less than the gap to an absent box.
#define VK_FARTHEST 1e9
// Edges whose chords are shorter are measured together, metres.
#define VK_NEAR_EDGES 8.1e5f

// The longest chord to the nearest point where that to some point is no longer than `upper`, metres; see vk_group_bounds.
static inline double vk_longest_chord(double upper) {
  double u2 = upper * upper;
  return upper * (1 + u2 * (2.2e-17 + u2 * 1.4e-31)) + 1e-4;
}

// MARK: Far groups

// How far a group's seventeen points are along (ux, uy, uz) from its centre, less what a parabola across takes away: `bend` times the
// square of how far they are from it along (wx, wy, wz), `offset` and `slack` more. In steps of the group: seventeen numbers, and
// copies of the last. Returns the smallest.
static inline float vk_advances(
    const void *group, float ux, float uy, float uz, float wx, float wy, float wz, float offset, float slack,
    float bend, float *out) {
  const int16_t *px = vk_group_row(group, 0), *py = vk_group_row(group, 1), *pz = vk_group_row(group, 2);
  typedef int16_t vk_s4 VK_VECTOR(4);
  vk_f4 smallest = 3e38f;
#pragma clang loop unroll(full)
  for (int i = 0; i < 20; i += 4) {
    vk_f4 x, y, z;
    if (i < 16) {
      x = __builtin_convertvector(VK_LOAD(vk_s4, px + i), vk_f4);
      y = __builtin_convertvector(VK_LOAD(vk_s4, py + i), vk_f4);
      z = __builtin_convertvector(VK_LOAD(vk_s4, pz + i), vk_f4);
    } else {
      x = (vk_f4)(float)px[16], y = (vk_f4)(float)py[16], z = (vk_f4)(float)pz[16];
    }
    vk_f4 across = vk_abs(x * wx + y * wy + z * wz + offset) + slack;
    vk_f4 advance = x * ux + y * uy + z * uz - across * across * bend;
    vk_store(out + i, advance);
    smallest = vk_min(smallest, advance);
  }
  return vk_smallest4(smallest);
}

// MARK: Traversals

// Edges of one group that may be nearest.
typedef struct {
  // The group's number.
  int32_t group;
  // A lower bound of the chord to the nearest, metres.
  float lower;
  // As in vk_group_bounds.
  uint32_t lanes, ends;
} vk_edge_candidates;

// The most candidates that a traversal keeps, and the most traversals that are made together.
enum { VK_MOST_CANDIDATES = 6, VK_MOST_TRAVERSALS = 32 };

// One expanded node of a traversal: its squared gaps, each with its lane number in its four low mantissa bits.
typedef struct {
  float gaps[16];
  // The smallest gap whose child has not been visited yet, and the smallest of those beyond it.
  float next, second;
  // The number of the first child.
  uint32_t first;
} vk_open_node;

// A traversal of one polygon's boxes, nearest first, down to the edges that may be nearest to a position.
typedef struct {
  // The polygon's bytes, which begin at a multiple of 64, and their groups.
  const char *polygon, *groups;
  // The position less the polygon's origin, metres.
  double x, y, z;
  // No longer chord leads to the nearest boundary point, metres. An input: where the position certainly lies outside, no longer
  // chord than this matters. It may be lowered whenever the traversal pauses.
  double limit;
  // An input: whether all edges within the limit are wanted, and not only those that may be nearest.
  uint8_t finds_all;
  // An input: a lower bound of the boundary distance, metres; it is raised to the gap to the boxes.
  float bound;
  uint32_t point_count, group_count;
  int32_t root_level;
  // The level of the node whose child comes next. Level 0 lies over the groups.
  int32_t level;
  // The group to look at, or VK_NO_GROUP where `node`, one level below `level`, is to be opened.
  uint32_t group, node;
  // Bounds of the geodesic distance to the boundary where that is only estimated (`estimate`), metres; VK_FARTHEST where nothing
  // is within the limit.
  double lower, upper;
  // The candidates found since the last pause.
  uint32_t candidate_count;
  vk_edge_candidates candidates[VK_MOST_CANDIDATES];
  // Whether the position certainly lies outside the region, and whether nothing is left to visit.
  uint8_t is_outside, is_finished;
  vk_frame frame;
  vk_open_node levels[VK_MOST_LEVELS];
} vk_traversal;

#define VK_NO_GROUP 0xffffffffu

static inline vk_edge_candidates vk_edge_candidates_at(const vk_traversal *t, int i) { return t->candidates[i]; }

// MARK: Exact distances

// Points and edges whose exact distances are computed together, and the smallest of each owner's. Positions are relative to the
// Earth's centre, metres.
typedef struct {
  // An edge's start, which becomes the distance, and the vector to its end: zero for a point.
  double x[64], y[64], z[64], ex[64], ey[64], ez[64];
  double best[32];
  uint32_t owner[64];
  uint32_t count;
} vk_closest_point_batch;

// Adds an edge, or a point with an edge vector of zero; there must be room.
static inline void vk_add_edge(
    vk_closest_point_batch *batch, uint32_t owner, double x, double y, double z, double ex, double ey, double ez) {
  uint32_t i = batch->count++;
  batch->x[i] = x;
  batch->y[i] = y;
  batch->z[i] = z;
  batch->ex[i] = ex;
  batch->ey[i] = ey;
  batch->ez[i] = ez;
  batch->owner[i] = owner;
}

// The coordinate of one of a group's seventeen points on an axis, given the polygon's origin there.
static inline double vk_group_point(const void *group, uint32_t point, int axis, double step, double origin) {
  int32_t remainder;
  memcpy(&remainder, (const char *)group + VK_GROUP_REMAINDERS + 12 * point + 4 * axis, sizeof remainder);
  return (vk_group_row(group, axis)[point] * step + remainder * 0x1p-24)
      + vk_group_float(group, VK_GROUP_CENTER + 4 * axis) + origin;
}

// Adds the edges of `lanes` of a group whose polygon has its origin at (ox, oy, oz); there must be room. Edges whose nearest point
// is an end, by the `ends` of vk_group_bounds, are added as points, and each point once.
static inline void vk_add_edges(
    vk_closest_point_batch *batch, uint32_t owner, const void *group, double ox, double oy, double oz, uint32_t lanes,
    uint32_t ends) {
  double step = vk_group_float(group, VK_GROUP_STEP);
  uint32_t starts = ends & 0xffff, stops = ends >> 16;
  // An edge's start has been added already where it is the end of the edge before it.
  for (uint32_t rest = lanes & ~((lanes & stops) << 1 & starts); rest != 0; rest &= rest - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rest), last = lane + 1, first = stops >> lane & 1 ? last : lane;
    double x = vk_group_point(group, first, 0, step, ox);
    double y = vk_group_point(group, first, 1, step, oy);
    double z = vk_group_point(group, first, 2, step, oz);
    double ex = 0, ey = 0, ez = 0;
    if (!((starts | stops) >> lane & 1)) {
      ex = vk_group_point(group, last, 0, step, ox) - x;
      ey = vk_group_point(group, last, 1, step, oy) - y;
      ez = vk_group_point(group, last, 2, step, oz) - z;
    }
    vk_add_edge(batch, owner, x, y, z, ex, ey, ez);
  }
}

#endif
