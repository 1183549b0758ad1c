// Included once for each width: a look at the sixteen chords of a group (ChordGaps).
//
// VK_LOOK(name) is the name for the width, VK_LOOK_GAPS and VK_LOOK_BELOW are vk_edge_gaps and vk_below16 of the width. As in
// vicinity_feet.h results are the same by all widths.

// The chords themselves.
static inline void VK_LOOK(vk_glance_at)(const void *group, double qx, double qy, double qz, vk_glance *glance) {
#pragma clang fp contract(off)
  float x = (float)(qx - vk_group_float(group, VK_GROUP_CENTER));
  float y = (float)(qy - vk_group_float(group, VK_GROUP_CENTER + 4));
  float z = (float)(qz - vk_group_float(group, VK_GROUP_CENTER + 8));
  float reach = __builtin_fabsf(x) + __builtin_fabsf(y) + __builtin_fabsf(z)
      + 2 * vk_group_float(group, VK_GROUP_SIZE);
  // How far chords as computed may be from those to the surface arcs.
  glance->slack = vk_group_float(group, VK_GROUP_SLACK) + 0x1p-19f * reach;
  // A power of two, so nothing is rounded.
  float step = vk_group_float(group, VK_GROUP_STEP), steps = 1 / step;
  // A point is 0.867 steps from where it is taken to be, at most. So a product of a chord, no longer than the reach, and of
  // a way to its ends, no longer either, is off by 2.6 times the reach and 1.5, in steps; and by a tenth of the reach for
  // rounding.
  float margin = 3 * (steps * reach) + 4;
  glance->step = step;
  glance->least = VK_LOOK_GAPS(group, steps * x, steps * y, steps * z, margin, glance->squares, &glance->ends);
}

// Those of them that may be within the limit.
static inline uint32_t VK_LOOK(vk_reachable)(const vk_glance *glance) {
  return VK_LOOK_BELOW(glance->squares, glance->reachable);
}

static inline void VK_LOOK(vk_look_at)(const void *group, double qx, double qy, double qz, vk_look *look) {
  vk_glance glance;
  VK_LOOK(vk_glance_at)(group, qx, qy, qz, &glance);
  vk_narrow(&glance, look);
  look->lanes = VK_LOOK(vk_reachable)(&glance);
}

#undef VK_LOOK
#undef VK_LOOK_GAPS
#undef VK_LOOK_BELOW
