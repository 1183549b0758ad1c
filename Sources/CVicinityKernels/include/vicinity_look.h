// Included once for each width: a look at the sixteen chords of a group (ChordGaps).
//
// VK_LOOK_NAME is the function's name, VK_LOOK_GAPS and VK_LOOK_BELOW are vk_edge_gaps and vk_below16 of the width. As in
// vicinity_feet.h results are the same by all widths.

static inline void VK_LOOK_NAME(const void *group, double qx, double qy, double qz, vk_look *look) {
#pragma clang fp contract(off)
  float x = (float)(qx - vk_group_float(group, VK_GROUP_CENTER));
  float y = (float)(qy - vk_group_float(group, VK_GROUP_CENTER + 4));
  float z = (float)(qz - vk_group_float(group, VK_GROUP_CENTER + 8));
  float reach = __builtin_fabsf(x) + __builtin_fabsf(y) + __builtin_fabsf(z)
      + 2 * vk_group_float(group, VK_GROUP_SIZE);
  // How far chords as computed may be from those to the surface arcs.
  float slack = vk_group_float(group, VK_GROUP_SLACK) + 0x1p-19f * reach;
  // A power of two, so nothing is rounded.
  float step = vk_group_float(group, VK_GROUP_STEP), steps = 1 / step;
  // A point is 0.867 steps from where it is taken to be, at most. So a product of a chord, no longer than the reach, and of
  // a way to its ends, no longer either, is off by 2.6 times the reach and 1.5, in steps; and by a tenth of the reach for
  // rounding.
  float margin = 3 * (steps * reach) + 4;
  float squared[16];
  float least = step * vk_root(VK_LOOK_GAPS(group, steps * x, steps * y, steps * z, margin, squared, &look->ends));
  look->lower = least - slack;
  double upper = least + slack, limit = look->limit;
  if (upper < VK_COMPARABLE_CHORD) {
    double u2 = upper * upper, longest = upper * (1 + u2 * (2.2e-17 + u2 * 1.4e-31)) + 1e-4;
    limit = longest < limit ? longest : limit;
  }
  look->limit = limit;
  // Rounded up: the next number, as limits are positive and not infinite.
  float rounded = (float)limit;
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  bits++;
  memcpy(&rounded, &bits, sizeof bits);
  float reachable = steps * ((rounded + slack) * (1 + 0x1p-21f));
  look->lanes = VK_LOOK_BELOW(squared, reachable * reachable);
}

#undef VK_LOOK_NAME
#undef VK_LOOK_GAPS
#undef VK_LOOK_BELOW
