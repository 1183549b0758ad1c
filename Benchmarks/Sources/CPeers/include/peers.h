#ifndef VICINITY_BENCHMARKS_PEERS_H
#define VICINITY_BENCHMARKS_PEERS_H

/* The interface between the Swift harness and libpeers, which holds every C++ peer.
 *
 * The library exports `vicinity_peers` and a few more functions; the harness finds them with dlsym. All peers run in
 * the harness's process, on its thread and with its clock, so that repetitions can be interleaved. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Circles in columns: degrees, degrees, metres. Peers copy what they keep. */
typedef struct vicinity_circles {
  size_t count;
  const double *latitude;
  const double *longitude;
  const double *radius;
} vicinity_circles;

/* What building took. `bytes` is the growth of the heap: everything the peer keeps, its points included. */
typedef struct vicinity_build {
  void *index;
  double wall_seconds;
  double cpu_seconds;
  double bytes;
} vicinity_build;

/* A batch of queries and room for its answers.
 *
 * `ids` and `distances` hold `count * k` slots; a slot without an answer gets UINT32_MAX and infinity.
 * `batch_nanoseconds` holds ceil(count / batch) slots, each the thread's CPU time for one run of
 * `batch` consecutive queries. */
typedef struct vicinity_queries {
  size_t count;
  const double *latitude;
  const double *longitude;
  size_t k;
  size_t batch;
  uint32_t *ids;
  double *distances;
  double *batch_nanoseconds;
} vicinity_queries;

/* A peer. `exact` peers answer with signed geodesic distances to boundaries; the others rank by centre,
 * and their distances are in a unit of their own (`unit`). */
typedef struct vicinity_peer {
  const char *name;
  const char *library;
  const char *unit;
  int exact;
  vicinity_build (*build)(const vicinity_circles *circles);
  void (*query)(void *index, const vicinity_queries *queries);
  void (*destroy)(void *index);
} vicinity_peer;

/* Every peer; `*count` receives how many. */
typedef const vicinity_peer *(*vicinity_peers_function)(size_t *count);
const vicinity_peer *vicinity_peers(size_t *count);

/* Tracks one after the other: track i holds the fixes start[i] ..< start[i + 1], degrees. */
typedef struct vicinity_tracks {
  size_t count;
  const size_t *start;
  const double *latitude;
  const double *longitude;
} vicinity_tracks;

/* At `fix` a track is in `region` and was not at the fix before (`inside` 1), or the other way round (0). */
typedef struct vicinity_state_change {
  uint32_t fix;
  uint32_t region;
  uint32_t inside;
} vicinity_state_change;

/* Entries and exits by tests at fixes. `run` returns the thread's CPU nanoseconds; the changes it finds, in the order
 * of fixes, stay where they are until the next run. `tuned` chooses the faster of two programs. */
typedef vicinity_build (*vicinity_crossings_build_function)(const vicinity_circles *circles, int tuned);
vicinity_build vicinity_crossings_build(const vicinity_circles *circles, int tuned);
typedef double (*vicinity_crossings_run_function)(
    void *index, const vicinity_tracks *tracks, const vicinity_state_change **changes, size_t *count);
double vicinity_crossings_run(
    void *index, const vicinity_tracks *tracks, const vicinity_state_change **changes, size_t *count);
typedef void (*vicinity_crossings_destroy_function)(void *index);
void vicinity_crossings_destroy(void *index);

/* `count` calls of PROJ's geod_inverse, pairwise; their sum. */
typedef double (*vicinity_geodesic_function)(
    size_t count, const double *lat1, const double *lon1, const double *lat2, const double *lon2);
double vicinity_geodesic(
    size_t count, const double *lat1, const double *lon1, const double *lat2, const double *lon2);

/* A ring of `count` vertices x, y, the first repeated at the end, made a polygon by GEOS and judged: the thread's CPU
 * nanoseconds. `valid` receives GEOSisValid's answer. */
typedef double (*vicinity_validity_function)(size_t count, const double *xy, int *valid);
double vicinity_validity(size_t count, const double *xy, int *valid);

/* The C++ compiler that made the library, and its flags. */
typedef const char *(*vicinity_compiler_function)(void);
const char *vicinity_compiler(void);

#ifdef __cplusplus
}
#endif

#endif
