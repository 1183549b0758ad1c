// Included once for each width: a look at the sixteen chords of a group (ChordGaps).
//
// VK_LOOK_NAME is the function's name, VK_LOOK_GAPS and VK_LOOK_BELOW are vk_edge_gaps and vk_below16 of the width. As in
// vicinity_feet.h results are the same by all widths.

static inline void VK_LOOK_NAME(const void *group, double qx, double qy, double qz, vk_look *look) {
#pragma clang fp contract(off)
  // The rows' ends: the centre, what the offsets span, and the greatest sagitta.
  const float *g = (const float *)group;
  float x = (float)(qx - g[17]), y = (float)(qy - g[37]), z = (float)(qz - g[57]);
  float reach = __builtin_fabsf(x) + __builtin_fabsf(y) + __builtin_fabsf(z) + 2 * g[19];
  // How far chords as computed may be from those to the surface arcs.
  float slack = g[39] + 0x1p-19f * reach;
  float squared[16];
  float least = vk_root(VK_LOOK_GAPS(group, x, y, z, squared, &look->ends));
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
  float reachable = (rounded + slack) * (1 + 0x1p-21f);
  look->lanes = VK_LOOK_BELOW(squared, reachable * reachable);
}

#undef VK_LOOK_NAME
#undef VK_LOOK_GAPS
#undef VK_LOOK_BELOW
