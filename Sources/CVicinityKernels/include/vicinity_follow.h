// Included once for each width: a device that is followed along its fixes by a shortlist.
//
// VK_FOLLOW(name) is the name for the width, VK_LANES how many circles a vector holds, and VK_LANES_... are its functions.
// As in vicinity_look.h results are the same by all widths.

// Takes fixes for as long as the list tells which boundaries may be met before them. Returns how many; the course tells where
// that left the device, and which circles may have been met.
//
// Four fixes at a time are placed; those outside the disc without boundaries, if there is one, are compared with the circles.
static inline __attribute__((always_inline)) int64_t VK_FOLLOW(vk_take)(
    const vk_shortlist *list, const int vectors, const vk_fix *fixes, int64_t count, vk_course *course) {
#pragma clang fp contract(off)
  VK_VECTOR last[VK_SHORTLIST_ROOM / VK_LANES];
  const float slack = list->slack, reach = list->reach;
  const vk_f4 reach2 = vk_splat(list->reach2), longest = vk_splat(list->longestWay);
  const vk_f4 listX = vk_splat(list->x), listY = vk_splat(list->y);
  int64_t time = course->time, i = 0;
  float startX = 0, startY = 0;
  course->touchCount = 0;
  if (!vk_plane_place(&list->plane, course->latitude, course->longitude, &startX, &startY)) return 0;
  if (!(vk_shortlist_offset2(list, startX, startY) < list->reach2)) return 0;
  // The places before and of the four; and of each its way's length, and how far it is from the list's middle.
  vk_f4 lastX = vk_splat(startX), lastY = vk_splat(startY);
  float x[4], y[4], lengths[4], offsets2[4];
  for (int k = 0; k < vectors; k++) last[k] = VK_LANES_DISTANCES(list, VK_LANES * k, startX, startY);
  // The disc without boundaries that the device is in; distances at its last place are not known then.
  float middleX = 0, middleY = 0, clear2 = -1;
  int isStale = 0;
  while (i < count) {
    const vk_fix *four[4];
    vk_f4 nextX, nextY;
    // What is beyond the end is no later than the last.
    for (int64_t k = 0; k < 4; k++) four[k] = fixes + (i + k < count ? i + k : count - 1);
    vk_ask_for(four[0]);
    vk_ask_for(four[2]);
    vk_ask_for(four[3]);
    uint32_t valid = VK_FOLLOW(vk_places)(&list->plane, four, time, course->due, &nextX, &nextY);
    vk_f4 beforeX = vk_shifted(lastX, nextX), beforeY = vk_shifted(lastY, nextY);
    vk_f4 dx = vk_sub(nextX, beforeX), dy = vk_sub(nextY, beforeY);
    vk_f4 length = vk_sqrt(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)));
    vk_f4 ox = vk_sub(nextX, listX), oy = vk_sub(nextY, listY);
    vk_f4 offset2 = vk_add(vk_mul(ox, ox), vk_mul(oy, oy));
    valid &= vk_less(offset2, reach2) & vk_less(length, longest);
    int n = __builtin_ctz(~valid);
    vk_f4 mx = vk_sub(nextX, vk_splat(middleX)), my = vk_sub(nextY, vk_splat(middleY));
    uint32_t inside = vk_less(vk_add(vk_mul(mx, mx), vk_mul(my, my)), vk_splat(clear2));
    if ((inside & valid) == 15) {
      isStale = 1;
    } else {
      vk_store(x, nextX);
      vk_store(y, nextY);
      vk_store(lengths, length);
      vk_store(offsets2, offset2);
      for (int k = 0; k < n; k++) {
        if (inside >> k & 1) {
          isStale = 1;
          continue;
        }
        float fromX = k > 0 ? x[k - 1] : startX, fromY = k > 0 ? y[k - 1] : startY;
        if (isStale) {
          for (int j = 0; j < vectors; j++) last[j] = VK_LANES_DISTANCES(list, VK_LANES * j, fromX, fromY);
          isStale = 0;
        }
        inside = 0;
        clear2 = -1;
        uint32_t touched = 0, isNear = 0;
        float limit = lengths[k] + slack, paces = VK_PACES * lengths[k] + slack;
        for (int j = 0; j < vectors; j++) {
          VK_VECTOR next = VK_LANES_DISTANCES(list, VK_LANES * j, x[k], y[k]);
          touched |= VK_LANES_TOUCHED(last[j], next, limit, slack) << (VK_LANES * j);
          isNear |= VK_LANES_WITHIN(next, paces);
          last[j] = next;
        }
        if (touched != 0) {
          touched = vk_shortlist_met(list, touched, fromX, fromY, x[k], y[k]);
          if (touched == 0) continue;
          // Times far apart differ by more than signed integers hold.
          if ((uint64_t)four[k]->time - (uint64_t)(k > 0 ? four[k - 1]->time : time) > (uint64_t)course->gap) {
            n = k;
            break;
          }
          vk_touch *touch = course->touches + course->touchCount++;
          touch->fix = i + k;
          touch->circles = touched;
          if (course->touchCount == course->room) {
            n = k + 1;
            valid = 0;
            break;
          }
        } else if (isNear == 0) {
          float nearest = reach - __builtin_sqrtf(offsets2[k]);
          for (int j = 0; j < vectors; j++) nearest = VK_LANES_NEAREST(last[j], nearest);
          if (nearest <= slack) continue;
          middleX = x[k];
          middleY = y[k];
          clear2 = (nearest - slack) * (nearest - slack);
          mx = vk_sub(nextX, vk_splat(middleX));
          my = vk_sub(nextY, vk_splat(middleY));
          inside = vk_less(vk_add(vk_mul(mx, mx), vk_mul(my, my)), vk_splat(clear2));
        }
      }
    }
    i += n;
    if (n < 4 || valid != 15) break;
    time = four[3]->time;
    lastX = nextX;
    lastY = nextY;
    startX = VK_LAST(nextX);
    startY = VK_LAST(nextY);
  }
  if (i > 0) {
    course->latitude = fixes[i - 1].latitude;
    course->longitude = fixes[i - 1].longitude;
    course->time = fixes[i - 1].time;
  }
  return i;
}

static int64_t VK_FOLLOW(vk_follow)(
    const vk_shortlist *list, const vk_fix *fixes, int64_t count, vk_course *course) {
  int vectors = (list->count + VK_LANES - 1) / VK_LANES;
  // Most often there is one, or with vectors of four there are two.
  if (vectors <= 8 / VK_LANES) return VK_FOLLOW(vk_take)(list, 8 / VK_LANES, fixes, count, course);
  return VK_FOLLOW(vk_take)(list, vectors, fixes, count, course);
}

#undef VK_FOLLOW
#undef VK_LANES
#undef VK_VECTOR
#undef VK_LANES_DISTANCES
#undef VK_LANES_TOUCHED
#undef VK_LANES_WITHIN
#undef VK_LANES_NEAREST
