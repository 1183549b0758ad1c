// Kernels of crossing detection's shortlist: the few circles whose boundaries a device may reach next, on a plane.
//
// What follows from the list is said in Shortlist.swift. Distances in metres.

#ifndef VICINITY_SHORTLIST_KERNELS_H
#define VICINITY_SHORTLIST_KERNELS_H

#include "vicinity_plane_kernels.h"

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
  // How many fours of circles there are; lanes beyond the last circle are far away.
  int32_t fours;
  // The circles, and boundary distances where the device was last.
  float centerX[VK_SHORTLIST_ROOM], centerY[VK_SHORTLIST_ROOM], radius[VK_SHORTLIST_ROOM], last[VK_SHORTLIST_ROOM];
} vk_shortlist;

// The square of how far a place is from the middle of the disc.
static inline float vk_shortlist_offset2(const vk_shortlist *list, float x, float y) {
  float dx = x - list->x, dy = y - list->y;
  return dx * dx + dy * dy;
}

// Takes a place as the one where the device was last.
static inline void vk_shortlist_begin(vk_shortlist *list, float px, float py) {
  vk_f4 x = vk_splat(px), y = vk_splat(py);
  for (int i = 0; i < 4 * list->fours; i += 4) {
    vk_store(list->last + i, vk_plane_distances(list->centerX + i, list->centerY + i, list->radius + i, x, y));
  }
}

// Moves to a place by a way no longer than `limit`, what distances may be off by included. Returns the mask of the circles
// whose boundaries may have been met, those with |last + next| below the limit, and lowers *nearest to the smallest
// |boundary distance|. Where boundary distances at the last place are not known, those with |next| below the limit.
static inline uint32_t vk_shortlist_move(
    vk_shortlist *list, float px, float py, float limit, int isKnown, float *nearest) {
  vk_f4 x = vk_splat(px), y = vk_splat(py), most = vk_splat(limit), least = vk_splat(*nearest);
  uint32_t mask = 0;
  for (int i = 0; i < 4 * list->fours; i += 4) {
    vk_f4 d = vk_plane_distances(list->centerX + i, list->centerY + i, list->radius + i, x, y);
    vk_f4 sum = isKnown ? vk_add(d, vk_load(list->last + i)) : d;
    mask |= vk_less(vk_abs(sum), most) << i;
    least = vk_min(least, vk_abs(d));
    vk_store(list->last + i, d);
  }
  *nearest = vk_smallest4(least);
  return mask;
}

// The circles of `mask` whose boundaries the way from p to q may meet: not those that hold both ends, nor those that the
// way passes by. It leaves the straight line by no more than the `bulge`.
static inline uint32_t vk_shortlist_met(
    const vk_shortlist *list, uint32_t mask, float px, float py, float qx, float qy) {
  double wx = (double)qx - px, wy = (double)qy - py, length2 = wx * wx + wy * wy, slack = list->slack;
  double bulge = 0.5 * __builtin_sqrt(slack * (2 * __builtin_sqrt(length2) + slack));
  uint32_t met = mask;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    int i = __builtin_ctz(rest);
    double x = (double)list->centerX[i] - px, y = (double)list->centerY[i] - py;
    // No number where the way has no length: then its start is taken.
    double t = (x * wx + y * wy) / length2;
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    double ax = x - t * wx, ay = y - t * wy, bx = x - wx, by = y - wy;
    double outer = list->radius[i] + bulge + slack, inner = list->radius[i] - slack;
    double start2 = x * x + y * y, end2 = bx * bx + by * by;
    int isPassed = ax * ax + ay * ay > outer * outer;
    int holdsBoth = inner > 0 && start2 < inner * inner && end2 < inner * inner;
    if (isPassed || holdsBoth) met &= ~((uint32_t)1 << i);
  }
  return met;
}

#endif
