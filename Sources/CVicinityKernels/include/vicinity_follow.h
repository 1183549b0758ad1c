// Included once for each width: a device that is followed along its fixes by a shortlist.
//
// VK_FOLLOW(name) is the name for the width, VK_LANES how many circles a vector holds, and VK_LANES_... are its functions.
// As in vicinity_look.h results are the same by all widths.

// Takes fixes for as long as the list tells which boundaries may be met before them. Returns how many; the course tells where
// that left the device, and which circles may have been met.
//
// In three steps for so many fixes that the first two need no branch that cannot be foreseen: fixes are placed, then all ways
// compared with all circles, then the few ways gone into on which a boundary may be met.
static inline __attribute__((always_inline)) int64_t VK_FOLLOW(vk_take)(
    const vk_shortlist *list, const int vectors, const vk_fix *fixes, int64_t count, vk_course *course) {
#pragma clang fp contract(off)
  VK_VECTOR last[VK_SHORTLIST_ROOM / VK_LANES];
  const float slack = list->slack;
  const vk_f4 reach2 = vk_splat(list->reach2), longest = vk_splat(list->longestWay);
  const vk_f4 listX = vk_splat(list->x), listY = vk_splat(list->y);
  // Places, beginning with the one before the fixes; and of the ways to them, how long they are with what distances may be
  // off by, and the circles that may be met on them.
  float x[VK_STRIDE + 1], y[VK_STRIDE + 1], limits[VK_STRIDE];
  uint32_t circles[VK_STRIDE];
  int64_t time = course->time, i = 0;
  uint32_t valid = 15;
  course->touchCount = 0;
  if (!vk_plane_place(&list->plane, course->latitude, course->longitude, x, y)) return 0;
  if (!(vk_shortlist_offset2(list, x[0], y[0]) < list->reach2)) return 0;
  for (int j = 0; j < vectors; j++) last[j] = VK_LANES_DISTANCES(list, VK_LANES * j, x[0], y[0]);
  while (i < count && valid == 15) {
    int n = 0;
    vk_f4 lastX = vk_splat(x[0]), lastY = vk_splat(y[0]);
    for (int64_t k = 0; k < VK_STRIDE && i + k < count && valid == 15; k += 4) {
      const vk_fix *four[4];
      vk_f4 nextX, nextY;
      // What is beyond the end is no later than the last.
      for (int64_t m = 0; m < 4; m++) four[m] = fixes + (i + k + m < count ? i + k + m : count - 1);
      vk_ask_for(four[0]);
      vk_ask_for(four[2]);
      vk_ask_for(four[3]);
      valid = VK_FOLLOW(vk_places)(&list->plane, four, time, course->due, &nextX, &nextY);
      vk_f4 dx = vk_sub(nextX, vk_shifted(lastX, nextX)), dy = vk_sub(nextY, vk_shifted(lastY, nextY));
      vk_f4 length = vk_sqrt(vk_add(vk_mul(dx, dx), vk_mul(dy, dy)));
      vk_f4 ox = vk_sub(nextX, listX), oy = vk_sub(nextY, listY);
      vk_f4 offset2 = vk_add(vk_mul(ox, ox), vk_mul(oy, oy));
      valid &= vk_less(offset2, reach2) & vk_less(length, longest);
      vk_store(x + 1 + k, nextX);
      vk_store(y + 1 + k, nextY);
      vk_store(limits + k, vk_add(length, vk_splat(slack)));
      lastX = nextX;
      lastY = nextY;
      time = four[3]->time;
      n += __builtin_ctz(~valid);
    }
    uint32_t ways = 0;
    for (int k = 0; k < n; k++) {
      uint32_t touched = 0;
      for (int j = 0; j < vectors; j++) {
        VK_VECTOR next = VK_LANES_DISTANCES(list, VK_LANES * j, x[k + 1], y[k + 1]);
        touched |= VK_LANES_TOUCHED(last[j], next, limits[k], slack) << (VK_LANES * j);
        last[j] = next;
      }
      circles[k] = touched;
      ways |= (uint32_t)(touched != 0) << k;
    }
    for (; ways != 0; ways &= ways - 1) {
      int k = __builtin_ctz(ways);
      uint32_t met = vk_shortlist_met(list, circles[k], x[k], y[k], x[k + 1], y[k + 1], limits[k]);
      if (met == 0) continue;
      // Times far apart differ by more than signed integers hold.
      uint64_t start = (uint64_t)(i + k > 0 ? fixes[i + k - 1].time : course->time);
      int isGap = (uint64_t)fixes[i + k].time - start > (uint64_t)course->gap;
      if (!isGap) {
        vk_touch *touch = course->touches + course->touchCount++;
        touch->fix = i + k;
        touch->circles = met;
      }
      if (isGap || course->touchCount == course->room) {
        n = isGap ? k : k + 1;
        valid = 0;
        break;
      }
    }
    i += n;
    x[0] = x[n];
    y[0] = y[n];
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
