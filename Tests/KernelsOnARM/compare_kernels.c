// Runs every kernel on the same inputs by all builds that this machine has: the portable one, and vectors of four, eight and
// sixteen lanes. Prints a line for each kernel with a hash of its results, so that runs on different machines can be compared.
//
//   compare_kernels [INPUTS]     INPUTS for each kernel, 2000 unless it is said
//
// Inputs contain NaN, infinities, zeros of both signs, the greatest and the smallest floats, and ties. Results are compared to the
// bit, but any NaN equals any other: what sign and payload an operation gives it depends on the machine. Exits with 1 where two
// builds differ.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../CPortableKernels/include/portable_kernels.h"

#define INLINE_KERNELS_NAME native_inline_kernels
#include "../CPortableKernels/inline_kernels.h"

// MARK: Inputs and results

// SplitMix64 (S. Vigna).
static uint64_t state;
static uint64_t next(void) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}
static uint32_t below(uint32_t n) { return (uint32_t)(next() % n); }
static double uniform(double low, double high) { return low + (high - low) * ((double)(next() >> 11) * 0x1p-53); }

// A finite number of either sign, between 2^-12 and 2^24 in size.
static double number(void) {
  double x = 1 + (double)(next() >> 11) * 0x1p-53;
  for (int e = (int)below(36) - 12; e != 0; e += e > 0 ? -1 : 1) x *= e > 0 ? 2 : 0.5;
  return next() & 1 ? x : -x;
}

// Whether this input has special numbers at all: ordinary results are compared as well.
static int has_specials;
static float any(void) {
  static const float specials[] = {0, -0.0f, 1, -1, 3e38f, -3e38f, 0x1p-149f, -0x1p-149f, 0x1.fffffep127f};
  uint32_t choice = has_specials ? below(60) : 60;
  if (choice == 0) return __builtin_nanf("");
  if (choice == 1) return __builtin_inff();
  if (choice == 2) return -__builtin_inff();
  return choice < 12 ? specials[choice - 3] : (float)number();
}
static void fill(float *p, int count) {
  for (int i = 0; i < count; i++) p[i] = i > 0 && below(8) == 0 ? p[below((uint32_t)i)] : any();
}
static void fill_doubles(double *p, int count, double size) {
  for (int i = 0; i < count; i++) p[i] = has_specials && below(30) == 0 ? (double)any() : uniform(-size, size);
}

// FNV-1a.
static uint64_t hash;
static void put(uint64_t x) {
  for (int i = 0; i < 8; i++) hash = (hash ^ (x >> 8 * i & 255)) * 0x100000001b3;
}
static void put_double(double x) {
  uint64_t bits = 0x7ff8000000000000;
  if (x == x) memcpy(&bits, &x, sizeof x);
  put(bits);
}
static void put_float(float x) {
  uint32_t bits = 0x7fc00000;
  if (x == x) memcpy(&bits, &x, sizeof x);
  put(bits);
}
static void put_floats(const float *p, int count) { for (int i = 0; i < count; i++) put_float(p[i]); }
static void put_doubles(const double *p, int count) { for (int i = 0; i < count; i++) put_double(p[i]); }

// MARK: Kernels that inline

typedef const inline_kernels *table;
typedef const vk_kernels *wide_table;
#define ALIGNED _Alignas(64)

static ALIGNED float in[256], out[128];

static void argmin(table k) {
  int count = 1 + (int)below(40);
  for (int i = 0; i < 48; i++) in[i] = i < count ? any() : 3.4e38f;
  put((uint64_t)k->argmin(in, count));
}
static void take16(table k) { fill(in, 16); put_float(k->take16(in, in[below(16)])); put_floats(in, 16); }
static void next16(table k) { fill(in, 16); put_float(k->next16(in, any())); }
static void put_one(table k) { fill(in, 32); k->put(in, (int)below(32), any()); put_floats(in, 32); }
static void push(table k) { fill(in, 32); k->push(in, (int)below(28), any()); put_floats(in, 32); }
static void node_bounds(table k) {
  fill(in, 128);
  put_float(k->node_bounds(in, any(), any(), any(), 3, out));
  put_floats(out, 16);
}
static void leaf_bounds(table k) {
  fill(in, 64);
  put(k->leaf_bounds(in, any(), any(), any(), 1, any(), out, out + 16));
  put_floats(out, 32);
}
static void near_bounds(table k) { fill(in, 64); put(k->near_bounds(in, any(), any(), any(), 1, any(), out)); put_floats(out, 16); }
// Coordinates of the Earth's size, so that chords are neither all zero nor all beyond a diameter.
static void fill_places(float *p, int count) {
  for (int i = 0; i < count; i++) p[i] = has_specials && below(8) == 0 ? any() : (float)uniform(-6.4e6, 6.4e6);
}
static float place(void) { return has_specials && below(8) == 0 ? any() : (float)uniform(-6.4e6, 6.4e6); }
static void raise_node_bounds(table k) {
  fill_places(in, 128);
  fill_places(out, 16);
  put_float(k->raise_node_bounds(in, place(), place(), place(), 3, out));
  put_floats(out, 16);
}
static void raise_leaf_bounds(table k) {
  fill_places(in, 64);
  fill_places(out, 16);
  put(k->raise_leaf_bounds(in, place(), place(), place(), 1, place(), out));
  put_floats(out, 16);
}
static void advances(table k) {
  static int16_t group[60];
  for (int i = 0; i < 60; i++) group[i] = (int16_t)next();
  put_float(k->advances(group, any(), any(), any(), any(), any(), any(), any(), any(), any(), out));
  put_floats(out, 20);
}
static void partition(table k) {
  fill(in, 32);
  float inside = any(), outside = any();
  put(k->partition(in, in + 16, any(), &inside, &outside));
  put_float(inside);
  put_float(outside);
}
static void partition_near(table k) {
  fill(in, 64);
  float inside = any(), outside = any();
  put(k->partition_near(in, any(), any(), any(), 1, any(), out, &inside, &outside));
  put_float(inside);
  put_float(outside);
  put_floats(out, 16);
}
static void below16(table k) { fill(in, 16); put(k->below16(in, any())); }
static void best_child(table k) { fill(in, 112); put((uint64_t)k->best_child(in, any(), any(), any(), any(), below(65536))); }
static void sort16(table k) { fill(in, 16); k->sort16(in); put_floats(in, 16); }
static void sort32(table k) { fill(in, 32); k->sort32(in); put_floats(in, 32); }
static void merge(table k) { fill(in, 48); k->merge(in, in + 32, any(), below(65536)); put_floats(in, 32); }
static void insert(table k) {
  int chunks = 1 + (int)below(12);
  fill(in, 80);
  in[3] = -__builtin_inff();
  k->insert(in, chunks, in + 64, any(), below(65536));
  put_floats(in, 4 * chunks + 4);
}

static const vk_chord_series series = {
    // WGS84's, as ChordSeries.swift derives them, to a few digits.
    2.4580e-14, 2.4746e-14, 4.0681e13, 2.0745e-17, 1.0 / 24, 3.0 / 640, 5.0 / 7168, 35.0 / 294912, 2.55e-31, 1.04e-45,
    2.73e-46, 1.80e-60, 8.2e-33, -3.1e-47, -2.1e-62,
};
static vk_batch batch;
static void boundary_bounds(table k) {
  fill(in, 256);
  float nearest = any();
  put(k->boundary_bounds(in, 1 + (int)below(16), any(), any(), any(), 1, any(), &nearest));
  put_float(nearest);
}
static void near_boundary_bounds(table k) {
  fill(in, 256);
  float nearest = any();
  put(k->near_boundary_bounds(in, 1 + (int)below(16), any(), any(), any(), 1, any(), &nearest));
  put_float(nearest);
}
static void project_circles(table k) {
  fill(in, 256);
  int fours = 1 + (int)below(8);
  float axes[5];
  fill(axes, 5);
  memset(out, 0, sizeof out);
  k->project_circles(in, fours, axes, axes + 2, out);
  put_floats(out, 96);
}
static void plane_bounds(table k) { fill(in, 192); k->plane_bounds(in, 16, any(), any(), out); put_floats(out, 64); }
static void below_threshold(table k) {
  fill(in, 64);
  float nearest = 0;
  put(k->below(in, 1 + (int)below(16), any(), &nearest));
  put_float(nearest);
}
static void partition_plane(table k) {
  fill(in, 96);
  float inside = any(), outside = any();
  uint32_t members[2];
  put((uint64_t)k->partition_plane(in, 2, any(), any(), 0.25f, any(), out, members, &inside, &outside));
  put(members[0] | (uint64_t)members[1] << 32);
  put_float(inside);
  put_float(outside);
  put_floats(out, 32);
}

static vk_nearby_circles circles;
static void make_circles(double scale) {
  memset(&circles, 0, sizeof circles);
  circles.plane = (vk_plane){48, 16, 74000, -1450, 111200, 10, 480, 0.09, 0.13};
  circles.slack = (float)uniform(1e-3, 0.5);
  circles.reach = (float)(2 * scale);
  circles.reach2 = circles.reach * circles.reach;
  circles.longestLeg = below(5) ? 2500 : (float)(0.4 * scale);
  circles.count = (int32_t)below(33);
  for (int i = 0; i < VK_NEARBY_CIRCLES_ROOM; i++) {
    int is_there = i < circles.count;
    circles.centerX[i] = is_there ? (float)uniform(-1.5 * scale, 1.5 * scale) : 1e18f;
    circles.centerY[i] = is_there ? (float)uniform(-1.5 * scale, 1.5 * scale) : 1e18f;
    circles.radius[i] = is_there ? (float)uniform(0, scale) : 0;
  }
}
static void candidate_circles(table k) {
  make_circles(1000);
  float nearest = any(), limit = has_specials ? any() : (float)uniform(0, 3000);
  float p[4];
  for (int i = 0; i < 4; i++) p[i] = has_specials ? any() : (float)uniform(-1000, 1000);
  put(k->candidate_circles(&circles, p[0], p[1], p[2], p[3], limit, &nearest));
  put_float(nearest);
}
static void intersecting_circles(table k) {
  make_circles(1000);
  float p[4];
  for (int i = 0; i < 4; i++) p[i] = has_specials ? any() : (float)uniform(-1000, 1000);
  if (below(10) == 0) memcpy(p + 2, p, 8);
  put(k->intersecting_circles(&circles, (uint32_t)next(), p[0], p[1], p[2], p[3], (float)uniform(1, 3000)));
}

// MARK: Kernels by width

static ALIGNED char polygon[1 << 20];

static void put_frame(const vk_frame *f) {
  put_floats(f->out, 3);
  put_floats(f->step, 3);
  for (int i = 0; i < 3; i++) put((uint32_t)f->below[i] | (uint64_t)(uint32_t)f->above[i] << 32);
  put_float(f->error);
}
static void make_frame(wide_table k, vk_frame *f) {
  float box[7] = {0};
  for (int i = 0; i < 3; i++) box[3 + i] = (box[i] = (float)uniform(-1e5, 0)) + (float)uniform(1e-2, 1e5);
  if (has_specials) box[below(6)] = any();
  float q[3];
  for (int i = 0; i < 3; i++) q[i] = has_specials && below(5) == 0 ? any() : (float)uniform(-2e5, 2e5);
  k->frame_of(box, q[0], q[1], q[2], f);
}
static void frame_of(wide_table k) {
  vk_frame f;
  make_frame(k, &f);
  put_frame(&f);
}
static void box_gaps(wide_table k) {
  vk_frame f;
  uint16_t node[96];
  make_frame(k, &f);
  for (int i = 0; i < 96; i++) node[i] = (uint16_t)next();
  float second;
  put_float(k->box_gaps(node, &f, (int)below(17), out, &second));
  put_float(second);
  put_floats(out, 16);
}

static void set(char *p, float x) { memcpy(p, &x, sizeof x); }
static void make_group(char *group) {
  int reach = 1 << below(15);
  memset(group, 0, VK_GROUP_BYTES);
  for (int axis = 0; axis < 3; axis++) {
    for (int i = 0; i < 17; i++) {
      int16_t steps = (int16_t)((int)below(2 * (uint32_t)reach + 1) - reach);
      // Edges of no length.
      if (i > 0 && below(6) == 0) memcpy(&steps, group + VK_GROUP_ROW * axis + 2 * i - 2, 2);
      memcpy(group + VK_GROUP_ROW * axis + 2 * i, &steps, 2);
    }
    set(group + VK_GROUP_CENTER + 4 * axis, has_specials && below(20) == 0 ? any() : (float)uniform(-1e5, 1e5));
  }
  uint16_t absent = (uint16_t)(next() & next() & next());
  memcpy(group + VK_GROUP_ABSENT, &absent, 2);
  float step = 1;
  for (uint32_t i = below(12); i > 0; i--) step *= 0.5f;
  set(group + VK_GROUP_STEP, step);
  set(group + VK_GROUP_SIZE, (float)reach * step);
  set(group + VK_GROUP_SLACK, step + (float)uniform(1e-3, 10));
  for (int i = 0; i < 51; i++) {
    int32_t remainder = (int32_t)next();
    memcpy(group + VK_GROUP_REMAINDERS + 4 * i, &remainder, 4);
  }
}
static void edge_gaps(wide_table k) {
  make_group(polygon);
  uint32_t ends = 0;
  float q[3];
  for (int i = 0; i < 3; i++) q[i] = has_specials && below(5) == 0 ? any() : (float)uniform(-4e4, 4e4);
  put_float(k->edge_gaps(polygon, q[0], q[1], q[2], (float)uniform(0, 1e5), out, &ends));
  put(ends);
  put_floats(out, 16);
}
static void group_bounds(wide_table k) {
  make_group(polygon);
  vk_group_bounds b = {.limit = below(2) ? VK_FARTHEST : uniform(1, 1e6)};
  double q[3];
  fill_doubles(q, 3, 2e5);
  k->group_bounds(polygon, q[0], q[1], q[2], &b);
  put_double(b.limit);
  put_float(b.lower);
  put(b.lanes | (uint64_t)b.ends << 32);
}

// Bytes laid out as a polygon, of one to three levels, with boxes that have nothing to do with the edges below them.
static void make_polygon(void) {
  static const uint32_t counts[] = {1, 2, 17, 18, 200, 257, 258, 700, 4200};
  uint32_t points = counts[below(9)], groups = points > 1 ? (points + 14) / 16 : 1, nodes = 0;
  for (uint32_t n = (groups + 15) / 16; n > 1; n = (n + 15) / 16) nodes += n;
  for (size_t i = 0; i < VK_POLYGON_NODES + VK_NODE_SIZE * (size_t)nodes; i += 2) {
    // Half of the boxes overlap.
    uint16_t face = (uint16_t)(i % 192 / 96 == 0 ? next() | (next() & 0x8000) : next());
    memcpy(polygon + i, &face, 2);
  }
  memcpy(polygon + VK_POLYGON_POINTS, &points, 4);
  uint32_t flags = below(8) == 0 ? VK_POLYGON_UNBOUNDED : 0;
  memcpy(polygon + VK_POLYGON_FLAGS, &flags, 4);
  double origin[3] = {uniform(-1e5, 1e5), uniform(-1e5, 1e5), uniform(-1e5, 1e5)};
  memcpy(polygon + VK_POLYGON_ORIGIN, origin, sizeof origin);
  for (int i = 0; i < 3; i++) {
    set(polygon + VK_POLYGON_BOX + 4 * i, (float)uniform(-2e5, -1e5));
    set(polygon + VK_POLYGON_BOX + 12 + 4 * i, (float)uniform(1e5, 2e5));
  }
  if (has_specials) set(polygon + VK_POLYGON_BOX + 4 * below(6), any());
  for (uint32_t g = 0; g < groups; g++) make_group(polygon + VK_POLYGON_NODES + VK_NODE_SIZE * nodes + VK_GROUP_BYTES * g);
}
static void traverse(wide_table k) {
  static vk_traversal t;
  make_polygon();
  memset(&t, 0, sizeof t);
  t.polygon = polygon;
  t.limit = below(2) ? VK_FARTHEST : uniform(1, 1e6);
  t.finds_all = below(4) == 0;
  double q[3];
  fill_doubles(q, 3, below(4) == 0 ? 1e7 : 6e5);
  k->traverse(&t, 1, q[0], q[1], q[2]);
  while (1) {
    for (uint32_t i = 0; i < t.candidate_count; i++) {
      put((uint32_t)t.candidates[i].group | (uint64_t)t.candidates[i].lanes << 32);
      put(t.candidates[i].ends);
      put_float(t.candidates[i].lower);
    }
    put_double(t.limit);
    if (t.is_finished) break;
    // As measuring does where chords do not tell distances.
    if (t.limit > 8e6) t.limit = 9e6;
    k->resume(&t);
  }
  put_frame(&t.frame);
  put_float(t.bound);
  put(t.is_outside);
}
static void estimate(wide_table k) {
  static vk_traversal t;
  make_polygon();
  memset(&t, 0, sizeof t);
  t.polygon = polygon;
  t.limit = below(2) ? VK_FARTHEST : uniform(1, 1e6);
  double q[3];
  fill_doubles(q, 3, below(4) == 0 ? 1e7 : 6e5);
  k->estimate(&t, 1, uniform(0, 5e3), q[0], q[1], q[2]);
  put_double(t.lower);
  put_double(t.upper);
  put_double(t.limit);
  put(t.is_outside);
}
static void measure(wide_table k) {
  static vk_closest_point_batch b;
  b.count = 0;
  for (int i = 0; i < 32; i++) b.best[i] = __builtin_inf();
  double q[3];
  for (int i = 0; i < 3; i++) q[i] = uniform(-4e6, 4e6);
  for (uint32_t n = below(65); n > 0; n--) {
    double p[6];
    fill_doubles(p, 3, 5e5);
    fill_doubles(p + 3, 3, below(3) ? 1e4 : 0);
    vk_add_edge(&b, below(32), q[0] + p[0], q[1] + p[1], q[2] + p[2], p[3], p[4], p[5]);
  }
  k->measure(&series, &b, q[0], q[1], q[2]);
  put_doubles(b.best, 32);
}
static void follow(wide_table k) {
  static vk_fix fixes[100];
  static vk_follow_state s;
  double scale = uniform(20, 3000), step = uniform(0.001, 0.3) * scale / 111200;
  make_circles(scale);
  int64_t count = (int64_t)below(100), time = 1000;
  double latitude = 48, longitude = 16;
  for (int i = 0; i < count; i++) {
    latitude += uniform(-step, step);
    longitude += uniform(-step, step) * 1.5;
    time += below(5) == 0 ? 4000 : 1000;
    fixes[i] = (vk_fix){time, latitude, longitude, 5, -1, -1};
    if (has_specials && below(40) == 0) fixes[i].latitude = (double)any();
    if (has_specials && below(40) == 0) fixes[i].accuracy = (double)any();
    if (has_specials && below(40) == 0) fixes[i].time = below(2) ? INT64_MAX : INT64_MIN;
  }
  memset(&s, 0, sizeof s);
  s.latitude = 48;
  s.longitude = 16;
  s.due = below(3) == 0 ? (int64_t)below(40000) : INT64_MAX;
  s.gap = below(2) == 0 ? 3000 : INT64_MAX;
  s.room = below(2) == 0 ? 1 : VK_CANDIDATE_LEGS_ROOM;
  put((uint64_t)k->follow(&circles, fixes, count, &s));
  put_double(s.latitude);
  put_double(s.longitude);
  put((uint64_t)s.time);
  for (int i = 0; i < s.candidateCount; i++) put((uint64_t)s.candidates[i].fix << 32 | s.candidates[i].circles);
}
static void intersect(wide_table k) {
  static vk_circle_intersections m;
  vk_ellipsoid e = {6378137, 0.0066943799901413165, 1 / (24 * 6378137.0 * 6356752.314245179), series};
  int count = 1 + (int)below(VK_INTERSECTIONS_ROOM);
  memset(&m, 0, sizeof m);
  for (int i = 0; i < count; i++) {
    double p[6], latitude = uniform(-80, 80), longitude = uniform(-180, 180);
    for (int j = 0; j < 6; j++) p[j] = (j % 2 ? longitude : latitude) + uniform(-0.006, 0.006);
    if (has_specials && below(10) == 0) p[below(6)] = (double)any();
    vk_set_intersection(&m, i, p[0], p[1], p[2], p[3], p[4], p[5], uniform(1, 700));
  }
  uint32_t solved = k->intersect(&e, &m, count);
  put(solved | (uint64_t)m.leaving << 32);
  for (int i = 0; i < count; i++) {
    if (!(solved >> i & 1)) continue;
    vk_crossing c = vk_crossing_at(&m, i);
    put_double(c.s);
    put_double(c.length);
    put_double(c.latitude);
    put_double(c.longitude);
  }
}

static void near_distances(wide_table k) {
  int count = 1 + (int)below(32);
  double size = below(4) == 0 ? 3e5 : 5e4;
  fill_doubles(batch.dx, 48, size);
  fill_doubles(batch.dy, 48, size);
  fill_doubles(batch.dz, 48, size);
  for (int i = 0; i < 48; i++) batch.radius[i] = uniform(0, 1e6);
  put_double(k->near_distances(&series, &batch, count, uniform(-1.2e7, 1.2e7), out));
  put_doubles(batch.center, count);
  put_doubles(batch.boundary, count);
  put_floats(out, count);
}
static void series_distances(wide_table k) {
  int count = 1 + (int)below(48);
  fill_doubles(batch.dx, 48, 5e5);
  fill_doubles(batch.dy, 48, 5e5);
  fill_doubles(batch.dz, 48, 5e5);
  k->series_distances(&series, &batch, count, uniform(-1.2e7, 1.2e7));
  put_doubles(batch.center, count);
}
static void far_distances(wide_table k) {
  // WGS84's, as GeodesicSeries.swift has them, to a few digits.
  static const vk_geodesic_series far = {
      6378137, 6356752.3142, 1 / 6378137.0, 1 / 6356752.3142, 1 / 298.257223563, 0.00673949674227643, -0.927, 1e-24, 0.49916,
      0.49916, 0.25021, 0.06282, 0.04693, 0.49916, 0.25, 0.09391, 0.07818, 0.12468, 0.09364, 0.05193,
  };
  int count = 1 + (int)below(48);
  fill_doubles(batch.dx, 48, 1.2e7);
  fill_doubles(batch.dy, 48, 1.2e7);
  fill_doubles(batch.dz, 48, 1.2e7);
  k->far_distances(&far, &batch, count, uniform(-6.3e6, 6.3e6), uniform(-6.3e6, 6.3e6), uniform(-6.3e6, 6.3e6));
  put_doubles(batch.center, count);
}

// MARK: Comparing

static const struct { const char *name; void (*run)(table k); } inlined[] = {
    {"argmin", argmin}, {"take16", take16}, {"next16", next16}, {"put", put_one}, {"push", push},
    {"node_bounds", node_bounds}, {"leaf_bounds", leaf_bounds}, {"near_bounds", near_bounds},
    {"raise_node_bounds", raise_node_bounds}, {"raise_leaf_bounds", raise_leaf_bounds}, {"advances", advances},
    {"partition", partition},
    {"partition_near", partition_near}, {"below16", below16}, {"best_child", best_child}, {"sort16", sort16},
    {"sort32", sort32}, {"merge", merge}, {"insert", insert},
    {"boundary_bounds", boundary_bounds}, {"near_boundary_bounds", near_boundary_bounds},
    {"project_circles", project_circles}, {"plane_bounds", plane_bounds}, {"below", below_threshold},
    {"partition_plane", partition_plane}, {"candidate_circles", candidate_circles},
    {"intersecting_circles", intersecting_circles},
};
static const struct { const char *name; void (*run)(wide_table k); } wide[] = {
    {"frame_of", frame_of}, {"box_gaps", box_gaps}, {"edge_gaps", edge_gaps}, {"group_bounds", group_bounds},
    {"traverse", traverse}, {"estimate", estimate}, {"measure", measure}, {"follow", follow}, {"intersect", intersect},
    {"near_distances", near_distances}, {"series_distances", series_distances}, {"far_distances", far_distances},
};
enum { INLINED = sizeof inlined / sizeof *inlined, WIDE = sizeof wide / sizeof *wide };

// Runs kernel number `kernel` on input number `input`, by the portable build (-1) or by a width. Returns a hash of the results.
static uint64_t result(int kernel, int input, int width) {
  state = (uint64_t)kernel << 32 | (uint32_t)input;
  has_specials = input % 2;
  hash = 0xcbf29ce484222325;
  if (kernel < INLINED) {
    inlined[kernel].run(width < 0 ? portable_inline_kernels() : native_inline_kernels());
  } else {
    wide[kernel - INLINED].run(width < 0 ? portable_kernels() : vk_kernels_of(width));
  }
  return hash;
}

int main(int argc, char **argv) {
  int inputs = argc > 1 ? atoi(argv[1]) : 2000, failures = 0, runs = 0;
  for (int kernel = 0; kernel < INLINED + WIDE; kernel++) {
    const char *name = kernel < INLINED ? inlined[kernel].name : wide[kernel - INLINED].name;
    int widest = kernel < INLINED ? 0 : vk_widest(), differing = 0;
    uint64_t all = 0;
    for (int input = 0; input < inputs; input++) {
      uint64_t expected = result(kernel, input, -1);
      all = all * 0x100000001b3 ^ expected;
      for (int width = 0; width <= widest; width++, runs++) {
        if (result(kernel, input, width) == expected) continue;
        if (differing++ == 0) fprintf(stderr, "%s: %d lanes differ from the portable build on input %d\n", name, 4 << width, input);
      }
    }
    failures += differing > 0;
    printf("%-22s %016" PRIx64 "\n", name, all);
  }
  fprintf(stderr, "%d kernels, %d inputs each, half of them with special numbers; %d runs compared with the portable build, by vectors of",
      INLINED + WIDE, inputs, runs);
  for (int width = 0; width <= vk_widest(); width++) fprintf(stderr, " %d", 4 << width);
  fprintf(stderr, " lanes; %d kernels differ\n", failures);
  return failures > 0;
}
