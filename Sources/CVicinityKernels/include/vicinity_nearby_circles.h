// The few circles whose boundaries a device may reach next, on a plane, and the state of following a device among them.
//
// NearbyCircles.swift derives what follows from the list. Distances in metres.

#ifndef VICINITY_NEARBY_CIRCLES_H
#define VICINITY_NEARBY_CIRCLES_H

#include "vicinity_circle_kernels.h"

// How many circles a list has room for.
#define VK_NEARBY_CIRCLES_ROOM 32

typedef struct {
  vk_plane plane;
  // The disc in which the list is complete: its centre, its radius, and the radius squared; the radius is negative where there is
  // no list.
  float x, y, reach, reach2;
  // More than four times the error of any distance on the plane.
  float slack;
  // Longer legs are not followed.
  float longestLeg;
  // How many circles there are; lanes beyond the last are far away, up to a multiple of eight.
  int32_t count;
  float centerX[VK_NEARBY_CIRCLES_ROOM], centerY[VK_NEARBY_CIRCLES_ROOM], radius[VK_NEARBY_CIRCLES_ROOM];
} vk_nearby_circles;

// The squared distance from the middle of the disc.
static inline float vk_nearby_offset2(const vk_nearby_circles *list, float x, float y) {
  float dx = x - list->x, dy = y - list->y;
  return dx * dx + dy * dy;
}

// The circles whose boundaries a leg of length `limit` at most, errors included, may meet, where d1 and d2 are the boundary
// distances of its ends: d1 + d2 is below the limit, and not both are below `-slack`, as discs are convex.
#define VK_MAY_MEET(d1, d2, limit, slack) (((d1) + (d2) < (limit)) & (-(slack) < vk_max((d1), (d2))))

// Which boundaries a leg from p to q may meet that is no longer than `limit`, errors included; *nearest is lowered to the
// smallest |boundary distance| of q.
static inline uint32_t vk_candidate_circles(
    const vk_nearby_circles *list, float px, float py, float qx, float qy, float limit, float *nearest) {
  vk_f4 least = *nearest;
  uint32_t mask = 0;
  for (int i = 0; i < list->count; i += 4) {
    vk_f4 d1 = vk_plane_distances(list->centerX + i, list->centerY + i, list->radius + i, px, py);
    vk_f4 d2 = vk_plane_distances(list->centerX + i, list->centerY + i, list->radius + i, qx, qy);
    mask |= vk_bits(VK_MAY_MEET(d1, d2, limit, list->slack)) << i;
    least = vk_min(least, vk_abs(d2));
  }
  *nearest = vk_smallest4(least);
  return mask;
}

// The circles of `mask` whose boundaries the leg from p to q may meet: those that it passes by are left out. The leg is no longer
// than `limit`, errors included, and leaves the straight line by no more than the `bulge`.
static inline uint32_t vk_intersecting_circles(
    const vk_nearby_circles *list, uint32_t mask, float px, float py, float qx, float qy, float limit) {
  double wx = (double)qx - px, wy = (double)qy - py, length2 = wx * wx + wy * wy, slack = list->slack;
  double bulge = 0.5 * __builtin_elementwise_sqrt(slack * (2.0 * limit - slack));
  uint32_t met = mask;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    int i = __builtin_ctz(rest);
    double x = (double)list->centerX[i] - px, y = (double)list->centerY[i] - py;
    // NaN where the leg has no length: then its start is taken.
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
static inline void vk_prefetch_fix(const void *fix) {
  __builtin_prefetch((const void *)((uintptr_t)fix + VK_FIXES_AHEAD * sizeof(vk_fix)));
}

// A fix whose leg may meet boundaries: its number, and the bits of their circles.
typedef struct {
  int64_t fix;
  uint32_t circles;
} vk_candidate_leg;

// The most legs that are found at once.
#define VK_CANDIDATE_LEGS_ROOM 32

// The state of following one device.
typedef struct {
  // The device's last position and time, degrees and microseconds.
  double latitude, longitude;
  int64_t time;
  // Fixes from this time on are not followed: something else happens then, microseconds.
  int64_t due;
  // Fixes farther apart than this, microseconds, are not followed where their leg may meet a boundary.
  int64_t gap;
  // The most candidates to find, and how many have been found.
  int32_t room;
  int32_t candidateCount;
  vk_candidate_leg candidates[VK_CANDIDATE_LEGS_ROOM];
} vk_follow_state;

static inline vk_candidate_leg vk_candidate_at(const vk_follow_state *state, int i) { return state->candidates[i]; }

// How many fixes are projected before their legs are compared with circles, at most 32. Nanoseconds a fix at 1 Hz in the densest
// places, 1M regions, the fastest of 64 runs: 8 21.6, 16 20.2, 32 19.7.
#define VK_STRIDE 32

#endif
