// Kernels of the search within one polygon: sixteen boxes at once, and sixteen edges at once.
//
// Layouts are those of PolygonLayout.swift. Distances in metres.

#ifndef VICINITY_POLYGON_KERNELS_H
#define VICINITY_POLYGON_KERNELS_H

#include "vicinity_kernels.h"

// A position as the boxes of one polygon see it. Their corners are counted in 65535ths of the polygon's own box.
typedef struct {
  // How far outside that box the position lies on each axis.
  float out_x, out_y, out_z;
  // One 65535th of the box.
  float step_x, step_y, step_z;
  // Where in the box the position lies, or the face next to it: the count below and the count above.
  uint16_t below_x, below_y, below_z, above_x, above_y, above_z;
} vk_frame;

static inline void vk_frame_axis(
    float p, float low, float high, float *out, float *step, uint16_t *below, uint16_t *above) {
  float s = (high - low) * (1.0f / 65535), count = (p - low) / s;
  // A NaN compares as false and becomes 0.
  count = count > 0 ? count : 0;
  count = count < 65535 ? count : 65535;
  float under = low - p, over = p - high, farther = under > over ? under : over;
  *out = farther > 0 ? farther : 0;
  *step = s;
  *below = (uint16_t)count;
  *above = (uint16_t)(count < 65534 ? count + 1 : 65535);
}

// `box`: low x, y, z, high x, y, z; p relative to the same origin.
static inline void vk_frame_of(const void *box, float px, float py, float pz, vk_frame *frame) {
  float b[6];
  memcpy(b, box, sizeof b);
  vk_frame_axis(px, b[0], b[3], &frame->out_x, &frame->step_x, &frame->below_x, &frame->above_x);
  vk_frame_axis(py, b[1], b[4], &frame->out_y, &frame->step_y, &frame->below_y, &frame->above_y);
  vk_frame_axis(pz, b[2], b[5], &frame->out_z, &frame->step_z, &frame->below_z, &frame->above_z);
}

#if defined(__SSE2__) && !defined(VICINITY_PORTABLE_KERNELS)
static inline vk_f4 vk_div(vk_f4 a, vk_f4 b) { return _mm_div_ps(a, b); }
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(VICINITY_PORTABLE_KERNELS)
static inline vk_f4 vk_div(vk_f4 a, vk_f4 b) { return vdivq_f32(a, b); }
#else
static inline vk_f4 vk_div(vk_f4 a, vk_f4 b) { for (int i = 0; i < 4; i++) a.lane[i] /= b.lane[i]; return a; }
#endif

// For sixteen intervals, how many counts the position lies below the lower or above the upper end. The intervals are
// not empty, so at most one of the two differences is not zero.
static inline void vk_interval_gaps(
    const uint16_t *low, const uint16_t *high, uint16_t below, uint16_t above, vk_f4 *out) {
#if defined(__SSE2__) && !defined(VICINITY_PORTABLE_KERNELS)
  __m128i b = _mm_set1_epi16((short)below), a = _mm_set1_epi16((short)above), zero = _mm_setzero_si128();
  for (int i = 0; i < 2; i++) {
    __m128i under = _mm_subs_epu16(_mm_loadu_si128((const __m128i *)low + i), a);
    __m128i over = _mm_subs_epu16(b, _mm_loadu_si128((const __m128i *)high + i));
    __m128i gap = _mm_or_si128(under, over);
    out[2 * i] = _mm_cvtepi32_ps(_mm_unpacklo_epi16(gap, zero));
    out[2 * i + 1] = _mm_cvtepi32_ps(_mm_unpackhi_epi16(gap, zero));
  }
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(VICINITY_PORTABLE_KERNELS)
  uint16x8_t b = vdupq_n_u16(below), a = vdupq_n_u16(above);
  for (int i = 0; i < 2; i++) {
    uint16x8_t gap = vorrq_u16(vqsubq_u16(vld1q_u16(low + 8 * i), a), vqsubq_u16(b, vld1q_u16(high + 8 * i)));
    out[2 * i] = vcvtq_f32_u32(vmovl_u16(vget_low_u16(gap)));
    out[2 * i + 1] = vcvtq_f32_u32(vmovl_u16(vget_high_u16(gap)));
  }
#else
  for (int i = 0; i < 16; i++) {
    uint16_t under = low[i] > above ? low[i] - above : 0, over = below > high[i] ? below - high[i] : 0;
    out[i / 4].lane[i % 4] = (float)(uint16_t)(under | over);
  }
#endif
}

// Squared distances from a position to the first `count` boxes of a node, each with its lane number in its four low
// mantissa bits; at most 1e37, which stands in the other lanes too. Returns the smallest.
static inline float vk_box_gaps(const void *node, const vk_frame *frame, int count, float *out) {
  const uint16_t *p = (const uint16_t *)node;
  vk_f4 x[4], y[4], z[4];
  vk_interval_gaps(p, p + 48, frame->below_x, frame->above_x, x);
  vk_interval_gaps(p + 16, p + 64, frame->below_y, frame->above_y, y);
  vk_interval_gaps(p + 32, p + 80, frame->below_z, frame->above_z, z);
  vk_f4 sx = vk_splat(frame->step_x), sy = vk_splat(frame->step_y), sz = vk_splat(frame->step_z);
  vk_f4 ox = vk_splat(frame->out_x), oy = vk_splat(frame->out_y), oz = vk_splat(frame->out_z);
  vk_f4 far = vk_splat(1e37f), smallest = far, present = vk_splat((float)count);
  const float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (int i = 0; i < 4; i++) {
    vk_f4 dx = vk_add(vk_mul(x[i], sx), ox), dy = vk_add(vk_mul(y[i], sy), oy), dz = vk_add(vk_mul(z[i], sz), oz);
    vk_f4 sum = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    sum = vk_where_less(vk_load(numbers + 4 * i), present, vk_min(sum, far), far);
    sum = vk_tag(sum, 4 * i);
    vk_store(out + 4 * i, sum);
    smallest = vk_min(smallest, sum);
  }
  return vk_smallest4(smallest);
}

// For the sixteen chords between a group's seventeen points: the squared distance from q to the nearest point of each;
// 1e37 where there is no edge, because the first point ends a chain. Sets bit i of *ends where the nearest point of
// chord i is its start, and bit 16 + i where it is its end. Returns the smallest.
static inline float vk_edge_gaps(const void *group, float qx, float qy, float qz, float *out, uint32_t *ends) {
  const float *p = (const float *)group;
  vk_f4 x = vk_splat(qx), y = vk_splat(qy), z = vk_splat(qz);
  vk_f4 zero = vk_splat(0), one = vk_splat(1), above_zero = vk_splat(1e-30f), below_one = vk_splat(0.99999994f);
  vk_f4 smallest = vk_splat(1e37f);
  uint32_t starts = 0, stops = 0;
  for (int i = 0; i < 16; i += 4) {
    vk_f4 x1 = vk_load(p + i), ex = vk_sub(vk_load(p + i + 1), x1), wx = vk_sub(x, x1);
    vk_f4 y1 = vk_load(p + 20 + i), ey = vk_sub(vk_load(p + 21 + i), y1), wy = vk_sub(y, y1);
    vk_f4 z1 = vk_load(p + 40 + i), ez = vk_sub(vk_load(p + 41 + i), z1), wz = vk_sub(z, z1);
    vk_f4 ee = vk_add(vk_add(vk_mul(ex, ex), vk_mul(ey, ey)), vk_mul(ez, ez));
    vk_f4 we = vk_add(vk_add(vk_mul(wx, ex), vk_mul(wy, ey)), vk_mul(wz, ez));
    // Edges of no length divide 0 by 0: a NaN becomes the second operand.
    vk_f4 t = vk_min(vk_max(vk_div(we, ee), zero), one);
    starts |= vk_less(t, above_zero) << i;
    stops |= vk_less(below_one, t) << i;
    vk_f4 dx = vk_sub(wx, vk_mul(t, ex)), dy = vk_sub(wy, vk_mul(t, ey)), dz = vk_sub(wz, vk_mul(t, ez));
    vk_f4 sum = vk_add(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)), vk_mul(dz, dz));
    vk_store(out + i, sum);
    smallest = vk_min(smallest, sum);
  }
  *ends = starts | stops << 16;
  uint64_t marks[2];
  memcpy(marks, p + 60, sizeof marks);
  // The lowest bits of eight bytes, gathered in one.
  uint32_t absent = (uint32_t)((marks[0] & 0x0101010101010101u) * 0x0102040810204080u >> 56)
      | (uint32_t)((marks[1] & 0x0101010101010101u) * 0x0102040810204080u >> 56) << 8;
  if (absent == 0) return vk_smallest4(smallest);
  for (; absent != 0; absent &= absent - 1) out[__builtin_ctz(absent)] = 1e37f;
  return vk_smallest16(out);
}
#endif
