// Where short ways cross the boundaries of circles, several at once.

#ifndef VICINITY_MEETING_KERNELS_H
#define VICINITY_MEETING_KERNELS_H

#include "vicinity_polygon_kernels.h"

// The ellipsoid, metres; `flattening` is 1 / (24 a b).
typedef struct {
  double a, e2, flattening;
  vk_chord_series series;
} vk_ellipsoid;

// How many ways at once. Nanoseconds a fix at 1 Hz in the densest places, 1M regions, the fastest of 64 runs: 4 20.2, 8 19.7.
#define VK_MEETING_ROOM 8

// Ways, and for each a circle whose boundary it may cross.
typedef struct {
  // The ends, the centre, degrees, and the radius, metres.
  double startLatitude[VK_MEETING_ROOM], startLongitude[VK_MEETING_ROOM];
  double endLatitude[VK_MEETING_ROOM], endLongitude[VK_MEETING_ROOM];
  double centerLatitude[VK_MEETING_ROOM], centerLongitude[VK_MEETING_ROOM], radius[VK_MEETING_ROOM];
  // How far from the start the way crosses, how long it is, and where that is: metres and degrees.
  double s[VK_MEETING_ROOM], length[VK_MEETING_ROOM], latitude[VK_MEETING_ROOM], longitude[VK_MEETING_ROOM];
  // The bits of those that begin inside.
  uint32_t leaving;
} vk_meetings;

// Puts a way and a circle in place `i`.
static inline void vk_put_meeting(
    vk_meetings *m, int i, double startLatitude, double startLongitude, double endLatitude, double endLongitude,
    double centerLatitude, double centerLongitude, double radius) {
  m->startLatitude[i] = startLatitude;
  m->startLongitude[i] = startLongitude;
  m->endLatitude[i] = endLatitude;
  m->endLongitude[i] = endLongitude;
  m->centerLatitude[i] = centerLatitude;
  m->centerLongitude[i] = centerLongitude;
  m->radius[i] = radius;
}

// Where a way crosses.
typedef struct {
  double s, length, latitude, longitude;
} vk_crossing;

// What has been found in place `i`.
static inline vk_crossing vk_crossing_at(const vk_meetings *m, int i) {
  vk_crossing c = {m->s[i], m->length[i], m->latitude[i], m->longitude[i]};
  return c;
}

// Finds where `count` ways cross. Returns the bits of those that are settled: one end inside and one outside by more than a
// micrometre, and the place certain to 1e-9 m. The others are left to more careful methods. What comes of a way is the same in
// all lanes, and by all widths; by the widest vectors there are, and by some width as in vk_follow_by.
uint32_t vk_settle(const vk_ellipsoid *k, vk_meetings *meetings, int count);
uint32_t vk_settle_by(int width, const vk_ellipsoid *k, vk_meetings *meetings, int count);

#endif
