/* The C interface, as a C program uses it: what it answers, what it says of bad input, and that everything is released. Run under the
 * address sanitizer by Scripts/test. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "arrow_makers.h"

static int checks = 0;

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    checks++;                                                                                     \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                             \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

/* Says what the error was where a call that should succeed does not. */
#define OK(call)                                                                                  \
  do {                                                                                            \
    checks++;                                                                                     \
    if ((call) != VICINITY_OK) {                                                                  \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, error.message);               \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

/* That a call fails with a code, in a row and a column, with words. */
#define FAILS(call, wanted_code, wanted_row, wanted_column, words)                                \
  do {                                                                                            \
    checks++;                                                                                     \
    memset(&error, 0x55, sizeof error);                                                           \
    int32_t code = (call);                                                                        \
    if (code != (wanted_code) || error.code != (wanted_code) || error.row != (wanted_row) ||      \
        strcmp(error.column, wanted_column) != 0 || strstr(error.message, words) == NULL) {       \
      fprintf(stderr, "%s:%d: %s: code %d, row %lld, column \"%s\": %s\n", __FILE__, __LINE__, #call, code, \
              (long long)error.row, error.column, error.message);                                 \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

static vicinity_error error;
static const char *const names[] = {"home", "work", "gym"};
static const double latitudes[] = {48.2082, 48.1985, 48.2200};
static const double longitudes[] = {16.3738, 16.3700, 16.4000};
static const double radii[] = {100, 150, 0};

static struct ArrowArrayStream regions(void) {
  column columns[] = {strings("id", names, 3), doubles("latitude", latitudes, 3), doubles("longitude", longitudes, 3),
                      doubles("radius", radii, 3)};
  return table(columns, 4);
}

static vicinity_index *make_index(void) {
  struct ArrowArrayStream stream = regions();
  vicinity_index *index = NULL;
  OK(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error));
  CHECK(stream.release == NULL);
  CHECK(vicinity_index_count(index) == 3);
  CHECK(vicinity_index_polygon_count(index) == 0);
  CHECK(vicinity_index_byte_count(index) > 0);
  return index;
}

/* The text of a table, as the command line would write it; to be freed. */
static char *text_of(const vicinity_table *answer) {
  vicinity_table *text = NULL;
  OK(vicinity_table_csv(answer, NULL, NULL, &text, &error));
  struct ArrowArrayStream stream;
  OK(vicinity_table_stream(text, &stream, &error));
  vicinity_table_release(text);
  struct ArrowArray array;
  CHECK(stream.get_next(&stream, &array) == 0 && array.length == 1);
  stream.release(&stream);
  const int64_t *ends = array.children[0]->buffers[1];
  char *result = malloc((size_t)ends[1] + 1);
  memcpy(result, array.children[0]->buffers[2], (size_t)ends[1]);
  result[ends[1]] = 0;
  array.release(&array);
  return result;
}

#define check_text(answer, wanted) check_text_at(answer, wanted, __LINE__)
static void check_text_at(vicinity_table *answer, const char *wanted, int line) {
  char *text = text_of(answer);
  if (strcmp(text, wanted) != 0) {
    fprintf(stderr, "%s:%d: found:\n%s\nwanted:\n%s\n", __FILE__, line, text, wanted);
    exit(1);
  }
  checks++;
  free(text);
  vicinity_table_release(answer);
}

static void test_versions(void) {
  CHECK(vicinity_abi_version() == VICINITY_ABI_VERSION);
  CHECK(strlen(vicinity_version()) >= 5);
}

static struct ArrowArrayStream points(void) {
  const char *const ids[] = {"a", "b,c"};
  const double lat[] = {48.2082, -33.9}, lon[] = {16.3738, 151.2};
  column columns[] = {strings("id", ids, 2), doubles("lat", lat, 2), doubles("LON", lon, 2)};
  return table(columns, 3);
}

static void test_queries(void) {
  vicinity_index *index = make_index();
  vicinity_table *answer = NULL;
  struct ArrowArrayStream stream = points();
  OK(vicinity_nearest(index, &stream, "count=2", NULL, &answer, &error));
  CHECK(vicinity_table_row_count(answer) == 4);
  /* The types and values of the columns. */
  struct ArrowArrayStream rows;
  OK(vicinity_table_stream(answer, &rows, &error));
  struct ArrowSchema schema;
  CHECK(rows.get_schema(&rows, &schema) == 0);
  CHECK(strcmp(schema.format, "+s") == 0 && schema.n_children == 5);
  const char *const wanted[][2] = {
      {"query", "u"}, {"rank", "i"}, {"region", "u"}, {"boundary_distance", "g"}, {"centre_distance", "g"}};
  for (int i = 0; i < 5; i++) {
    CHECK(strcmp(schema.children[i]->name, wanted[i][0]) == 0 && strcmp(schema.children[i]->format, wanted[i][1]) == 0);
  }
  schema.release(&schema);
  struct ArrowArray array;
  CHECK(rows.get_next(&rows, &array) == 0 && array.length == 4 && array.n_children == 5);
  CHECK(((const double *)array.children[3]->buffers[1])[0] == -100);
  CHECK(((const int32_t *)array.children[1]->buffers[1])[3] == 2);
  /* A child may be moved out and live on. */
  struct ArrowArray moved = *array.children[0];
  array.children[0]->release = NULL;
  array.release(&array);
  CHECK(((const int32_t *)moved.buffers[1])[4] == 8 && memcmp(moved.buffers[2], "aab,cb,c", 8) == 0);
  moved.release(&moved);
  CHECK(rows.get_next(&rows, &array) == 0 && array.release == NULL);
  rows.release(&rows);
  check_text(answer,
             "query,rank,region,boundary_distance,centre_distance\na,1,home,-100.000,0.000\na,2,work,964.957,1114.957\n"
             "\"b,c\",1,gym,15970734.773,15970734.773\n\"b,c\",2,home,15972718.178,15972818.178\n");

  /* A table outlives its index; points without an identifier are numbered. */
  const double lat[] = {48.1985}, lon[] = {16.37};
  column columns[] = {doubles("latitude", lat, 1), doubles("longitude", lon, 1)};
  stream = table(columns, 2);
  OK(vicinity_containing(index, &stream, NULL, NULL, &answer, &error));
  check_text(answer, "query,rank,region,boundary_distance,centre_distance\n1,1,work,-150.000,0.000\n");
  stream = points();
  FAILS(vicinity_nearest(index, &stream, "count=1\nregion-numbers=yes", NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1,
        "", "\"home\" is no whole number");
  stream = points();
  OK(vicinity_within(index, &stream, "distance=1000", NULL, &answer, &error));
  vicinity_index_release(index);
  check_text(answer,
             "query,rank,region,boundary_distance,centre_distance\na,1,home,-100.000,0.000\na,2,work,964.957,1114.957\n");
}

/* Whole numbers come back in the type that they have, to its extremes; a number of regions is cut only where somebody said so. */
static void test_identifiers_and_counts(void) {
  enum { rings = 30 };
  uint64_t ids[rings];
  double lat[rings] = {0}, lon[rings] = {0}, size[rings];
  for (int i = 0; i < rings; i++) {
    ids[i] = UINT64_MAX - (uint64_t)i;
    size[i] = 100 + i;
  }
  column columns[] = {values("id", "L", ids, sizeof *ids, rings), doubles("latitude", lat, rings), doubles("longitude", lon, rings),
                      doubles("radius", size, rings)};
  struct ArrowArrayStream stream = table(columns, 4);
  vicinity_index *index = NULL;
  OK(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error));
  vicinity_table *answer = NULL, *notes = NULL;
  const struct {
    const char *options;
    int64_t rows, notes;
  } cases[] = {{NULL, 40, 1},           {"count=20", 40, 0},         {"count=all", 60, 0},
               {"max-distance=0", 60, 0}, {"max-distance=-125", 10, 0}, {"count=7\nmax-distance=0", 14, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    column asked[] = {values("id", "L", ids, sizeof *ids, 2), doubles("latitude", lat, 2), doubles("longitude", lon, 2)};
    stream = table(asked, 3);
    OK(vicinity_nearest(index, &stream, cases[i].options, NULL, &answer, &error));
    CHECK(vicinity_table_row_count(answer) == cases[i].rows);
    OK(vicinity_table_notes(answer, &notes, &error));
    CHECK(vicinity_table_row_count(notes) == cases[i].notes);
    vicinity_table_release(notes);
    vicinity_table_release(answer);
  }
  column asked[] = {values("id", "L", ids, sizeof *ids, 2), doubles("latitude", lat, 2), doubles("longitude", lon, 2)};
  stream = table(asked, 3);
  OK(vicinity_nearest(index, &stream, "count=1\nregion-numbers=unsigned", NULL, &answer, &error));
  struct ArrowArrayStream rows;
  OK(vicinity_table_stream(answer, &rows, &error));
  struct ArrowSchema schema;
  CHECK(rows.get_schema(&rows, &schema) == 0);
  CHECK(strcmp(schema.children[0]->format, "L") == 0 && strcmp(schema.children[2]->format, "L") == 0);
  schema.release(&schema);
  struct ArrowArray array;
  CHECK(rows.get_next(&rows, &array) == 0 && array.length == 2);
  const uint64_t *queries = array.children[0]->buffers[1], *regions_found = array.children[2]->buffers[1];
  CHECK(queries[0] == UINT64_MAX && queries[1] == UINT64_MAX - 1 && regions_found[0] == UINT64_MAX - (rings - 1));
  array.release(&array);
  rows.release(&rows);
  check_text(answer,
             "query,rank,region,boundary_distance,centre_distance\n18446744073709551615,1,18446744073709551586,-129.000,0.000\n"
             "18446744073709551614,1,18446744073709551586,-129.000,0.000\n");
  column again[] = {doubles("latitude", lat, 1), doubles("longitude", lon, 1)};
  stream = table(again, 2);
  FAILS(vicinity_nearest(index, &stream, "count=1\nregion-numbers=yes", NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "",
        "is no whole number of int64; region-numbers=unsigned");
  /* Decimals without a fraction are whole numbers, and decimals with one are degrees. */
  const int64_t numbers[] = {-5, -1, 3, 0}, tenths[] = {482, 0, -339, -1};
  column exact[] = {values("id", "d:38,0", numbers, 16, 2), values("latitude", "d:20,1", tenths, 16, 2), doubles("longitude", lon, 2)};
  stream = table(exact, 3);
  OK(vicinity_nearest(index, &stream, "count=1", NULL, &answer, &error));
  char *text = text_of(answer);
  CHECK(strstr(text, "\n-5,1,") != NULL && strstr(text, "\n3,1,") != NULL);
  free(text);
  vicinity_table_release(answer);
  vicinity_index_release(index);

  /* The names of columns. */
  OK(vicinity_column_names(&answer, &error));
  CHECK(vicinity_table_row_count(answer) > 60);
  vicinity_table_release(answer);
  FAILS(vicinity_column_names(NULL, &error), VICINITY_ERROR_ARGUMENT, -1, "", "names");
}

static void test_files(void) {
  char path[] = "vicinity-c-XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0);
  close(file);
  vicinity_index *index = make_index(), *opened = NULL;
  OK(vicinity_index_write(index, path, &error));
  OK(vicinity_index_open(path, "verify=contents", &opened, &error));
  CHECK(vicinity_index_count(opened) == 3);
  vicinity_table *all = NULL;
  OK(vicinity_index_regions(opened, &all, &error));
  CHECK(vicinity_table_row_count(all) == 3);
  vicinity_table_release(all);
  vicinity_index_release(opened);
  opened = NULL;
  FILE *harmed = fopen(path, "r+");
  CHECK(harmed != NULL && fputc('x', harmed) == 'x' && fclose(harmed) == 0);
  FAILS(vicinity_index_open(path, NULL, &opened, &error), VICINITY_ERROR_FILE, -1, "", "not a .vicinity index");
  unlink(path);
  FAILS(vicinity_index_open(path, NULL, &opened, &error), VICINITY_ERROR_FILE, -1, "", "No such file");
  FAILS(vicinity_index_open(path, "verify=maybe", &opened, &error), VICINITY_ERROR_ARGUMENT, -1, "", "option verify");
  FAILS(vicinity_index_write(index, "/", &error), VICINITY_ERROR_FILE, -1, "", "/");
  CHECK(opened == NULL);
  vicinity_index_release(index);
}

/* A device that goes through two regions and back, and another that stays outside. */
static struct ArrowArrayStream tracks(int from, int to, const char *zone) {
  const char *const devices[] = {"bus", "bus", "van", "bus", "bus"};
  const int64_t times[] = {1700000000000, 1700000060000, 1700000070000, 1700000120000, 1700000180000};
  const double lat[] = {48.2082, 48.1985, 48.3, 48.2082, 48.1985};
  const double lon[] = {16.3638, 16.3700, 16.5, 16.3738, 16.3500};
  column columns[] = {strings("device", devices + from, to - from), longs("time", zone, times + from, to - from),
                      doubles("latitude", lat + from, to - from), doubles("longitude", lon + from, to - from)};
  return table(columns, 4);
}

static const char *const wanted_events =
    "device,time,region,kind,latitude,longitude,inferred\n";

static void test_events(void) {
  vicinity_index *index = make_index();
  vicinity_table *answer = NULL;
  struct ArrowArrayStream stream = tracks(0, 5, "tsm:UTC");
  OK(vicinity_events(index, &stream, NULL, NULL, &answer, &error));
  CHECK(vicinity_table_row_count(answer) == 4);
  char *whole = text_of(answer);
  vicinity_table_release(answer);
  CHECK(strncmp(whole, wanted_events, strlen(wanted_events)) == 0);
  CHECK(strstr(whole, "bus,2023-11-14T22:14:12.") != NULL);

  /* Stays, and what devices are in at their first fix. */
  stream = tracks(3, 5, "tsm:UTC");
  OK(vicinity_events(index, &stream, "initial=yes", NULL, &answer, &error));
  char *with_initial = text_of(answer);
  CHECK(strstr(with_initial, "bus,2023-11-14T22:15:20.000Z,home,initial,48.20820000,16.37380000,false\nbus,") != NULL);
  free(with_initial);
  vicinity_table_release(answer);
  stream = tracks(3, 5, "tsm:UTC");
  OK(vicinity_stays(index, &stream, NULL, NULL, &answer, &error));
  char *stays = text_of(answer);
  CHECK(strncmp(stays, "device,region,enter,exit,duration,open,inferred\nbus,home,2023-11-14T22:15:20.000Z,2023-11-14T22:15:", 98) == 0);
  CHECK(strstr(stays, ",start,no\n") != NULL);
  free(stays);
  vicinity_table *notes = NULL;
  OK(vicinity_table_notes(answer, &notes, &error));
  CHECK(vicinity_table_row_count(notes) <= 1);
  vicinity_table_release(notes);
  vicinity_table_release(answer);
  FAILS(vicinity_table_notes(NULL, &notes, &error), VICINITY_ERROR_ARGUMENT, -1, "", "table");
  stream = tracks(0, 5, "tsm:UTC");
  FAILS(vicinity_stays(index, &stream, "initial=perhaps", NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "", "initial");

  /* Batch by batch, by a fleet that goes through bytes in between. */
  vicinity_fleet *fleet = NULL;
  OK(vicinity_fleet_create(index, NULL, &fleet, &error));
  char *parts = calloc(strlen(whole) + 1, 1);
  strcpy(parts, wanted_events);
  for (int i = 0; i < 5; i++) {
    stream = tracks(i, i + 1, "tsm:+01:00");
    OK(vicinity_fleet_advance(fleet, &stream, NULL, &answer, &error));
    char *text = text_of(answer);
    strcat(parts, text + strlen(wanted_events));
    free(text);
    vicinity_table_release(answer);
    OK(vicinity_fleet_snapshot(fleet, &answer, &error));
    struct ArrowArrayStream rows;
    OK(vicinity_table_stream(answer, &rows, &error));
    vicinity_table_release(answer);
    struct ArrowArray array;
    CHECK(rows.get_next(&rows, &array) == 0 && array.length == 1);
    rows.release(&rows);
    size_t count = (size_t)((const int64_t *)array.children[0]->buffers[1])[1];
    const uint8_t *bytes = array.children[0]->buffers[2];
    vicinity_fleet_release(fleet);
    fleet = NULL;
    /* Any byte changed, or any cut, is an error. */
    uint8_t *harmed = malloc(count);
    for (size_t k = 0; k < count; k += 7) {
      memcpy(harmed, bytes, count);
      harmed[k] ^= 0x10;
      CHECK(vicinity_fleet_restore(index, NULL, harmed, count, &fleet, &error) == VICINITY_ERROR_DATA);
      CHECK(vicinity_fleet_restore(index, NULL, bytes, k, &fleet, &error) == VICINITY_ERROR_DATA);
    }
    free(harmed);
    FAILS(vicinity_fleet_restore(index, "max-gap=10", bytes, count, &fleet, &error), VICINITY_ERROR_ARGUMENT, -1, "",
          "other options");
    OK(vicinity_fleet_restore(index, NULL, bytes, count, &fleet, &error));
    array.release(&array);
  }
  CHECK(vicinity_fleet_device_count(fleet) == 2);
  CHECK(strcmp(parts, whole) == 0);
  free(parts);
  vicinity_fleet_release(fleet);

  /* Two batches of one stream are as one; sorting mends their order. */
  stream = tracks(3, 5, "tsm:UTC");
  struct ArrowArrayStream rest = tracks(0, 3, "tsm:UTC");
  append_batch(&stream, &rest);
  OK(vicinity_events(index, &stream, "sort=yes", NULL, &answer, &error));
  check_text(answer, whole);
  stream = tracks(3, 5, "tsm:UTC");
  rest = tracks(0, 3, "tsm:UTC");
  append_batch(&stream, &rest);
  FAILS(vicinity_events(index, &stream, NULL, NULL, &answer, &error), VICINITY_ERROR_DATA, 2, "time",
        "row 2, column \"time\": time runs backwards");
  stream = tracks(0, 5, "tsm:");
  FAILS(vicinity_events(index, &stream, NULL, NULL, &answer, &error), VICINITY_ERROR_SCHEMA, -1, "time", "no zone");
  stream = tracks(0, 5, "tsm:");
  OK(vicinity_events(index, &stream, "naive-times=utc", NULL, &answer, &error));
  check_text(answer, whole);
  free(whole);
  stream = tracks(0, 5, "tsm:UTC");
  FAILS(vicinity_events(index, &stream, "rule=loose", NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "", "option rule");
  stream = tracks(0, 5, "tsm:UTC");
  FAILS(vicinity_events(index, &stream, "cushion=3", NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "",
        "rule=core-location");
  vicinity_index_release(index);
}

static void test_plan_and_compare(void) {
  vicinity_index *index = make_index();
  vicinity_table *answer = NULL;
  struct ArrowArrayStream stream = tracks(0, 5, "tsm:UTC");
  OK(vicinity_plan(index, &stream, "capacity=2\npin=gym", NULL, &answer, &error));
  CHECK(vicinity_table_row_count(answer) >= 3);
  char *text = text_of(answer);
  CHECK(strncmp(text, "device,time,latitude,", 21) == 0 && strstr(text, ",gym") != NULL);
  free(text);
  vicinity_table_release(answer);
  stream = tracks(0, 5, "tsm:UTC");
  FAILS(vicinity_plan(index, &stream, "max-speed=-3", NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "", "option max-speed: a number above 0");
  stream = tracks(0, 5, "tsm:UTC");
  FAILS(vicinity_plan(index, &stream, "strategy=luck", NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "", "luck");
  stream = tracks(0, 5, "tsm:UTC");
  OK(vicinity_compare(index, &stream, "policies=monitor-slots\nseeds=1", NULL, &answer, &error));
  CHECK(vicinity_table_row_count(answer) == 11);
  vicinity_table_release(answer);
  stream = tracks(0, 5, "tsm:UTC");
  FAILS(vicinity_compare(index, &stream, "policies=none-such", NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "",
        "none-such");
  vicinity_index_release(index);
}

/* A square of half a degree, as WKB of either byte order. */
static size_t square(uint8_t *bytes, int is_little, double x, double y) {
  size_t count = 0;
#define PUT(value)                                                                              \
  do {                                                                                          \
    const uint8_t *from = (const uint8_t *)&(value);                                            \
    for (size_t k = 0; k < sizeof(value); k++) {                                                \
      bytes[count++] = is_little ? from[k] : from[sizeof(value) - 1 - k];                       \
    }                                                                                           \
  } while (0)
  uint32_t type = 3, rings = 1, vertices = 5;
  bytes[count++] = (uint8_t)is_little;
  PUT(type);
  PUT(rings);
  PUT(vertices);
  for (int i = 0; i < 5; i++) {
    double px = x + (i == 1 || i == 2 ? 0.5 : 0), py = y + (i == 2 || i == 3 ? 0.5 : 0);
    PUT(px);
    PUT(py);
  }
  return count;
}

enum { scattered = 4096 };

/* Points all over the Earth, from one to another, as degrees or as WKB of either byte order. */
static struct ArrowArrayStream scattered_points(int kind, int from, int to) {
  static double lat[scattered], lon[scattered];
  static int64_t ids[scattered];
  static uint8_t bytes[scattered * 21];
  static int32_t ends[scattered + 1];
  uint32_t state = 1;
  for (int i = 0; i < scattered; i++) {
    state = state * 1664525 + 1013904223;
    lat[i] = (state >> 8) * (180 / 16777216.0) - 90;
    state = state * 1664525 + 1013904223;
    lon[i] = (state >> 8) * (360 / 16777216.0) - 180;
    ids[i] = 7 * i;
    int is_little = kind == 1;
    size_t count = (size_t)ends[i];
    uint32_t type = 1;
    bytes[count++] = (uint8_t)is_little;
    PUT(type);
    PUT(lon[i]);
    PUT(lat[i]);
    ends[i + 1] = (int32_t)count;
  }
  int rows = to - from;
  if (kind == 0) {
    column columns[] = {longs("id", "l", ids + from, rows), doubles("latitude", lat + from, rows), doubles("longitude", lon + from, rows)};
    return table(columns, 3);
  }
  column made = {make_schema("z", "geometry", 0), make_array(rows, 3, 0)};
  set_buffer(&made.array, 1, ends + from, ((size_t)rows + 1) * sizeof *ends);
  set_buffer(&made.array, 2, bytes, (size_t)ends[scattered]);
  column columns[] = {longs("id", "l", ids + from, rows), made};
  return table(columns, 2);
}

/* Many scattered points are asked about in another order than they have: the answers are those of few, in the order of the points. */
static void test_scattered_points(void) {
  vicinity_index *index = make_index();
  vicinity_table *answer = NULL;
  char *wanted = calloc(1, 1), *piece;
  for (int from = 0; from < scattered; from += 512) {
    struct ArrowArrayStream stream = scattered_points(0, from, from + 512);
    OK(vicinity_nearest(index, &stream, "count=2", NULL, &answer, &error));
    piece = text_of(answer);
    vicinity_table_release(answer);
    char *rows = from == 0 ? piece : strchr(piece, '\n') + 1;
    wanted = realloc(wanted, strlen(wanted) + strlen(rows) + 1);
    strcat(wanted, rows);
    free(piece);
  }
  for (int kind = 0; kind < 3; kind++) {
    struct ArrowArrayStream stream = scattered_points(kind, 0, scattered);
    OK(vicinity_nearest(index, &stream, "count=2", NULL, &answer, &error));
    piece = text_of(answer);
    vicinity_table_release(answer);
    CHECK(strcmp(piece, wanted) == 0);
    free(piece);
  }
  free(wanted);
  vicinity_index_release(index);
}

static column geometries(const char *crs, int harmed) {
  uint8_t bytes[400];
  int32_t ends[3] = {0};
  ends[1] = (int32_t)square(bytes, 1, 16, 48);
  ends[2] = ends[1] + (int32_t)square(bytes + ends[1], 0, 179.75, -10);
  if (harmed >= 0) bytes[harmed] ^= 0xff;
  column made = {make_schema("z", "geometry", 0), make_array(2, 3, 0)};
  set_buffer(&made.array, 1, ends, sizeof ends);
  set_buffer(&made.array, 2, bytes, (size_t)ends[2]);
  const char *const pairs[] = {"ARROW:extension:name", "geoarrow.wkb", "ARROW:extension:metadata", crs};
  char *metadata = malloc(1000), *end = metadata;
  int32_t number = 2;
  memcpy(end, &number, 4);
  end += 4;
  for (int i = 0; i < 4; i++) {
    number = (int32_t)strlen(pairs[i]);
    memcpy(end, &number, 4);
    memcpy(end + 4, pairs[i], (size_t)number);
    end += 4 + number;
  }
  made.schema.metadata = metadata;
  return made;
}

static void test_geometries(void) {
  const char *const ids[] = {"vienna", "fiji"};
  const char *const good[] = {"{}", "{\"crs\":\"EPSG:4326\"}", "{\"crs\":{\"id\":{\"authority\":\"OGC\",\"code\":\"CRS84\"}}}",
                              "{\"crs\":{\"id\":{\"authority\":\"EPSG\",\"code\":4326}},\"edges\":\"planar\"}"};
  vicinity_index *index = NULL;
  vicinity_table *answer = NULL;
  for (int i = 0; i < 4; i++) {
    column columns[] = {strings("id", ids, 2), geometries(good[i], -1)};
    struct ArrowArrayStream stream = table(columns, 2);
    OK(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error));
    CHECK(vicinity_index_polygon_count(index) == 2);
    const double lat[] = {48.1, -9.9}, lon[] = {16.1, -179.8};
    column asked[] = {doubles("latitude", lat, 2), doubles("longitude", lon, 2)};
    stream = table(asked, 2);
    OK(vicinity_containing(index, &stream, NULL, NULL, &answer, &error));
    char *text = text_of(answer);
    CHECK(strstr(text, "1,1,vienna,-") != NULL && strstr(text, "2,1,fiji,-") != NULL && text[strlen(text) - 2] == ',');
    free(text);
    vicinity_table_release(answer);
    vicinity_index_release(index);
  }
  index = NULL;
  const char *const bad[][2] = {
      {"{\"crs\":\"EPSG:3857\"}", "EPSG:3857"}, {"{\"crs\":{\"id\":{\"authority\":\"EPSG\",\"code\":31287}}}", "EPSG:31287"},
      {"{\"crs\":", "not JSON"}, {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "not JSON"}};
  for (int i = 0; i < 4; i++) {
    column columns[] = {strings("id", ids, 2), geometries(bad[i][0], -1)};
    struct ArrowArrayStream stream = table(columns, 2);
    FAILS(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error), VICINITY_ERROR_SCHEMA, -1, "geometry", bad[i][1]);
  }
  /* Every byte of the WKB changed: a region or an error in its row. */
  for (int i = 0; i < 186; i++) {
    column columns[] = {strings("id", ids, 2), geometries("{}", i)};
    struct ArrowArrayStream stream = table(columns, 2);
    int32_t code = vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error);
    CHECK(code == VICINITY_OK || (code == VICINITY_ERROR_DATA && error.row == i / 93 && strcmp(error.column, "geometry") == 0));
    if (code == VICINITY_OK) vicinity_index_release(index);
    index = NULL;
  }
}

/* What a repair answers with, and how often it was asked. */
typedef struct {
  int32_t code;
  const uint8_t *bytes;
  size_t count;
  int asked;
} repairer;

static int32_t repair(void *context, const uint8_t *wkb, size_t count, vicinity_repaired answer, void *sink) {
  repairer *made = context;
  __atomic_fetch_add(&made->asked, 1, __ATOMIC_RELAXED);
  if (count < 9 || wkb[0] != 1) return 9;
  if (made->bytes) answer(sink, made->bytes, made->count);
  return made->code;
}

/* An index has one note, of this kind, which begins so. */
static void check_note(const vicinity_index *index, const char *kind, const char *wanted) {
  vicinity_table *notes = NULL;
  OK(vicinity_index_notes(index, &notes, &error));
  CHECK(vicinity_table_row_count(notes) == 1);
  struct ArrowArrayStream rows;
  OK(vicinity_table_stream(notes, &rows, &error));
  struct ArrowArray array;
  CHECK(rows.get_next(&rows, &array) == 0 && array.length == 1);
  CHECK(memcmp(array.children[0]->buffers[2], wanted, strlen(wanted)) == 0);
  CHECK(memcmp(array.children[1]->buffers[2], kind, strlen(kind)) == 0);
  array.release(&array);
  rows.release(&rows);
  vicinity_table_release(notes);
}

/* A bow tie is repaired by the caller's function, or an error that says what was wrong. */
static void test_repair(void) {
  uint8_t bytes[400], whole[400];
  size_t count = square(bytes, 1, 16, 48), whole_count = square(whole, 1, 16, 48);
  /* The second vertex and the third change places. */
  uint8_t vertex[16];
  memcpy(vertex, bytes + 13 + 16, 16);
  memcpy(bytes + 13 + 16, bytes + 13 + 32, 16);
  memcpy(bytes + 13 + 32, vertex, 16);
  const char *const ids[] = {"tie"};
  const struct {
    repairer made;
    const char *options, *words;
  } cases[] = {{{0, whole, whole_count, 0}, NULL, NULL},
               {{0, NULL, 0, 0}, NULL, "the ring crosses itself"},
               {{1, NULL, 0, 0}, NULL, "repair it first"},
               {{2, (const uint8_t *)"no luck", 7, 0}, NULL, "could not be repaired: no luck"},
               {{0, (const uint8_t *)"no WKB", 6, 0}, NULL, "what came back is no polygon"},
               {{0, whole, whole_count - 1, 0}, NULL, "what came back is no polygon"},
               {{0, bytes, count, 0}, NULL, "encloses nothing"},
               {{0, whole, whole_count, 0}, "strict=yes", "the ring crosses itself"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int32_t ends[2] = {0, (int32_t)count};
    column made = {make_schema("z", "geometry", 0), make_array(1, 3, 0)};
    set_buffer(&made.array, 1, ends, sizeof ends);
    set_buffer(&made.array, 2, bytes, count);
    column columns[] = {strings("id", ids, 1), made};
    struct ArrowArrayStream stream = table(columns, 2);
    repairer by = cases[i].made;
    vicinity_index *index = NULL;
    int32_t code = vicinity_index_from_arrow_repairing(&stream, cases[i].options, NULL, repair, &by, &index, &error);
    CHECK(by.asked == (cases[i].options == NULL));
    if (code != (cases[i].words ? VICINITY_ERROR_DATA : VICINITY_OK)) {
      fprintf(stderr, "case %d: code %d: %s\n", (int)i, code, error.message);
      exit(1);
    }
    checks++;
    if (cases[i].words) {
      CHECK(error.row == 0 && strcmp(error.column, "geometry") == 0 && strstr(error.message, cases[i].words) != NULL);
      continue;
    }
    check_note(index, "repair", "row 0, column \"geometry\": repaired: invalid polygon");
    vicinity_index_release(index);
  }
  vicinity_table *notes = NULL;
  FAILS(vicinity_index_notes(NULL, &notes, &error), VICINITY_ERROR_ARGUMENT, -1, "", "index");
}

/* An edge across more than half a turn is taken to cross the antimeridian, and told; so are the degrees of one point, if they may be
 * swapped. */
static void test_notes(void) {
  uint8_t bytes[200];
  size_t count = square(bytes, 1, 179.75, 10);
  /* The two vertices in the east, as programs write them that do not cut polygons at 180 degrees. */
  const double east = -179.75;
  memcpy(bytes + 13 + 16, &east, sizeof east);
  memcpy(bytes + 13 + 32, &east, sizeof east);
  const char *const ids[] = {"wide"};
  int32_t ends[2] = {0, (int32_t)count};
  column made = {make_schema("z", "geometry", 0), make_array(1, 3, 0)};
  set_buffer(&made.array, 1, ends, sizeof ends);
  set_buffer(&made.array, 2, bytes, count);
  column columns[] = {strings("id", ids, 1), made};
  struct ArrowArrayStream stream = table(columns, 2);
  vicinity_index *index = NULL;
  OK(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error));
  check_note(index, "edge", "row 0, column \"geometry\": the edge from longitude 179.75 to -179.75 spans more than half a turn");
  vicinity_table *answer = NULL;
  vicinity_index_release(index);
  index = make_index();
  const char *const questions[][2] = {{"nearest", NULL}, {"nearest", "count=1"}, {"within", "distance=100"}, {"containing", NULL}};
  for (int i = 0; i < 4; i++) {
    OK(vicinity_ask_one(index, questions[i][0], 16.3738, 48.2082, questions[i][1], &answer, &error));
    CHECK(vicinity_table_note_count(answer) == 1);
    vicinity_table_release(answer);
    OK(vicinity_ask_one(index, questions[i][0], 48.2082, 16.3738, questions[i][1], &answer, &error));
    CHECK(vicinity_table_note_count(answer) == 0);
    vicinity_table_release(answer);
  }
  CHECK(vicinity_table_note_count(NULL) == 0);
  vicinity_index_release(index);
}

/* The numbers of the first column of a table, which must be `count`, or are checked against `wanted`. */
static void check_rows(vicinity_table *rejects, const int64_t *wanted, int64_t count) {
  CHECK(vicinity_table_row_count(rejects) == count);
  struct ArrowArrayStream rows;
  OK(vicinity_table_stream(rejects, &rows, &error));
  struct ArrowArray array;
  CHECK(rows.get_next(&rows, &array) == 0);
  for (int64_t i = 0; i < count; i++) CHECK(((const int64_t *)array.children[0]->buffers[1])[i] == wanted[i]);
  array.release(&array);
  rows.release(&rows);
  vicinity_table_release(rejects);
}

/* Rows that cannot be read, left out and listed: in more than one stretch of rows, before and behind others that are bad for
 * another column's sake. */
static void test_skipped_rows(void) {
  enum { count = 1000, worst = 6 };
  const int64_t bad[worst] = {0, 7, 250, 251, 600, 999};
  double lat[count], lon[count], radius[count];
  int64_t ids[count];
  for (int i = 0; i < count; i++) {
    lat[i] = i * 0.01;
    lon[i] = 5;
    radius[i] = 10;
    ids[i] = i;
  }
  /* The columns are read one after the other: the first bad row is of the last one. */
  radius[0] = -1;
  lat[7] = 91;
  lon[250] = NAN;
  radius[251] = INFINITY;
  lat[600] = -1000;
  ids[999] = 998;
  column regions[] = {longs("id", "l", ids, count), doubles("latitude", lat, count), doubles("longitude", lon, count),
                      doubles("radius", radius, count)};
  struct ArrowArrayStream stream = table(regions, 4);
  vicinity_index *index = NULL;
  OK(vicinity_index_from_arrow(&stream, "on-bad-rows=skip", NULL, &index, &error));
  CHECK(vicinity_index_count(index) == count - worst);
  vicinity_table *rejects = NULL, *notes = NULL, *answer = NULL;
  OK(vicinity_index_rejects(index, &rejects, &error));
  check_rows(rejects, bad, worst);
  OK(vicinity_index_notes(index, &notes, &error));
  CHECK(vicinity_table_row_count(notes) == 1);
  vicinity_table_release(notes);
  radius[0] = radius[251] = 10;
  column asked[] = {longs("id", "l", ids, count), doubles("latitude", lat, count), doubles("longitude", lon, count)};
  stream = table(asked, 3);
  OK(vicinity_containing(index, &stream, "on-bad-rows=skip", NULL, &answer, &error));
  const int64_t points[] = {7, 250, 600};
  OK(vicinity_table_rejects(answer, &rejects, &error));
  check_rows(rejects, points, 3);
  /* Those whose regions were left out are in none. */
  CHECK(vicinity_table_row_count(answer) == count - worst);
  /* Each answer is of its own point, behind bad rows too. */
  char *text = text_of(answer);
  CHECK(strstr(text, "\n8,1,8,") != NULL && strstr(text, "\n998,1,998,") != NULL);
  free(text);
  vicinity_table_release(answer);
  stream = table((column[]){doubles("latitude", lat + 7, 1), doubles("longitude", lon, 1)}, 2);
  FAILS(vicinity_nearest(index, &stream, "on-bad-rows=skip", NULL, &answer, &error), VICINITY_ERROR_DATA, 0, "latitude",
        "the only row");
  stream = table((column[]){doubles("latitude", lat, 1), doubles("longitude", lon, 1)}, 2);
  FAILS(vicinity_nearest(index, &stream, "on-bad-rows=drop", NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "",
        "error or skip");
  FAILS(vicinity_table_rejects(NULL, &rejects, &error), VICINITY_ERROR_ARGUMENT, -1, "", "table");
  FAILS(vicinity_index_rejects(NULL, &rejects, &error), VICINITY_ERROR_ARGUMENT, -1, "", "index");
  vicinity_index_release(index);
}

static void test_bad_columns(void) {
  vicinity_index *index = NULL;
  struct ArrowArrayStream stream;
  column columns[4];
#define REGIONS                                                                                                      \
  columns[0] = strings("id", names, 3), columns[1] = doubles("latitude", latitudes, 3),                              \
  columns[2] = doubles("longitude", longitudes, 3), columns[3] = doubles("radius", radii, 3)
#define REFUSED(code, row, column_name, words)                                                                       \
  stream = table(columns, 4);                                                                                        \
  FAILS(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error), code, row, column_name, words);              \
  CHECK(index == NULL && stream.release == NULL)
  for (int i = 0; i < 4; i++) {
    const char *const wanted[] = {"id", "latitude", "longitude", "radius"};
    REGIONS;
    set_null(&columns[i], 2);
    REFUSED(VICINITY_ERROR_DATA, 2, wanted[i], "null");
    REGIONS;
    columns[i].schema.release(&columns[i].schema);
    columns[i].schema = make_schema(i == 0 ? "g" : "u", wanted[i], 0);
    REFUSED(VICINITY_ERROR_SCHEMA, -1, wanted[i], "expected");
    REGIONS;
    columns[i].schema.release(&columns[i].schema);
    columns[i].schema = make_schema("tdD", wanted[i], 0);
    REFUSED(VICINITY_ERROR_SCHEMA, -1, wanted[i], "expected");
    REGIONS;
    columns[i].schema.release(&columns[i].schema);
    columns[i].schema = make_schema(i == 0 ? "u" : "g", "other", 0);
    REFUSED(VICINITY_ERROR_SCHEMA, -1, wanted[i], "no such column");
    REGIONS;
    columns[i].array.length = 2;
    columns[0].array.length = i == 0 ? 2 : 3;
    if (i > 0) { REFUSED(VICINITY_ERROR_DATA, -1, wanted[i], "2 values where 3"); } else {
      for (int k = 0; k < 4; k++) columns[k].schema.release(&columns[k].schema), columns[k].array.release(&columns[k].array);
    }
    REGIONS;
    columns[i].array.buffers[1] = NULL;
    REFUSED(VICINITY_ERROR_DATA, -1, wanted[i], "NULL");
    REGIONS;
    columns[i].array.n_buffers = 1;
    REFUSED(VICINITY_ERROR_DATA, -1, wanted[i], "1 buffers");
    REGIONS;
    columns[i].array.null_count = 3;
    REFUSED(VICINITY_ERROR_DATA, -1, wanted[i], "no bitmap");
    REGIONS;
    columns[i].array.offset = -1;
    REFUSED(VICINITY_ERROR_DATA, -1, wanted[i], "offset of -1");
  }
  const double numbers[][3] = {{1, 91, 0}, {1, NAN, 0}, {1, INFINITY, 0}};
  for (int i = 0; i < 3; i++) {
    REGIONS;
    memcpy((void *)columns[1].array.buffers[1], numbers[i], sizeof numbers[i]);
    REFUSED(VICINITY_ERROR_DATA, 1, "latitude", "is not within -90...90");
  }
  REGIONS;
  ((double *)columns[2].array.buffers[1])[2] = 1e9;
  REFUSED(VICINITY_ERROR_DATA, 2, "longitude", "is not within");
  REGIONS;
  ((double *)columns[3].array.buffers[1])[0] = -5;
  REFUSED(VICINITY_ERROR_DATA, 0, "radius", "-5.0 m");
  REGIONS;
  ((int32_t *)columns[0].array.buffers[1])[1] = 9;
  REFUSED(VICINITY_ERROR_DATA, 1, "id", "offset is 8");
  /* Differences that wrap around to a rise. */
  REGIONS;
  memcpy((void *)columns[0].array.buffers[1], (const int32_t[]){4, INT32_MAX, INT32_MIN, INT32_MIN + 5}, 16);
  REFUSED(VICINITY_ERROR_DATA, 1, "id", "offset is -2147483648");
  REGIONS;
  ((int32_t *)columns[0].array.buffers[1])[0] = -4;
  REFUSED(VICINITY_ERROR_DATA, 0, "id", "offset is -4");
  REGIONS;
  ((char *)columns[0].array.buffers[2])[5] = (char)0xff;
  REFUSED(VICINITY_ERROR_DATA, 1, "id", "not UTF-8");
  REGIONS;
  memcpy((void *)columns[0].array.buffers[2], "workwork", 8);
  REFUSED(VICINITY_ERROR_DATA, 1, "id", "already");
  REGIONS;
  free((void *)columns[3].schema.name);
  columns[3].schema.name = strdup("latitude");
  REFUSED(VICINITY_ERROR_SCHEMA, -1, "latitude", "two columns");

  /* The root. */
  stream = regions();
  ((made_stream *)stream.private_data)->arrays[0].n_children = 3;
  FAILS(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error), VICINITY_ERROR_DATA, -1, "", "3 children");
  stream = regions();
  ((made_stream *)stream.private_data)->arrays[0].length = -7;
  FAILS(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error), VICINITY_ERROR_DATA, -1, "", "length of -7");
  stream = regions();
  ((made_stream *)stream.private_data)->arrays[0].length = INT64_MAX;
  FAILS(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error), VICINITY_ERROR_DATA, -1, "", "length of 92");
  stream = regions();
  ((made_stream *)stream.private_data)->arrays[0].length = 1 << 30;
  FAILS(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error), VICINITY_ERROR_DATA, -1, "id", "3 values where 1073741824");
  stream = regions();
  ((made_stream *)stream.private_data)->arrays[0].children = NULL;
  FAILS(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error), VICINITY_ERROR_DATA, -1, "", "NULL");
  stream = regions();
  ((made_stream *)stream.private_data)->failure = "the disk is full";
  FAILS(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error), VICINITY_ERROR_STREAM, -1, "", "the disk is full");
  column one = strings("id", names, 3);
  stream = stream_of(one.schema, one.array);
  FAILS(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error), VICINITY_ERROR_SCHEMA, -1, "", "must be structs");
  FAILS(vicinity_index_from_arrow(&stream, NULL, NULL, &index, &error), VICINITY_ERROR_ARGUMENT, -1, "", "released");
  stream = regions();
  FAILS(vicinity_index_from_arrow(&stream, "radious=3", NULL, &index, &error), VICINITY_ERROR_ARGUMENT, -1, "", "radious");
  stream = regions();
  FAILS(vicinity_index_from_arrow(&stream, "radius", NULL, &index, &error), VICINITY_ERROR_ARGUMENT, -1, "", "name=value");
  stream = regions();
  FAILS(vicinity_index_from_arrow(&stream, "radius=\xff", NULL, &index, &error), VICINITY_ERROR_ARGUMENT, -1, "", "UTF-8");

  /* A name that leaves no room for the zero is cut, and nothing behind it is written over. */
  for (size_t length = sizeof error.column - 1; length <= sizeof error.column + 1; length++) {
    char name[sizeof error.column + 2] = {0}, setting[200];
    memset(name, 'y', length);
    REGIONS;
    free((void *)columns[1].schema.name);
    columns[1].schema.name = strdup(name);
    stream = table(columns, 4);
    sprintf(setting, "latitude-column=%s", name);
    ((double *)columns[1].array.buffers[1])[0] = 100;
    CHECK(vicinity_index_from_arrow(&stream, setting, NULL, &index, &error) == VICINITY_ERROR_DATA);
    CHECK(strlen(error.column) == sizeof error.column - 1 && strncmp(error.message, "row 0, column", 13) == 0);
  }
  /* Names and columns as they are, cut where they are too long. */
  char *longest = malloc(5001);
  memset(longest, 'x', 5000);
  longest[5000] = 0;
  memcpy(longest + 126, "\xc3\xa4", 2);
  REGIONS;
  free((void *)columns[1].schema.name);
  columns[1].schema.name = longest;
  stream = table(columns, 4);
  char *option = malloc(6000);
  sprintf(option, "latitude-column=%s", longest);
  ((double *)columns[1].array.buffers[1])[2] = 100;
  CHECK(vicinity_index_from_arrow(&stream, option, NULL, &index, &error) == VICINITY_ERROR_DATA);
  CHECK(strlen(error.column) == 126 && strlen(error.message) == 1023 && error.row == 2);
  free(option);
}

/* Slices, views and dictionaries: what they lead to is read, and what leads beyond is refused. */
static void test_layouts(void) {
  vicinity_index *index = make_index();
  vicinity_table *answer = NULL;
  /* A slice of a slice: the offsets of the batch and of its column add up. */
  const double lat[] = {0, 10, 48.2082, 48.1985}, lon[] = {0, 16.3738, 16.3700};
  column sliced[] = {doubles("latitude", lat, 4), doubles("longitude", lon, 3)};
  sliced[0].array.offset = 1;
  sliced[0].array.length = 3;
  struct ArrowArrayStream stream = table(sliced, 2);
  struct ArrowArray *root = &((made_stream *)stream.private_data)->arrays[0];
  root->offset = 1;
  root->length = 2;
  OK(vicinity_containing(index, &stream, NULL, NULL, &answer, &error));
  check_text(answer, "query,rank,region,boundary_distance,centre_distance\n1,1,home,-100.000,0.000\n2,1,work,-150.000,0.000\n");

  /* A view of up to 12 bytes holds them; a longer one leads into a buffer, whose size is stated. */
  const char text[] = "a-name-of-twenty-four-by";
  for (int32_t offset = 0; offset < 6; offset++) {
    const int32_t views[][4] = {{4, 0, 0, 0}, {20, 0, 0, offset}};
    int64_t size = sizeof text - 1;
    column columns[] = {{make_schema("vu", "id", 0), make_array(2, 4, 0)}, doubles("latitude", lat + 2, 2),
                        doubles("longitude", lon + 1, 2)};
    set_buffer(&columns[0].array, 1, views, sizeof views);
    memcpy((char *)columns[0].array.buffers[1] + 4, "here", 4);
    memcpy((char *)columns[0].array.buffers[1] + 20, text + offset, 4);
    set_buffer(&columns[0].array, 2, text, (size_t)size);
    set_buffer(&columns[0].array, 3, &size, sizeof size);
    stream = table(columns, 3);
    if (offset <= 4) {
      OK(vicinity_containing(index, &stream, NULL, NULL, &answer, &error));
      char wanted[200];
      sprintf(wanted,
              "query,rank,region,boundary_distance,centre_distance\nhere,1,home,-100.000,0.000\n%.20s,1,work,-150.000,0.000\n",
              text + offset);
      check_text(answer, wanted);
    } else {
      FAILS(vicinity_containing(index, &stream, NULL, NULL, &answer, &error), VICINITY_ERROR_DATA, 1, "id", "its view leads out");
    }
  }

  const char *const values_of_dictionary[] = {"second", "first"};
  for (int32_t last = 0; last < 4; last++) {
    const int32_t indices[] = {1, last - 1};
    column columns[] = {values("id", "i", indices, sizeof *indices, 2), doubles("latitude", lat + 2, 2),
                        doubles("longitude", lon + 1, 2)};
    column inner = strings("", values_of_dictionary, 2);
    made_array *kept = columns[0].array.private_data;
    columns[0].schema.dictionary = malloc(sizeof inner.schema);
    *columns[0].schema.dictionary = inner.schema;
    columns[0].array.dictionary = kept->dictionary = malloc(sizeof inner.array);
    *kept->dictionary = inner.array;
    stream = table(columns, 3);
    if (last == 1 || last == 2) {
      OK(vicinity_containing(index, &stream, NULL, NULL, &answer, &error));
      char wanted[200];
      sprintf(wanted, "query,rank,region,boundary_distance,centre_distance\nfirst,1,home,-100.000,0.000\n%s,1,work,-150.000,0.000\n",
              values_of_dictionary[last - 1]);
      check_text(answer, wanted);
    } else {
      FAILS(vicinity_containing(index, &stream, NULL, NULL, &answer, &error), VICINITY_ERROR_DATA, 1, "id",
            last == 0 ? "its index is -1" : "its index is 2");
    }
  }

  /* Of two bad rows the first is told, whichever device it is of. */
  const char *const devices[] = {"a", "b", "b", "a"};
  const double seconds[] = {10, 10, 5, 4}, zeros[4] = {0};
  column columns[] = {strings("device", devices, 4), doubles("time", seconds, 4), doubles("latitude", zeros, 4),
                      doubles("longitude", zeros, 4)};
  stream = table(columns, 4);
  FAILS(vicinity_events(index, &stream, NULL, NULL, &answer, &error), VICINITY_ERROR_DATA, 2, "time", "time runs backwards");
  vicinity_index_release(index);
}

static void test_null_arguments(void) {
  vicinity_index *index = make_index();
  vicinity_table *answer = NULL;
  vicinity_fleet *fleet = NULL;
  struct ArrowArrayStream stream = points();
  CHECK(vicinity_nearest(NULL, &stream, NULL, NULL, &answer, &error) == VICINITY_ERROR_ARGUMENT && stream.release == NULL);
  CHECK(vicinity_nearest(index, NULL, NULL, NULL, &answer, &error) == VICINITY_ERROR_ARGUMENT);
  stream = points();
  CHECK(vicinity_nearest(index, &stream, NULL, NULL, NULL, &error) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_nearest(NULL, NULL, NULL, NULL, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_within(index, NULL, NULL, NULL, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_containing(NULL, NULL, NULL, NULL, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_ask_one(NULL, "nearest", 0, 0, NULL, &answer, &error) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_ask_one(index, "nearest", 0, 0, NULL, NULL, &error) == VICINITY_ERROR_ARGUMENT);
  FAILS(vicinity_ask_one(index, NULL, 0, 0, NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "", "nearest, within");
  FAILS(vicinity_ask_one(index, "within", 0, 0, NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "", "distance is needed");
  FAILS(vicinity_ask_one(index, "nearest", NAN, 0, NULL, &answer, &error), VICINITY_ERROR_DATA, 0, "latitude", "latitude nan");
  FAILS(vicinity_ask_one(index, "nearest", 0, INFINITY, NULL, &answer, &error), VICINITY_ERROR_DATA, 0, "longitude", "inf");
  FAILS(vicinity_ask_one(index, "nearest", 0, 0, "id-column=x", &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "", "unknown");
  OK(vicinity_ask_one(index, "nearest", 48.2082, 16.3738, "count=1", &answer, &error));
  check_text(answer, "query,rank,region,boundary_distance,centre_distance\n1,1,home,-100.000,0.000\n");
  answer = NULL;
  CHECK(vicinity_events(index, NULL, NULL, NULL, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_plan(index, NULL, NULL, NULL, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_compare(index, NULL, NULL, NULL, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_index_from_arrow(NULL, NULL, NULL, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_index_open(NULL, NULL, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_index_write(index, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_index_write(NULL, "x", NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_index_regions(NULL, &answer, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_index_regions(index, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_table_stream(NULL, &stream, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_table_csv(NULL, NULL, NULL, &answer, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_stream_of_array(NULL, NULL, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_fleet_create(NULL, NULL, &fleet, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_fleet_create(index, NULL, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_fleet_restore(index, NULL, NULL, 5, &fleet, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_fleet_advance(NULL, NULL, NULL, NULL, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_fleet_snapshot(NULL, &answer, NULL) == VICINITY_ERROR_ARGUMENT);
  CHECK(vicinity_index_count(NULL) == 0 && vicinity_table_row_count(NULL) == 0 && vicinity_fleet_device_count(NULL) == 0);
  vicinity_index_release(NULL);
  vicinity_table_release(NULL);
  vicinity_fleet_release(NULL);
  vicinity_stream_free(NULL);
  CHECK(answer == NULL && fleet == NULL);
  vicinity_control control = {0};
  stream = points();
  FAILS(vicinity_nearest(index, &stream, NULL, &control, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "", "control.size");
  control.size = sizeof control;
  control.threads = -1;
  stream = points();
  FAILS(vicinity_nearest(index, &stream, NULL, &control, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "", "control.threads");
  const char *const wrong[] = {"count=-1", "count=two", "tier=-1", "tier=finest", "max-distance=nan", "count=1\ncount=2"};
  for (int i = 0; i < 5; i++) {
    stream = points();
    CHECK(vicinity_nearest(index, &stream, wrong[i], NULL, &answer, &error) == VICINITY_ERROR_ARGUMENT);
  }
  stream = points();
  FAILS(vicinity_within(index, &stream, NULL, NULL, &answer, &error), VICINITY_ERROR_ARGUMENT, -1, "", "distance is needed");
  /* A stream that a caller keeps, freed with what is in it. */
  struct ArrowArrayStream *kept = vicinity_stream_allocate();
  column one = strings("id", names, 3);
  OK(vicinity_stream_of_array(&one.schema, &one.array, kept, &error));
  CHECK(one.schema.release == NULL && one.array.release == NULL);
  vicinity_stream_free(kept);
  vicinity_index_release(index);
}

/* A stream of two batches, each of rows of one device after the other: enough for all threads. */
static struct ArrowArrayStream long_tracks(void) {
  enum { count = 4000, devices = 20 };
  static int64_t device[count], time[count];
  static double lat[count], lon[count];
  struct ArrowArrayStream stream = {0};
  for (int batch = 0; batch < 2; batch++) {
    for (int i = 0; i < count; i++) {
      device[i] = i % devices;
      time[i] = 1714550400000 + (batch * count + i) / devices * 1000LL;
      lat[i] = 48.2082 + (i / devices % 40 - 20) * 1e-4;
      lon[i] = 16.3738;
    }
    column columns[] = {longs("device", "l", device, count), longs("time", "tsm:UTC", time, count), doubles("latitude", lat, count),
                        doubles("longitude", lon, count)};
    struct ArrowArrayStream made = table(columns, 4);
    if (batch == 0) stream = made;
    else append_batch(&stream, &made);
  }
  return stream;
}

/* Stops the work at a call; events are counted once more when they are written. */
static int32_t stop(void *context, int64_t done, int64_t total) {
  (void)done, (void)total;
  return --*(int *)context == 0;
}

/* When a function returns, all that it has read is released, by the thread that called it, whether it answers, fails or is stopped:
 * whoever made an array may need a lock for that, and may end next. */
static void test_releases(void) {
  vicinity_index *index = make_index(), *made = NULL;
  vicinity_fleet *fleet = NULL;
  vicinity_table *answer = NULL;
  typedef int32_t (*asked)(const vicinity_index *, struct ArrowArrayStream *, const char *, const vicinity_control *, vicinity_table **,
                           vicinity_error *);
  const struct {
    asked function;
    const char *options;
  } cases[] = {{vicinity_nearest, "count=2"},  {vicinity_within, "distance=1000"}, {vicinity_containing, NULL},
               {vicinity_events, NULL},        {vicinity_events, "sort=yes"},      {vicinity_stays, NULL},
               {vicinity_stays, "sort=yes"},   {vicinity_plan, NULL},              {vicinity_plan, "sort=yes"},
               {vicinity_compare, "policies=monitor-slots\nseeds=1"}};
  int before = alive;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int threads = 1; threads <= 3; threads += 2) {
      for (int stop_at = 0; stop_at <= 2; stop_at++) {
        int left = stop_at;
        vicinity_control control = {sizeof control, threads, stop, &left};
        struct ArrowArrayStream stream = long_tracks();
        int32_t code = cases[i].function(index, &stream, cases[i].options, &control, &answer, &error);
        CHECK(alive == before && foreign_releases == 0 && stream.release == NULL);
        CHECK(code == VICINITY_OK || (stop_at > 0 && code == VICINITY_ERROR_CANCELLED));
        if (code == VICINITY_OK) vicinity_table_release(answer);
        /* An error in the second batch. */
        left = stop_at;
        stream = long_tracks();
        made_stream *held = stream.private_data;
        ((double *)held->arrays[1].children[2]->buffers[1])[7] = 95;
        CHECK(cases[i].function(index, &stream, cases[i].options, &control, &answer, &error) != VICINITY_OK);
        CHECK(alive == before && foreign_releases == 0);
      }
    }
  }
  for (int sorts = 0; sorts < 2; sorts++) {
    OK(vicinity_fleet_create(index, sorts ? "sort=yes" : NULL, &fleet, &error));
    struct ArrowArrayStream stream = long_tracks();
    OK(vicinity_fleet_advance(fleet, &stream, NULL, &answer, &error));
    CHECK(alive == before && foreign_releases == 0);
    vicinity_table_release(answer);
    vicinity_fleet_release(fleet);
  }
  for (int i = 0; i < 20; i++) {
    struct ArrowArrayStream stream = regions();
    OK(vicinity_index_from_arrow(&stream, NULL, NULL, &made, &error));
    CHECK(alive == before && foreign_releases == 0);
    vicinity_index_release(made);
  }
  vicinity_index_release(index);
}

/* Counts calls, and stops the work at one of them. */
typedef struct {
  int calls, stop_at;
  int64_t last;
} watcher;

static int32_t watch(void *context, int64_t done, int64_t total) {
  watcher *seen = context;
  if (done < seen->last || total < -1) return 2;
  seen->last = done;
  return ++seen->calls == seen->stop_at;
}

static void test_progress_and_threads(void) {
  enum { count = 300000 };
  vicinity_index *index = make_index();
  double *lat = malloc(count * sizeof *lat), *lon = malloc(count * sizeof *lon);
  for (int i = 0; i < count; i++) {
    lat[i] = 48 + ((int64_t)i * 7919 % 10007) * 4e-5;
    lon[i] = 16.2 + ((int64_t)i * 104729 % 20011) * 2e-5;
  }
  char *text[3];
  for (int threads = 1; threads <= 3; threads++) {
    watcher seen = {0};
    vicinity_control control = {sizeof control, threads, watch, &seen};
    column columns[] = {doubles("latitude", lat, count), doubles("longitude", lon, count)};
    struct ArrowArrayStream stream = table(columns, 2);
    vicinity_table *answer = NULL;
    OK(vicinity_nearest(index, &stream, "count=3", &control, &answer, &error));
    CHECK(vicinity_table_row_count(answer) == 3 * count && seen.calls >= 4);
    text[threads - 1] = text_of(answer);
    CHECK(strstr(text[threads - 1], "\n300000,3,") != NULL);
    vicinity_table_release(answer);
  }
  CHECK(strcmp(text[0], text[1]) == 0 && strcmp(text[0], text[2]) == 0);
  for (int i = 0; i < 3; i++) free(text[i]);
  watcher seen = {.stop_at = 2};
  vicinity_control control = {sizeof control, 0, watch, &seen};
  column columns[] = {doubles("latitude", lat, count), doubles("longitude", lon, count)};
  struct ArrowArrayStream stream = table(columns, 2);
  vicinity_table *answer = NULL;
  FAILS(vicinity_nearest(index, &stream, "count=3", &control, &answer, &error), VICINITY_ERROR_CANCELLED, -1, "", "stopped");
  CHECK(seen.calls == 2 && answer == NULL);
  free(lat);
  free(lon);
  vicinity_index_release(index);
}

/* ---- Hostile producers: any field of any struct. ---- */

static uint64_t state = 1;

static uint64_t roll(uint64_t limit) {
  state += 0x9e3779b97f4a7c15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) % limit;
}

static int64_t odd_number(void) {
  const int64_t numbers[] = {-1, -2, INT64_MIN, INT64_MAX, (int64_t)1 << 46, ((int64_t)1 << 46) + 1, INT32_MAX, 0, 1, 2};
  return numbers[roll(10)];
}

static const char *odd_format(void) {
  const char *const formats[] = {"g", "f", "l", "L", "i", "c", "C", "s", "S", "u", "z", "U", "Z", "vu", "vz", "tsm:UTC", "tsn:",
                                 "tss:Z", "+s", "+l", "d:10,2", "", "n", "b", "e", "tdD", "w:3", "?", "ts", "+ud:0,1", "d:38,0", "d:9,1,32",
                                 "d:18,0,64"};
  return formats[roll(33)];
}

/* Lengths that an honest buffer could not have are wrong at once; within these the buffers are as long as the widest type. */
static column odd_column(const char *name, int64_t rows) {
  column made = {make_schema(roll(20) ? "g" : odd_format(), name, 0), make_array(rows, roll(50) ? 2 : 3, 0)};
  if (made.array.n_buffers == 2 && strchr("uzUZv", made.schema.format[0])) {
    made.schema.release(&made.schema);
    made.array.release(&made.array);
    made.schema = make_schema(roll(2) ? "u" : roll(2) ? "U" : "vu", name, 0);
    made.array = make_array(rows, strcmp(made.schema.format, "vu") == 0 ? 4 : 3, 0);
  }
  uint8_t bytes[16 * 40];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)roll(256);
  char first = made.schema.format[0];
  if (first == 'u' || first == 'z') {
    int32_t offset = 0;
    for (int i = 0; i < 40; i++) {
      memcpy(bytes + 4 * i, &offset, 4);
      offset += roll(90) ? (int32_t)roll(5) : -(int32_t)roll(9);
    }
  } else if (first == 'U' || first == 'Z') {
    int64_t offset = 0;
    for (int i = 0; i < 40; i++) {
      memcpy(bytes + 8 * i, &offset, 8);
      offset += roll(90) ? (int64_t)roll(5) : -(int64_t)roll(9);
    }
  } else if (first == 'v') {
    for (int i = 0; i < 40; i++) {
      int32_t view[4] = {(int32_t)roll(30) - 2, (int32_t)roll(256), (int32_t)roll(3) - 1, (int32_t)roll(300) - 20};
      memcpy(bytes + 16 * i, view, 16);
    }
  } else if (first == 'g') {
    double numbers[40];
    for (int i = 0; i < 40; i++) numbers[i] = roll(600) ? (double)roll(89) + i * 1e-3 : roll(2) ? NAN : 1e300;
    memcpy(bytes, numbers, sizeof numbers);
  }
  uint8_t bits[8], characters[400];
  for (int i = 0; i < 8; i++) bits[i] = roll(6) ? 0xff : (uint8_t)roll(256);
  memset(characters, 'a', sizeof characters);
  if (!roll(30)) characters[roll(400)] = 0xff;
  set_buffer(&made.array, 0, bits, sizeof bits);
  set_buffer(&made.array, 1, bytes, sizeof bytes);
  if (made.array.n_buffers > 2) set_buffer(&made.array, 2, characters, sizeof characters);
  if (made.array.n_buffers > 3) {
    int64_t size = (int64_t)sizeof characters;
    set_buffer(&made.array, 3, &size, sizeof size);
  }
  if (roll(12)) made.array.buffers[0] = NULL;
  made.array.null_count = roll(40) ? (made.array.buffers[0] ? -1 : 0) : odd_number();
  if (!roll(8)) made.array.offset = (int64_t)roll(4);
  switch (roll(120)) {
    case 0: made.array.length = odd_number(); break;
    case 1: made.array.offset = -1 - (int64_t)roll(9); break;
    case 2: made.array.n_buffers = roll(4) ? 1 : 0; break;
    case 3: made.array.buffers[1] = NULL; break;
    case 4: free((void *)made.schema.format); made.schema.format = NULL; break;
    case 5: free((void *)made.schema.name); made.schema.name = NULL; break;
    case 6: {
      /* A dictionary of strings, with indices of all kinds. */
      column inner = odd_column("", 30);
      made.schema.dictionary = malloc(sizeof inner.schema);
      *made.schema.dictionary = inner.schema;
      made_array *kept = made.array.private_data;
      kept->dictionary = malloc(sizeof inner.array);
      *kept->dictionary = inner.array;
      if (roll(6)) made.array.dictionary = kept->dictionary;
      break;
    }
    default: break;
  }
  return made;
}

static void test_hostile(int rounds) {
  vicinity_index *index = make_index();
  int taken = 0;
  for (int round = 0; round < rounds; round++) {
    state = (uint64_t)round * 7919 + 12345;
    const char *const all[] = {"id", "latitude", "longitude", "radius", "device", "time", "accuracy", "geometry", "speed"};
    int64_t rows = (int64_t)roll(33);
    int64_t count = 3 + (int64_t)roll(7);
    column columns[10];
    int64_t used = 0;
    for (int64_t i = 0; i < count && i < 9; i++) {
      columns[used] = odd_column(all[i], rows);
      /* Names are mostly names. */
      if ((i == 0 || i == 4) && strcmp(all[i], "geometry") != 0 && columns[used].schema.format &&
          strcmp(columns[used].schema.format, "g") == 0 && roll(8)) {
        int64_t numbers[40];
        for (int k = 0; k < 40; k++) numbers[k] = i == 0 ? k : (int64_t)roll(3);
        columns[used].schema.release(&columns[used].schema);
        columns[used].array.release(&columns[used].array);
        columns[used] = longs(all[i], "l", numbers, 40);
        columns[used].array.length = rows;
      }
      used++;
    }
    struct ArrowArrayStream stream = table(columns, used);
    struct ArrowArray *root = &((made_stream *)stream.private_data)->arrays[0];
    root->null_count = roll(20) ? 0 : odd_number();
    int64_t odd = odd_number();
    /* Within the buffers, or nothing that can be believed. */
    if (!roll(20) && (odd <= rows || odd > 64)) root->length = odd;
    if (!roll(20)) root->n_children = odd_number() % 100 < used ? odd_number() % 100 : used;
    if (!roll(30)) root->n_buffers = (int64_t)roll(2);
    vicinity_table *answer = NULL;
    vicinity_index *made = NULL;
    int32_t code;
    switch (roll(5)) {
      case 0: code = vicinity_index_from_arrow(&stream, "radius=5", NULL, &made, &error); break;
      case 1: code = vicinity_nearest(index, &stream, "count=2", NULL, &answer, &error); break;
      case 2: code = vicinity_plan(index, &stream, "sort=yes", NULL, &answer, &error); break;
      case 3: code = vicinity_events(index, &stream, roll(2) ? "sort=yes\nnaive-times=utc" : NULL, NULL, &answer, &error); break;
      default: code = vicinity_events(index, &stream, "device=one\ndwell=10", NULL, &answer, &error); break;
    }
    CHECK(stream.release == NULL);
    CHECK((code == VICINITY_OK) == (answer != NULL || made != NULL));
    CHECK(code == VICINITY_OK || (code == error.code && error.message[0] != 0 && strlen(error.message) < 1024));
    taken += code == VICINITY_OK;
    vicinity_table_release(answer);
    vicinity_index_release(made);
  }
  printf("%d of %d hostile streams taken, the others refused\n", taken, rounds);
  CHECK(taken > rounds / 100 && taken < rounds);
  vicinity_index_release(index);
}

int main(int count, char **arguments) {
  caller = pthread_self();
  test_versions();
  test_queries();
  test_identifiers_and_counts();
  test_files();
  test_events();
  test_plan_and_compare();
  test_geometries();
  test_repair();
  test_notes();
  test_scattered_points();
  test_skipped_rows();
  test_bad_columns();
  test_layouts();
  test_null_arguments();
  test_releases();
  test_progress_and_threads();
  test_hostile(count > 1 ? atoi(arguments[1]) : 3000);
  CHECK(alive == 0 && foreign_releases == 0);
  printf("%d checks passed\n", checks);
  return 0;
}
