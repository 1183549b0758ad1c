/* Vicinity's C interface: exact nearest regions, containment, crossings, plans and studies of policies, for any language that
 * can call C.
 *
 * Data go in and out in batches, through the Arrow C Data Interface and Arrow C streams. Distances are metres on the WGS84
 * ellipsoid, coordinates degrees, times UTC.
 *
 *     vicinity_index *index = NULL;
 *     vicinity_error error;
 *     if (vicinity_index_open("stores.vicinity", NULL, &index, &error)) { fprintf(stderr, "%s\n", error.message); return 1; }
 *     vicinity_table *table = NULL;
 *     int32_t code = vicinity_nearest(index, &points, "count=5", NULL, &table, &error);
 *     ...
 *     vicinity_table_release(table);
 *     vicinity_index_release(index);
 *
 * Handles. An index is immutable, and may be used by any number of threads at once; a table likewise. A fleet belongs to one
 * thread at a time. What a function returns through a pointer to a handle is the caller's, to be released once. Releasing NULL
 * does nothing. A table and a fleet stay valid when the index they came from is released.
 *
 * Input streams. A function that takes a stream takes it over, whatever it returns: the stream's release is NULL afterwards. The
 * stream and all its arrays are released by the calling thread, before the function returns.
 *
 * Options are text: "name=value", one a line, or NULL for none. They are named as on the command line, and an unknown one is
 * an error. Numbers are written with a point.
 *
 * Processes. A process that is forked from one that had called the library may go on with what it has, by threads that it starts itself (not
 * by the one that called fork: locks know a thread by a number that it keeps), and works on the calling thread alone. Where another thread of the parent
 * was within a call at the fork, nothing may be called there.
 *
 * Errors. A function returns VICINITY_OK or a code; then the error says what was wrong, in which row and which column. NULL may
 * be given for the error. Rows are counted from 0 over the whole stream.
 *
 * What is checked. Everything that the Arrow interface lets a reader check: formats, the number of children and buffers,
 * lengths, offsets that decrease or are negative, nulls. How long a buffer is the interface does not say (but for string
 * views): a producer that hands over buffers shorter than its lengths and offsets say breaks the interface, and no reader can
 * notice.
 */
#ifndef VICINITY_H
#define VICINITY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The Arrow C Data Interface and C stream interface, as the Arrow specification writes them. ---- */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/* ---- Versions. ---- */

/* Changes whenever a caller compiled for the old header could not work with the new library. */
#define VICINITY_ABI_VERSION 1

/* The library's VICINITY_ABI_VERSION: to be compared with the header's before anything else is called. */
int32_t vicinity_abi_version(void);

/* The version of Vicinity, such as "0.1.0"; lives as long as the library. */
const char *vicinity_version(void);

/* ---- Errors, threads, progress. ---- */

enum {
  VICINITY_OK = 0,
  /* An argument or an option: a null pointer, an unknown option, a number out of its range. */
  VICINITY_ERROR_ARGUMENT = 1,
  /* A column that is missing, or of a type that cannot be read; another coordinate reference system. */
  VICINITY_ERROR_SCHEMA = 2,
  /* A value: a null, a latitude beyond 90, time that runs backwards. The error names row and column. */
  VICINITY_ERROR_DATA = 3,
  /* A file that cannot be read or written, or that is damaged. */
  VICINITY_ERROR_FILE = 4,
  /* The progress callback asked to stop. */
  VICINITY_ERROR_CANCELLED = 5,
  /* The stream given failed; the message is its own. */
  VICINITY_ERROR_STREAM = 6,
  /* No memory. */
  VICINITY_ERROR_MEMORY = 7,
};

typedef struct vicinity_error {
  int32_t code;
  int32_t reserved;
  /* The row, counted from 0 over the whole stream; -1 where no row is to blame. */
  int64_t row;
  /* The column's name, UTF-8, cut to fit; empty where no column is to blame. */
  char column[128];
  /* One sentence, UTF-8, cut to fit. It names row and column, too. */
  char message[1024];
} vicinity_error;

/* Called on the thread that called the library, some times a second. `total` is -1 where it is not known. To return anything but 0
 * stops the work, with VICINITY_ERROR_CANCELLED. */
typedef int32_t (*vicinity_progress)(void *context, int64_t done, int64_t total);

typedef struct vicinity_control {
  /* sizeof(vicinity_control). */
  size_t size;
  /* How many threads may work; 0 for one on each core. No answer depends on it. */
  int32_t threads;
  /* May be NULL. */
  vicinity_progress progress;
  /* Handed to `progress`. */
  void *context;
} vicinity_control;

/* ---- Names of columns. ---- */

/* Rows that a function has answered with. */
typedef struct vicinity_table vicinity_table;

/* The names by which columns are found where no option names them: a table with the columns meaning (string: id, point (the id of
 * a point), latitude, longitude, radius, geometry, device, time, accuracy, speed, course) and name (string, in small letters; case
 * and blanks around a name do not count), those of a meaning in the order in which they are tried. */
int32_t vicinity_column_names(vicinity_table **names, vicinity_error *error);

/* ---- Streams and tables. ---- */

int64_t vicinity_table_row_count(const vicinity_table *table);

/* The most by which the distances of a table of vicinity_nearest differ from the true ones, metres, and no more than the tier that
 * was asked for; 0 where all are exact. */
double vicinity_table_distance_error(const vicinity_table *table);

/* Writes a stream of the table's batches to `stream`, to be released by its consumer; may be called any number of times. The
 * buffers are shared, not copied. */
int32_t vicinity_table_stream(const vicinity_table *table, struct ArrowArrayStream *stream, vicinity_error *error);

/* The table as the command line's CSV, byte for byte: a table of one row with the column "text" (large binary). Tables of
 * vicinity_nearest, vicinity_within, vicinity_containing, vicinity_plan, of events and of stays have it.
 * Option: precision, digits of distances (3; of nearest, within and containing). */
int32_t vicinity_table_csv(
    const vicinity_table *table, const char *options, const vicinity_control *control, vicinity_table **text,
    vicinity_error *error);

/* How many notes vicinity_table_notes has. */
int64_t vicinity_table_note_count(const vicinity_table *table);

/* What people should know of the table and of its input, such as that latitude and longitude may be swapped: a table with the columns
 * text (string), a sentence a row, and kind (string): rejects where bad rows were left out; tracks on fixes, of tables of events and
 * stays; cut where a number of regions that nobody asked for leaves out some that contain a point, of tables of vicinity_nearest. Mostly
 * there are none. */
int32_t vicinity_table_notes(const vicinity_table *table, vicinity_table **notes, vicinity_error *error);

/* The rows that were left out of the input that the table was made of, by the option on-bad-rows=skip: a table with the columns
 * row (int64, from 0), column (string, null where no single one is to blame) and reason (string), in the order of rows. Of more than
 * a million the first found are listed, and a last row without number says how many more there are. */
int32_t vicinity_table_rejects(const vicinity_table *table, vicinity_table **rows, vicinity_error *error);

void vicinity_table_release(vicinity_table *table);

/* A stream for a caller whose language cannot keep a struct in place: allocated and released, to be freed by
 * vicinity_stream_free, which releases it first where that has not been done. */
struct ArrowArrayStream *vicinity_stream_allocate(void);
void vicinity_stream_free(struct ArrowArrayStream *stream);

/* Makes a stream of one batch, taking over both structs. */
int32_t vicinity_stream_of_array(
    struct ArrowSchema *schema, struct ArrowArray *array, struct ArrowArrayStream *stream, vicinity_error *error);

/* ---- Indexes of regions. ---- */

typedef struct vicinity_index vicinity_index;

/* An index of the regions in a stream of struct arrays, one region a row, in their order.
 *
 * Columns: id (strings, or whole numbers of any width, also decimals without a fraction; each once, none null), and either latitude, longitude and radius (numbers: degrees, degrees,
 * metres), or geometry (WKB in binary: polygons and multipolygons; points are circles with the column radius). A geometry's
 * coordinates are longitude and latitude on WGS84; GeoArrow metadata that name another system are an error. Their edges are
 * straight in longitude and latitude, and followed to 0.1 m, unless the metadata say that edges are geodesics ("spherical" and
 * all others but "planar").
 *
 * Options: id-column, latitude-column, longitude-column, radius-column, geometry-column; without them the usual names
 * are tried. radius: metres, for all regions (points) without the column. edges: planar or geodesic, whatever the metadata say.
 * strict: yes to refuse polygons that need a repair (default no: rings that collapse are left out, with a note; rings that cross are an error
 * here). merge-ids: yes to make one region of all polygons with one id, at the place of the first (default no: each id but the first is a
 * bad row, as circles' always is). on-bad-rows: as for queries. */
int32_t vicinity_index_from_arrow(
    struct ArrowArrayStream *regions, const char *options, const vicinity_control *control, vicinity_index **index,
    vicinity_error *error);

/* Where a repair leaves its answer: it copies the bytes, which it may be given once. */
typedef void (*vicinity_repaired)(void *sink, const uint8_t *bytes, size_t count);

/* Makes a planar multipolygon valid, as GEOS's MakeValid does by its structure method, without what has collapsed. Polygons go in
 * and come back as WKB, through `answer`, which is not called where nothing is left. Returns 0; 1 where nothing here can repair; 2 where the repair failed, with
 * the reason in place of the WKB. It may be called on any thread, and on several at once. */
typedef int32_t (*vicinity_repair)(
    void *context, const uint8_t *wkb, size_t count, vicinity_repaired answer, void *sink);

/* vicinity_index_from_arrow that has polygons whose rings cross repaired, as the command line has them repaired by GEOS. */
int32_t vicinity_index_from_arrow_repairing(
    struct ArrowArrayStream *regions, const char *options, const vicinity_control *control, vicinity_repair repair,
    void *context, vicinity_index **index, vicinity_error *error);

/* What people should know of the regions that the index was made of: a table with the columns text (string), a sentence a row, and
 * kind (string): repair for a polygon that was repaired, edge for one whose edge across more than half a turn of longitude is taken to
 * cross the antimeridian, column for one that may not be what it looks like, rejects where bad rows were left out. Mostly there are none. */
int32_t vicinity_index_notes(const vicinity_index *index, vicinity_table **notes, vicinity_error *error);

/* As vicinity_table_rejects, of the rows that are no regions. */
int32_t vicinity_index_rejects(const vicinity_index *index, vicinity_table **rows, vicinity_error *error);

/* An index from a .vicinity file, mapped into memory.
 *
 * The file must not be changed in place while it is open: where it is cut short the system ends the process (SIGBUS).
 *
 * Options: verify: yes (default) reads all checksums, which finds damage; no only what keeps every later read in bounds; contents
 * also every number that answers depend on, so that a file from anybody either is an error or answers rightly. */
int32_t vicinity_index_open(const char *path, const char *options, vicinity_index **index, vicinity_error *error);

/* Writes a .vicinity file, whole or not at all. */
int32_t vicinity_index_write(const vicinity_index *index, const char *path, vicinity_error *error);

int64_t vicinity_index_count(const vicinity_index *index);
int64_t vicinity_index_polygon_count(const vicinity_index *index);
int64_t vicinity_index_byte_count(const vicinity_index *index);

/* The regions as a table: id (string), latitude, longitude and radius (float64; of a polygon those of a circle around it),
 * is_polygon (bool), in the order of the index. */
int32_t vicinity_index_regions(const vicinity_index *index, vicinity_table **table, vicinity_error *error);

void vicinity_index_release(vicinity_index *index);

/* ---- Queries. ----
 *
 * Points come as a stream of struct arrays with the columns latitude and longitude (numbers) or geometry (WKB points), and
 * perhaps id (strings, or whole numbers of any width, also decimals without a fraction; none null); without one a point's name is
 * its number, from 1.
 *
 * The table has the columns query (string, or whole numbers in the type of the id; int64 where there is none), rank (int32, from 1), region (string), boundary_distance and
 * centre_distance (float64, metres; the latter null for polygons). Rows are in the order of the points, then by rank.
 *
 * Options: id-column, latitude-column, longitude-column, geometry-column; region-numbers (no, yes or unsigned): the column region
 * is int64, or uint64, and an identifier among the answers that is no such number is an error; on-bad-rows: error (default), or
 * skip to leave out rows that cannot be read, which the table's rejects list. If all rows are bad, that is an error all the same, and so is
 * a row that is null as a whole. */

/* The regions nearest to each point by boundary distance, negative inside, nearest first.
 * Options: count (a number, or all; without it all where max-distance is given, or else 20), tier (best, which
 * is exact, nearestTenMeters, hundredMeters, kilometer, threeKilometers, significantChange, or metres: how far off distances may be, and
 * how much farther than the exact i-th the i-th told), max-distance (metres). */
int32_t vicinity_nearest(
    const vicinity_index *index, struct ArrowArrayStream *points, const char *options, const vicinity_control *control,
    vicinity_table **table, vicinity_error *error);

/* All regions whose boundary lies within a distance of each point, and all that contain it.
 * Options: distance (metres; needed). */
int32_t vicinity_within(
    const vicinity_index *index, struct ArrowArrayStream *points, const char *options, const vicinity_control *control,
    vicinity_table **table, vicinity_error *error);

/* All regions that contain each point, boundary included; deepest first. */
int32_t vicinity_containing(
    const vicinity_index *index, struct ArrowArrayStream *points, const char *options, const vicinity_control *control,
    vicinity_table **table, vicinity_error *error);

/* The answer of one of these (`question`: nearest, within or containing) about one point, whose name is 1, without a stream. Its options
 * are those that name no columns, but for on-bad-rows. */
int32_t vicinity_ask_one(
    const vicinity_index *index, const char *question, double latitude, double longitude, const char *options,
    vicinity_table **table, vicinity_error *error);

/* ---- Tracks. ----
 *
 * Tracks come as a stream of struct arrays with the columns device (strings, or whole numbers of any width), time (timestamps of any unit with
 * a zone, or numbers: seconds since 1970), latitude and longitude or geometry (WKB points), and perhaps accuracy, speed and course (numbers; null, as not
 * known). Infinite times and accuracies are bad rows. A device's fixes are in order of time; rows may be grouped by device or interleaved. Of rows that contradict each other
 * those are in error without which the most remain: one time in the future, and not all rows after it. Where a wrong time is part of a
 * fleet's state, rows that contradict it outnumber it after a while: then time goes back, and a note tells.
 *
 * Options of all that take tracks: device-column, time-column, latitude-column, longitude-column, geometry-column, accuracy-column,
 * speed-column, course-column; device: the name of the one device, where there is no such column; sort: yes to sort each device's
 * fixes by time first (default no: time that runs backwards is an error); not-after: seconds since 1970, a later time is an error;
 * naive-times: utc to take timestamps without a zone, and a spreadsheet's days, for UTC (default: an error); time-unit: what times that are
 * numbers count: seconds (default), milliseconds, microseconds, nanoseconds, days (a spreadsheet's: 25569 is 1 January 1970), days-1904,
 * unix-days; on-bad-rows: as for queries, and also for fixes that contradict others in time or place. A fleet's batch may be bad as a
 * whole. */

/* Every entry into and exit from regions along tracks.
 *
 * The table has the columns device (string), time (timestamp in microseconds, UTC, rounded to milliseconds), region (string),
 * kind (string: enter, exit, dwell, initial), latitude, longitude (float64, degrees) and inferred (bool), ordered by time, device
 * and region.
 *
 * Options: rule (geometric, core-location, naive, exit-margin, overlap), cushion (metres), remain (seconds), max-gap (seconds,
 * 300), dwell (seconds), initial: yes to list also the regions that each device is in at its first fix (default no). */
int32_t vicinity_events(
    const vicinity_index *index, struct ArrowArrayStream *tracks, const char *options, const vicinity_control *control,
    vicinity_table **table, vicinity_error *error);

/* How long devices stayed where: an entry and the exit that follows.
 *
 * The table has the columns device, region (string), enter, exit (timestamp in microseconds, UTC, rounded to milliseconds), duration
 * (float64, seconds), open (string: no, start, end, both: inside at the first fix, still inside at the last one, whose times are
 * given then) and inferred (string: no, enter, exit, both), in the order of their ends; those without an end come last.
 *
 * Options: as for vicinity_events; what a device is in at its first fix always counts. */
int32_t vicinity_stays(
    const vicinity_index *index, struct ArrowArrayStream *tracks, const char *options, const vicinity_control *control,
    vicinity_table **table, vicinity_error *error);

/* The state of devices between batches of their fixes. Batches in the order of time give, together, the events of all at once. */
typedef struct vicinity_fleet vicinity_fleet;

/* Devices that have not been seen yet. Options: as for vicinity_events, and removed: yes to list, with the first events after a
 * snapshot, who was in a region that is no longer there, as rows of the kind removed (default no): the device's last place, the time
 * of the latest fix of all devices, and inferred where the device was last seen before that. */
int32_t vicinity_fleet_create(
    const vicinity_index *index, const char *options, vicinity_fleet **fleet, vicinity_error *error);

/* Devices as they were when a snapshot was made of them, with the same options. The regions may have changed: those with the same
 * identifier and shape go on as they were, and a note with the first events says how many are new and how many are gone. The bytes may
 * come from anywhere: they are checked. */
int32_t vicinity_fleet_restore(
    const vicinity_index *index, const char *options, const uint8_t *bytes, size_t count, vicinity_fleet **fleet,
    vicinity_error *error);

/* The events of the next batches. After an error in the middle of a batch, or a stop, the fleet refuses to go on and has no snapshot:
 * one is made from the snapshot before. */
int32_t vicinity_fleet_advance(
    vicinity_fleet *fleet, struct ArrowArrayStream *tracks, const vicinity_control *control, vicinity_table **table,
    vicinity_error *error);

int64_t vicinity_fleet_device_count(const vicinity_fleet *fleet);

/* The state, as a table of one row with the column "state" (large binary). */
int32_t vicinity_fleet_snapshot(const vicinity_fleet *fleet, vicinity_table **table, vicinity_error *error);

void vicinity_fleet_release(vicinity_fleet *fleet);

/* Which regions a device with few slots registers along its track, and for how long each choice holds.
 *
 * The table has a row for each plan, in the order of the fixes, with the columns of the command line's CSV: device, time, latitude,
 * longitude, error, registered, vicinity_latitude, vicinity_longitude, vicinity_radius, certificate (infinite when every
 * region is registered), saturated, left_out, unprovable_exits, next_fix_due, slots_in_use, sentinel_gap, and the lists of
 * strings regions, register and unregister. What there is none of is null.
 *
 * Options: capacity, reserve, spare-slot, strategy, radius, turn-margin, followed, max-speed, latency, overshoot, sentinel-error,
 * min-radius, max-radius, max-region-radius, error-factor, acquisition, tier, pin (may be repeated). */
int32_t vicinity_plan(
    const vicinity_index *index, struct ArrowArrayStream *tracks, const char *options, const vicinity_control *control,
    vicinity_table **table, vicinity_error *error);

/* A study of policies: each runs on each device's simulated phone with each seed, and is scored against what truly happened.
 *
 * The table has a row for each file of the study, with the columns name (string) and content (large binary): summary.csv,
 * summary.json, report.html and the others that the command line writes.
 *
 * A device's track lasts 100 years at most, and lies as far from the first and the last time that 64 bits count; another,
 * whose times are wrong, is an error.
 *
 * Options: policies (as on the command line: all, or names separated by commas), phone (a shipped profile: modern-phone), seeds (how many, 3), seed (the first,
 * 1). */
int32_t vicinity_compare(
    const vicinity_index *index, struct ArrowArrayStream *tracks, const char *options, const vicinity_control *control,
    vicinity_table **files, vicinity_error *error);

#ifdef __cplusplus
}
#endif

#endif /* VICINITY_H */
