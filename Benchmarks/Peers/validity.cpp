// GEOS: one ring in degrees, made a polygon and judged.
#include <geos_c.h>

#include "registry.hpp"

double vicinity_validity(size_t count, const double *xy, int *valid) {
  using namespace peers;
  const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
  GEOSContextHandle_t context = GEOS_init_r();
  GEOSCoordSequence *sequence = GEOSCoordSeq_copyFromBuffer_r(context, xy, unsigned(count), 0, 0);
  GEOSGeometry *polygon =
      GEOSGeom_createPolygon_r(context, GEOSGeom_createLinearRing_r(context, sequence), nullptr, 0);
  *valid = GEOSisValid_r(context, polygon);
  GEOSGeom_destroy_r(context, polygon);
  GEOS_finish_r(context);
  return (seconds(CLOCK_THREAD_CPUTIME_ID) - start) * 1e9;
}
