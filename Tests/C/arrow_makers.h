/* Makes Arrow streams of columns, for the tests of the C interface. Every buffer is allocated at its exact size, so that the address
 * sanitizer sees a read beyond it. */
#ifndef ARROW_MAKERS_H
#define ARROW_MAKERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "vicinity.h"

/* How many arrays, schemas and streams have been made and not yet released. */
static int alive = 0;

/* The thread that calls the library, and how many arrays were released by another: that one may be in the way of a caller whose
 * language has a lock, or is about to end. */
static pthread_t caller;
static int foreign_releases = 0;

static void release_schema(struct ArrowSchema *schema) {
  for (int64_t i = 0; i < schema->n_children; i++) {
    if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
    free(schema->children[i]);
  }
  free(schema->children);
  if (schema->dictionary) {
    if (schema->dictionary->release) schema->dictionary->release(schema->dictionary);
    free(schema->dictionary);
  }
  free((void *)schema->format);
  free((void *)schema->name);
  free((void *)schema->metadata);
  schema->release = NULL;
  alive--;
}

/* What an array was made with, however a test has changed it since. */
typedef struct {
  int64_t buffer_count, child_count;
  void *buffers[4];
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
} made_array;

static void release_array(struct ArrowArray *array) {
  made_array *made = array->private_data;
  for (int64_t i = 0; i < made->child_count; i++) {
    if (made->children[i]->release) made->children[i]->release(made->children[i]);
    free(made->children[i]);
  }
  free(made->children);
  if (made->dictionary) {
    if (made->dictionary->release) made->dictionary->release(made->dictionary);
    free(made->dictionary);
  }
  for (int64_t i = 0; i < made->buffer_count; i++) free(made->buffers[i]);
  free(array->buffers);
  free(made);
  array->release = NULL;
  if (!pthread_equal(pthread_self(), caller)) foreign_releases++;
  alive--;
}

static struct ArrowSchema make_schema(const char *format, const char *name, int64_t children) {
  struct ArrowSchema schema = {0};
  schema.format = strdup(format);
  schema.name = strdup(name);
  schema.n_children = children;
  schema.children = children ? calloc((size_t)children, sizeof *schema.children) : NULL;
  for (int64_t i = 0; i < children; i++) schema.children[i] = calloc(1, sizeof(struct ArrowSchema));
  schema.release = release_schema;
  alive++;
  return schema;
}

static struct ArrowArray make_array(int64_t length, int64_t buffers, int64_t children) {
  struct ArrowArray array = {0};
  made_array *made = calloc(1, sizeof *made);
  made->buffer_count = buffers;
  made->child_count = children;
  made->children = children ? calloc((size_t)children, sizeof *made->children) : NULL;
  for (int64_t i = 0; i < children; i++) made->children[i] = calloc(1, sizeof(struct ArrowArray));
  array.length = length;
  array.n_buffers = buffers;
  array.buffers = calloc(buffers ? (size_t)buffers : 1, sizeof *array.buffers);
  array.n_children = children;
  array.children = made->children;
  array.private_data = made;
  array.release = release_array;
  alive++;
  return array;
}

/* Gives an array a buffer with a copy of some bytes. */
static void set_buffer(struct ArrowArray *array, int number, const void *bytes, size_t count) {
  made_array *made = array->private_data;
  made->buffers[number] = malloc(count ? count : 1);
  if (count) memcpy(made->buffers[number], bytes, count);
  array->buffers[number] = made->buffers[number];
}

/* A column on its way into a table. */
typedef struct {
  struct ArrowSchema schema;
  struct ArrowArray array;
} column;

static column values(const char *name, const char *format, const void *bytes, size_t width, int64_t count) {
  column made = {make_schema(format, name, 0), make_array(count, 2, 0)};
  set_buffer(&made.array, 1, bytes, width * (size_t)count);
  return made;
}

static column doubles(const char *name, const double *numbers, int64_t count) {
  return values(name, "g", numbers, sizeof *numbers, count);
}

static column longs(const char *name, const char *format, const int64_t *numbers, int64_t count) {
  return values(name, format, numbers, sizeof *numbers, count);
}

static column strings(const char *name, const char *const *texts, int64_t count) {
  column made = {make_schema("u", name, 0), make_array(count, 3, 0)};
  int32_t *ends = calloc((size_t)count + 1, sizeof *ends);
  for (int64_t i = 0; i < count; i++) ends[i + 1] = ends[i] + (int32_t)strlen(texts[i]);
  char *bytes = malloc((size_t)ends[count] + 1);
  for (int64_t i = 0; i < count; i++) memcpy(bytes + ends[i], texts[i], strlen(texts[i]));
  set_buffer(&made.array, 1, ends, ((size_t)count + 1) * sizeof *ends);
  set_buffer(&made.array, 2, bytes, (size_t)ends[count]);
  free(bytes);
  free(ends);
  return made;
}

/* Marks one row of a column as null. */
static void set_null(column *made, int64_t row) {
  size_t count = ((size_t)made->array.length + 7) / 8;
  unsigned char *bits = malloc(count);
  memset(bits, 0xff, count);
  bits[row / 8] &= (unsigned char)~(1 << (row % 8));
  set_buffer(&made->array, 0, bits, count);
  free(bits);
  made->array.null_count = 1;
}

/* A stream of one or two batches (the same columns twice), or one that fails. */
typedef struct {
  struct ArrowSchema schema;
  struct ArrowArray arrays[2];
  int count, next;
  const char *failure;
} made_stream;

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  made_stream *made = stream->private_data;
  *out = made->schema;
  made->schema.release = NULL;
  return 0;
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  made_stream *made = stream->private_data;
  memset(out, 0, sizeof *out);
  if (made->failure) return 5;
  if (made->next == made->count) return 0;
  *out = made->arrays[made->next];
  made->arrays[made->next++].release = NULL;
  return 0;
}

static const char *stream_error(struct ArrowArrayStream *stream) { return ((made_stream *)stream->private_data)->failure; }

static void release_stream(struct ArrowArrayStream *stream) {
  made_stream *made = stream->private_data;
  if (made->schema.release) made->schema.release(&made->schema);
  for (int i = 0; i < made->count; i++) {
    if (made->arrays[i].release) made->arrays[i].release(&made->arrays[i]);
  }
  free(made);
  stream->release = NULL;
  alive--;
}

static struct ArrowArrayStream stream_of(struct ArrowSchema schema, struct ArrowArray array) {
  made_stream *made = calloc(1, sizeof *made);
  made->schema = schema;
  made->arrays[0] = array;
  made->count = 1;
  alive++;
  return (struct ArrowArrayStream){stream_schema, stream_next, stream_error, release_stream, made};
}

/* Appends the only batch of another stream, whose schema must be the same. */
static void append_batch(struct ArrowArrayStream *stream, struct ArrowArrayStream *other) {
  made_stream *made = stream->private_data, *from = other->private_data;
  made->arrays[made->count++] = from->arrays[0];
  from->arrays[0].release = NULL;
  other->release(other);
}

/* A stream of one batch of columns. */
static struct ArrowArrayStream table(const column *columns, int64_t count) {
  int64_t rows = count ? columns[0].array.length : 0;
  struct ArrowSchema schema = make_schema("+s", "", count);
  struct ArrowArray array = make_array(rows, 1, count);
  for (int64_t i = 0; i < count; i++) {
    *schema.children[i] = columns[i].schema;
    *array.children[i] = columns[i].array;
  }
  return stream_of(schema, array);
}

#endif
