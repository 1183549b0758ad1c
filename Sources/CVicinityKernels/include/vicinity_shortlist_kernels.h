// Kernels of crossing detection's shortlist: the few circles whose boundaries a device may reach next, on a plane.
//
// What follows from the list is said in Shortlist.swift. Distances in metres.

#ifndef VICINITY_SHORTLIST_KERNELS_H
#define VICINITY_SHORTLIST_KERNELS_H

#include "vicinity_plane_kernels.h"
#include "vicinity_polygon_kernels.h"

// How many circles a shortlist has room for.
#define VK_SHORTLIST_ROOM 32

typedef struct {
  vk_plane plane;
  // The disc in which the list is complete: its centre, its radius, and the radius squared; the radius is negative where
  // there is no list.
  float x, y, reach, reach2;
  // More than four times what any distance on the plane is off by.
  float slack;
  // Longer ways are not taken in one piece.
  float longestWay;
  // How many circles there are; lanes beyond the last are far away, up to a multiple of eight.
  int32_t count;
  float centerX[VK_SHORTLIST_ROOM], centerY[VK_SHORTLIST_ROOM], radius[VK_SHORTLIST_ROOM];
} vk_shortlist;

// The square of how far a place is from the middle of the disc.
static inline float vk_shortlist_offset2(const vk_shortlist *list, float x, float y) {
  float dx = x - list->x, dy = y - list->y;
  return dx * dx + dy * dy;
}

// The mask of circles whose boundaries a way no longer than `limit` may meet, what distances may be off by included: d1 and
// d2 the boundary distances of its ends, d1 + d2 below the limit, and not both below `inside`, as discs are convex.
static inline uint32_t vk_touched(vk_f4 d1, vk_f4 d2, vk_f4 limit, vk_f4 inside) {
  return vk_less(vk_add(d1, d2), limit) & vk_less(inside, vk_max(d1, d2));
}

// Which boundaries a way from p to q may meet that is no longer than `limit`, what distances may be off by included; *nearest
// is lowered to the smallest |boundary distance| of q.
static inline uint32_t vk_shortlist_touched(
    const vk_shortlist *list, float px, float py, float qx, float qy, float limit, float *nearest) {
  vk_f4 x1 = vk_splat(px), y1 = vk_splat(py), x2 = vk_splat(qx), y2 = vk_splat(qy);
  vk_f4 most = vk_splat(limit), inside = vk_splat(-list->slack), least = vk_splat(*nearest);
  uint32_t mask = 0;
  for (int i = 0; i < list->count; i += 4) {
    vk_f4 d1 = vk_plane_distances(list->centerX + i, list->centerY + i, list->radius + i, x1, y1);
    vk_f4 d2 = vk_plane_distances(list->centerX + i, list->centerY + i, list->radius + i, x2, y2);
    mask |= vk_touched(d1, d2, most, inside) << i;
    least = vk_min(least, vk_abs(d2));
  }
  *nearest = vk_smallest4(least);
  return mask;
}

// The circles of `mask` whose boundaries the way from p to q may meet: not those that it passes by. It is no longer than the
// `limit`, what distances may be off by included, and leaves the straight line by no more than the `bulge`.
static inline uint32_t vk_shortlist_met(
    const vk_shortlist *list, uint32_t mask, float px, float py, float qx, float qy, float limit) {
  double wx = (double)qx - px, wy = (double)qy - py, length2 = wx * wx + wy * wy, slack = list->slack;
  double bulge = 0.5 * __builtin_sqrt(slack * (2.0 * limit - slack));
  uint32_t met = mask;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    int i = __builtin_ctz(rest);
    double x = (double)list->centerX[i] - px, y = (double)list->centerY[i] - py;
    // No number where the way has no length: then its start is taken.
    double t = (x * wx + y * wy) / length2;
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    double ax = x - t * wx, ay = y - t * wy, outer = list->radius[i] + bulge + slack;
    if (ax * ax + ay * ay > outer * outer) met &= ~((uint32_t)1 << i);
  }
  return met;
}

// A fix, laid out as Fix is: time in microseconds, degrees, metres, metres a second, degrees.
typedef struct {
  int64_t time;
  double latitude, longitude, accuracy, speed, course;
} vk_fix;

// How many fixes ahead memory is asked for: more than a page's, where the processor's own guesses end. Nanoseconds a fix at
// 1 Hz, 100k and 1M regions, and a fix in 10 s, 100k: without 4.2, 8.7, 20.1; 16 ahead 4.2, 8.7, 20.1; 40 3.9, 8.0, 19.3; 80
// 3.6, 7.8, 18.9; 128 3.6, 7.9, 19.3; 192 3.4, 8.1, 19.8.
#define VK_FIXES_AHEAD 96

// Asks for the memory of a fix to come. It is never read; and asking for what lies beyond the end does no harm.
static inline void vk_ask_for(const void *fix) {
  __builtin_prefetch((const void *)((uintptr_t)fix + VK_FIXES_AHEAD * sizeof(vk_fix)));
}

// A fix on the way to which boundaries may be met: its number, and their circles.
typedef struct {
  int64_t fix;
  uint32_t circles;
} vk_touch;

// How many are found before they are gone into.
#define VK_TOUCH_ROOM 32

// Where a device is while it is followed.
typedef struct {
  // Where and when it was last, degrees and microseconds.
  double latitude, longitude;
  int64_t time;
  // When something happens wherever it is, microseconds: no fix from then on is taken.
  int64_t due;
  // Longer than this apart, microseconds, fixes between which something may happen are not taken.
  int64_t gap;
  // How many touches to find, at most.
  int32_t room;
  int32_t touchCount;
  vk_touch touches[VK_TOUCH_ROOM];
} vk_course;

static inline vk_touch vk_touch_at(const vk_course *course, int i) { return course->touches[i]; }

// How many fixes are placed before their ways are compared, at most 32. Nanoseconds a fix at 1 Hz in the densest places, 1M
// regions, the fastest of 64 runs: 8 21.6, 16 20.2, 32 19.7.
#define VK_STRIDE 32

// Takes fixes for as long as the list tells which boundaries may be met before them. Returns how many. By the widest vectors
// there are, and by some width: 0 for four lanes, else eight, where there are any.
int64_t vk_follow(const vk_shortlist *list, const vk_fix *fixes, int64_t count, vk_course *course);
int64_t vk_follow_by(int width, const vk_shortlist *list, const vk_fix *fixes, int64_t count, vk_course *course);

#endif
