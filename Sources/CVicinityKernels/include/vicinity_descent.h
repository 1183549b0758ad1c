// Included once for each width: the ways down to the edges of some polygons (vk_descent).
//
// Each step asks for the bytes that the next one reads, and is made with all polygons before the next step is made with
// any: none waits for memory. Of a polygon's groups the one in the nearest box is looked at first, then the next of those
// beside it, and so on while their boxes are within the limit.
//
// VK_DESCENT(name) is the name for the width, VK_DESCENT_BOXES is vk_box_gaps of the width, and VK_LOOK(name) as
// in vicinity_look.h. As in vicinity_feet.h results are the same by all widths.

// The first step: the root's boxes.
static inline void VK_DESCENT(vk_begin)(vk_descent *d, double qx, double qy, double qz) {
#pragma clang fp contract(off)
  const char *polygon = d->polygon;
  uint32_t points = vk_polygon_uint(polygon, VK_POLYGON_POINTS), groups = (points + 14) >> 4;
  d->group_count = groups = groups > 0 ? groups : points > 0;
  d->x = qx - vk_polygon_double(polygon, VK_POLYGON_ORIGIN);
  d->y = qy - vk_polygon_double(polygon, VK_POLYGON_ORIGIN + 8);
  d->z = qz - vk_polygon_double(polygon, VK_POLYGON_ORIGIN + 16);
  vk_frame_of(polygon + VK_POLYGON_BOX, (float)d->x, (float)d->y, (float)d->z, &d->frame);
  d->limit = VK_FARTHEST;
  d->found_count = 0;
  d->is_settled = 0;
  d->nodes = d->groups = 0;
  d->group = groups > 0 ? 0 : VK_NO_GROUP;
  if (groups <= 1) {
    float gap = vk_frame_gap(&d->frame);
    gap = gap > 0 ? gap : 0;
    d->least = gap * gap;
    vk_request(polygon + VK_POLYGON_NODES, VK_GROUP_REMAINDERS);
  } else if (groups <= 16) {
    d->least = VK_DESCENT_BOXES(polygon + VK_POLYGON_ROOT, &d->frame, (int)groups, d->gaps + 16, &d->next);
    vk_begin_groups(d, 0, d->least);
  } else {
    int level = vk_root_level(groups);
    uint32_t children = (groups + (1u << 4 * level) - 1) >> 4 * level;
    float next;
    d->least = VK_DESCENT_BOXES(
        polygon + VK_POLYGON_ROOT, &d->frame, children < 16 ? (int)children : 16, d->gaps, &next);
    d->nodes = vk_first_lanes(children);
    d->node = vk_lane(d->least);
    d->group = VK_NO_GROUP;
    vk_request(polygon + VK_POLYGON_NODES + VK_NODE_SIZE * d->node, VK_NODE_SIZE);
  }
  float *out = d->frame.out, outside = out[0] > out[1] ? out[0] : out[1];
  outside = outside > out[2] ? outside : out[2];
  d->is_outside =
      outside > 1e-2f + d->frame.error && !(vk_polygon_uint(polygon, VK_POLYGON_FLAGS) & VK_POLYGON_UNBOUNDED);
  // No path over the surface is shorter than the chord. Rounding: of the square, its lane number and of the root.
  float better = vk_root(d->least) * 0.999995f - d->frame.error;
  // A NaN is no better.
  if (d->is_outside && better > d->bound) d->bound = better;
}

// The boxes below the root's box that has been asked for.
static inline void VK_DESCENT(vk_open)(vk_descent *d) {
  uint32_t node = d->node, first = 16 * node;
  d->nodes &= ~(1u << node);
  d->node = VK_NO_GROUP;
  // No gap at all: damaged bytes.
  if (first >= d->group_count) return;
  uint32_t present = d->group_count - first;
  float least = VK_DESCENT_BOXES(
      d->polygon + VK_POLYGON_NODES + VK_NODE_SIZE * node, &d->frame, present < 16 ? (int)present : 16, d->gaps + 16,
      &d->next);
  vk_begin_groups(d, first, least);
}

// Looks at the groups of some, each step of it with all of them before the next step: it waits for the step before.
static inline void VK_DESCENT(vk_look_into)(vk_descent *const *descents, uint32_t count) {
  vk_glance glances[VK_MOST_DESCENTS];
  for (uint32_t i = 0; i < count; i++) {
    vk_descent *d = descents[i];
    VK_LOOK(vk_glance_at)(vk_group_of(d, d->group), d->x, d->y, d->z, glances + i);
  }
  for (uint32_t i = 0; i < count; i++) {
    vk_look look = {.limit = descents[i]->limit};
    vk_narrow(glances + i, &look);
    descents[i]->limit = look.limit;
    glances[i].lower = look.lower;
  }
  for (uint32_t i = 0; i < count; i++) {
    vk_descent *d = descents[i];
    uint32_t lanes = VK_LOOK(vk_reachable)(glances + i);
    // All that is left of a group that has nothing within the limit is the limit.
    if (lanes == 0 || !(glances[i].lower <= d->limit)) continue;
    // One too many: the search has to find them all again.
    if (d->found_count == VK_MOST_FOUND) {
      d->found_count++;
      continue;
    }
    const char *group = vk_group_of(d, d->group);
    int first = __builtin_ctz(lanes), last = 31 - __builtin_clz(lanes);
    vk_request_ends(group + VK_GROUP_REMAINDERS + 12 * first, 12 * (last + 2 - first));
    // The side is told by them.
    if (!d->is_outside) vk_request(group + VK_GROUP_MARKS, 1);
    d->found[d->found_count++] = (vk_candidates){(int32_t)d->group, glances[i].lower, lanes, glances[i].ends};
  }
}

// What is to be looked at next: another of the groups beside, or below another of the root's boxes.
//
// Returns whether there is anything: not where all is found, and not where too much is.
static inline int VK_DESCENT(vk_advance)(vk_descent *d) {
  // So far away that chords do not tell distances.
  if (!(d->limit < VK_FARTHEST) || d->found_count > VK_MOST_FOUND) return 0;
  float limit = vk_next_up(vk_box_limit(d->frame.error, d->limit));
  d->group = VK_NO_GROUP;
  if (d->groups != 0) d->groups &= vk_below16(d->gaps + 16, limit);
  if (d->nodes != 0) d->nodes &= vk_below16(d->gaps, limit);
  if (d->groups != 0) {
    uint32_t lane = vk_lane(d->next);
    // The next one has been asked for from the beginning.
    if (!(d->groups >> lane & 1)) lane = (uint32_t)__builtin_ctz(d->groups);
    d->groups &= ~(1u << lane);
    d->group = d->first_group + lane;
    if (d->groups != 0) {
      vk_request(vk_group_of(d, d->first_group + (uint32_t)__builtin_ctz(d->groups)), VK_GROUP_REMAINDERS);
      return 1;
    }
  }
  if (d->nodes == 0) {
    // Nothing found at all: damaged bytes.
    d->is_settled = d->group == VK_NO_GROUP && d->found_count > 0;
    return d->group != VK_NO_GROUP;
  }
  if (d->node == VK_NO_GROUP) {
    d->node = (uint32_t)__builtin_ctz(d->nodes);
    vk_request(d->polygon + VK_POLYGON_NODES + VK_NODE_SIZE * d->node, VK_NODE_SIZE);
  } else if (d->group == VK_NO_GROUP) {
    if (d->nodes >> d->node & 1) {
      VK_DESCENT(vk_open)(d);
    } else {
      d->node = VK_NO_GROUP;
    }
  }
  return 1;
}

static void VK_DESCENT(vk_descend)(vk_descent *descents, uint32_t count, double qx, double qy, double qz) {
  vk_descent *active[VK_MOST_DESCENTS], *looked[VK_MOST_DESCENTS];
  for (uint32_t i = 0; i < count && i < VK_DESCENT_LEAD; i++) vk_request(descents[i].polygon, VK_POLYGON_HEADER);
  for (uint32_t i = 0; i < count; i++) {
    if (i + VK_DESCENT_LEAD < count) vk_request(descents[i + VK_DESCENT_LEAD].polygon, VK_POLYGON_HEADER);
    VK_DESCENT(vk_begin)(descents + i, qx, qy, qz);
  }
  uint32_t actives = 0;
  for (uint32_t i = 0; i < count; i++) {
    vk_descent *d = descents + i;
    // Trees of more than two levels are left to the search.
    if (d->group_count > VK_MOST_GROUPS) continue;
    if (d->group_count > 16) VK_DESCENT(vk_open)(d);
    if (d->group < d->group_count) active[actives++] = d;
  }
  while (actives > 0) {
    uint32_t looks = 0, rest = 0;
    for (uint32_t i = 0; i < actives; i++) {
      if (active[i]->group != VK_NO_GROUP) looked[looks++] = active[i];
    }
    VK_DESCENT(vk_look_into)(looked, looks);
    for (uint32_t i = 0; i < actives; i++) {
      if (VK_DESCENT(vk_advance)(active[i])) active[rest++] = active[i];
    }
    actives = rest;
  }
}

#undef VK_DESCENT
#undef VK_DESCENT_BOXES
#undef VK_LOOK
