// The kernels of crossing detection by wide vectors, where the machine has them: following a device by a shortlist, and where
// its ways cross circles.

#include "include/vicinity_meeting_kernels.h"
#include "include/vicinity_shortlist_kernels.h"

static inline vk_f4 distances4(const vk_shortlist *list, int i, float x, float y) {
  return vk_plane_distances(
      list->centerX + i, list->centerY + i, list->radius + i, vk_splat(x), vk_splat(y));
}
static inline uint32_t touched4(vk_f4 d1, vk_f4 d2, float limit, float slack) {
  return vk_touched(d1, d2, vk_splat(limit), vk_splat(-slack));
}
// The places of four fixes; returns the bits of those that are on the plane, valid, in order and before the due time.
static inline uint32_t vk_places4(
    const vk_plane *plane, const vk_fix *const four[4], int64_t time, int64_t due, vk_f4 *x, vk_f4 *y) {
  float px[4] = {0, 0, 0, 0}, py[4] = {0, 0, 0, 0};
  uint32_t valid = 0;
  for (int k = 0; k < 4; k++) {
    int isPlaced = vk_plane_place(plane, four[k]->latitude, four[k]->longitude, px + k, py + k);
    valid |= (uint32_t)(isPlaced & (four[k]->accuracy >= 0) & (four[k]->time > time) & (four[k]->time < due)) << k;
    time = four[k]->time;
  }
  *x = vk_load(px);
  *y = vk_load(py);
  return valid;
}
#define VK_FOLLOW(name) name##4
#define VK_LANES 4
#define VK_VECTOR vk_f4
#define VK_LANES_DISTANCES distances4
#define VK_LANES_TOUCHED touched4
#include "include/vicinity_follow.h"

typedef int64_t vk_m2 __attribute__((vector_size(16)));
#define VK_MEETING_LANES 2
#define VK_MEETING(name) name##2
#include "include/vicinity_meeting.h"

#if defined(__x86_64__) && !defined(VICINITY_PORTABLE_KERNELS)
#define VK_HAS_WIDER 1
#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

static inline __m256 distances8(const vk_shortlist *list, int i, float x, float y) {
  __m256 dx = _mm256_sub_ps(_mm256_set1_ps(x), _mm256_loadu_ps(list->centerX + i));
  __m256 dy = _mm256_sub_ps(_mm256_set1_ps(y), _mm256_loadu_ps(list->centerY + i));
  __m256 d2 = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
  return _mm256_sub_ps(_mm256_sqrt_ps(d2), _mm256_loadu_ps(list->radius + i));
}
static inline uint32_t touched8(__m256 d1, __m256 d2, float limit, float slack) {
  __m256 mayMeet = _mm256_cmp_ps(_mm256_add_ps(d1, d2), _mm256_set1_ps(limit), _CMP_LT_OS);
  __m256 isOutside = _mm256_cmp_ps(_mm256_set1_ps(-slack), _mm256_max_ps(d1, d2), _CMP_LT_OS);
  return (uint32_t)_mm256_movemask_ps(_mm256_and_ps(mayMeet, isOutside));
}
static inline __m256d vk_rows4(const double *a, const double *b, const double *c, const double *d) {
  return _mm256_setr_pd(*a, *b, *c, *d);
}
static inline uint32_t vk_places8(
    const vk_plane *plane, const vk_fix *const four[4], int64_t time, int64_t due, vk_f4 *x, vk_f4 *y) {
#pragma clang fp contract(off)
  __m256d ab = _mm256_insertf128_pd(
      _mm256_castpd128_pd256(_mm_loadu_pd(&four[0]->latitude)), _mm_loadu_pd(&four[2]->latitude), 1);
  __m256d cd = _mm256_insertf128_pd(
      _mm256_castpd128_pd256(_mm_loadu_pd(&four[1]->latitude)), _mm_loadu_pd(&four[3]->latitude), 1);
  __m256d u = _mm256_sub_pd(_mm256_unpacklo_pd(ab, cd), _mm256_set1_pd(plane->latitude));
  __m256d v = _mm256_sub_pd(_mm256_unpackhi_pd(ab, cd), _mm256_set1_pd(plane->longitude));
  __m256d sign = _mm256_set1_pd(-0.0);
  __m256d isOn = _mm256_and_pd(
      _mm256_cmp_pd(_mm256_andnot_pd(sign, u), _mm256_set1_pd(plane->latitudeReach), _CMP_LE_OS),
      _mm256_cmp_pd(_mm256_andnot_pd(sign, v), _mm256_set1_pd(plane->longitudeReach), _CMP_LE_OS));
  __m256d accuracy = vk_rows4(&four[0]->accuracy, &four[1]->accuracy, &four[2]->accuracy, &four[3]->accuracy);
  isOn = _mm256_and_pd(isOn, _mm256_cmp_pd(accuracy, _mm256_setzero_pd(), _CMP_GE_OS));
  __m256i times = _mm256_setr_epi64x(four[0]->time, four[1]->time, four[2]->time, four[3]->time);
  __m256i before = _mm256_setr_epi64x(time, four[0]->time, four[1]->time, four[2]->time);
  __m256i inOrder = _mm256_and_si256(
      _mm256_cmpgt_epi64(times, before), _mm256_cmpgt_epi64(_mm256_set1_epi64x(due), times));
  __m256d px = _mm256_mul_pd(
      v, _mm256_add_pd(_mm256_set1_pd(plane->east), _mm256_mul_pd(_mm256_set1_pd(plane->eastNorth), u)));
  __m256d py = _mm256_add_pd(
      _mm256_mul_pd(
          u, _mm256_add_pd(_mm256_set1_pd(plane->north), _mm256_mul_pd(_mm256_set1_pd(plane->northNorth), u))),
      _mm256_mul_pd(_mm256_set1_pd(plane->northEast), _mm256_mul_pd(v, v)));
  *x = _mm256_cvtpd_ps(px);
  *y = _mm256_cvtpd_ps(py);
  return (uint32_t)_mm256_movemask_pd(_mm256_and_pd(isOn, _mm256_castsi256_pd(inOrder)));
}
#define VK_FOLLOW(name) name##8
#define VK_LANES 8
#define VK_VECTOR __m256
#define VK_LANES_DISTANCES distances8
#define VK_LANES_TOUCHED touched8
#include "include/vicinity_follow.h"

typedef double vk_d4 __attribute__((vector_size(32)));
typedef int64_t vk_m4 __attribute__((vector_size(32)));
static inline vk_d4 vk_sqrt4(vk_d4 a) { return (vk_d4)_mm256_sqrt_pd((__m256d)a); }
#define VK_MEETING_LANES 4
#define VK_MEETING(name) name##4
#include "include/vicinity_meeting.h"

#pragma clang attribute pop

static int64_t (*widest_follow)(const vk_shortlist *, const vk_fix *, int64_t, vk_course *) = vk_follow4;
static uint32_t (*widest_settle)(const vk_ellipsoid *, vk_meetings *, int) = vk_settle_all2;

// Before anything else runs, so that no thread sees it change.
__attribute__((constructor)) static void find_widest(void) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2")) return;
  widest_follow = vk_follow8;
  widest_settle = vk_settle_all4;
}
#else
#define widest_follow vk_follow4
#define widest_settle vk_settle_all2
#endif

int64_t vk_follow(const vk_shortlist *list, const vk_fix *fixes, int64_t count, vk_course *course) {
  return widest_follow(list, fixes, count, course);
}

int64_t vk_follow_by(int width, const vk_shortlist *list, const vk_fix *fixes, int64_t count, vk_course *course) {
#ifdef VK_HAS_WIDER
  if (width > 0) return vk_follow8(list, fixes, count, course);
#endif
  return vk_follow4(list, fixes, count, course);
}

uint32_t vk_settle(const vk_ellipsoid *k, vk_meetings *meetings, int count) { return widest_settle(k, meetings, count); }

uint32_t vk_settle_by(int width, const vk_ellipsoid *k, vk_meetings *meetings, int count) {
#ifdef VK_HAS_WIDER
  if (width > 0) return vk_settle_all4(k, meetings, count);
#endif
  return vk_settle_all2(k, meetings, count);
}
