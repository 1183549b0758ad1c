// Where short legs cross the boundaries of circles, several at once.

#ifndef VICINITY_CIRCLE_INTERSECTIONS_H
#define VICINITY_CIRCLE_INTERSECTIONS_H

#include "vicinity_chord_series.h"

// The ellipsoid, metres; `flattening` is 1 / (24 a b).
typedef struct {
  double a, e2, flattening;
  vk_chord_series series;
} vk_ellipsoid;

// How many legs at once. Nanoseconds a fix at 1 Hz in the densest places, 1M regions, the fastest of 64 runs: 4 20.2, 8 19.7.
#define VK_INTERSECTIONS_ROOM 8

// Legs, and for each a circle whose boundary it may cross.
typedef struct {
  // The ends and the centre, degrees, and the radius, metres.
  double startLatitude[VK_INTERSECTIONS_ROOM], startLongitude[VK_INTERSECTIONS_ROOM];
  double endLatitude[VK_INTERSECTIONS_ROOM], endLongitude[VK_INTERSECTIONS_ROOM];
  double centerLatitude[VK_INTERSECTIONS_ROOM], centerLongitude[VK_INTERSECTIONS_ROOM], radius[VK_INTERSECTIONS_ROOM];
  // How far from the start the leg crosses, how long it is, and where it crosses: metres and degrees.
  double s[VK_INTERSECTIONS_ROOM], length[VK_INTERSECTIONS_ROOM];
  double latitude[VK_INTERSECTIONS_ROOM], longitude[VK_INTERSECTIONS_ROOM];
  // The bits of the legs that begin inside.
  uint32_t leaving;
} vk_circle_intersections;

// Sets leg and circle number `i`.
static inline void vk_set_intersection(
    vk_circle_intersections *m, int i, double startLatitude, double startLongitude, double endLatitude,
    double endLongitude, double centerLatitude, double centerLongitude, double radius) {
  m->startLatitude[i] = startLatitude;
  m->startLongitude[i] = startLongitude;
  m->endLatitude[i] = endLatitude;
  m->endLongitude[i] = endLongitude;
  m->centerLatitude[i] = centerLatitude;
  m->centerLongitude[i] = centerLongitude;
  m->radius[i] = radius;
}

// Where a leg crosses a boundary.
typedef struct {
  double s, length, latitude, longitude;
} vk_crossing;

// The solution number `i`.
static inline vk_crossing vk_crossing_at(const vk_circle_intersections *m, int i) {
  return (vk_crossing){m->s[i], m->length[i], m->latitude[i], m->longitude[i]};
}

#endif
