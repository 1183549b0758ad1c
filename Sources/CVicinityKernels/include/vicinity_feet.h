// Included once for each width: the distances of feet, VK_FEET_LANES edges at a time.
//
// VK_FEET(name) names what belongs to the width: its vector vk_d, and vk_clamped, vk_atleast and vk_sqrt of that.
// VK_FEET_NAME is the function's name. All widths do the same arithmetic and have the same results, to the last bit: so
// products are not contracted into sums, which some machines could do.

typedef struct { VK_FEET(vk_d) x, y, z; } VK_FEET(vk_v);

static inline VK_FEET(vk_d) VK_FEET(vk_dot)(VK_FEET(vk_v) a, VK_FEET(vk_v) b) {
#pragma clang fp contract(off)
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

// How far along g, the gradient (x/a², y/a², z/b²) at a place c just below the surface, the surface lies: EdgeKernel.refined.
static inline VK_FEET(vk_d) VK_FEET(vk_lift)(
    const vk_chord_series *k, VK_FEET(vk_v) c, VK_FEET(vk_v) g, VK_FEET(vk_d) reciprocal_g2) {
#pragma clang fp contract(off)
  VK_FEET(vk_d) excess = VK_FEET(vk_dot)(c, g) - 1;
  VK_FEET(vk_d) bend = (g.x * g.x + g.y * g.y) * k->reciprocal_a2 + g.z * g.z * k->reciprocal_b2;
  return -0.5 * excess * reciprocal_g2 * (1 + 0.25 * bend * excess * reciprocal_g2 * reciprocal_g2);
}

static inline VK_FEET(vk_v) VK_FEET(vk_gradient)(const vk_chord_series *k, VK_FEET(vk_v) c) {
#pragma clang fp contract(off)
  VK_FEET(vk_v) g = {c.x * k->reciprocal_a2, c.y * k->reciprocal_a2, c.z * k->reciprocal_b2};
  return g;
}

// The geodesic distances from q to the nearest points of all edges, and the least of each owner's into best[]:
// EdgeKernel.refined, its step always made, and ChordSeries.distance, which holds to 1500 km. Empties the list.
static inline void VK_FEET_NAME(const vk_chord_series *k, vk_feet *feet, double qx, double qy, double qz) {
#pragma clang fp contract(off)
  uint32_t count = feet->count;
  feet->count = 0;
  // Up to a multiple of the lanes; there is room, for 64 is one.
  for (uint32_t i = count; i % VK_FEET_LANES != 0; i++) {
    feet->x[i] = feet->x[count - 1];
    feet->y[i] = feet->y[count - 1];
    feet->z[i] = feet->z[count - 1];
    feet->ex[i] = feet->ey[i] = feet->ez[i] = 0;
  }
  for (uint32_t i = 0; i < count; i += VK_FEET_LANES) {
    VK_FEET(vk_v) p, e;
    memcpy(&p.x, feet->x + i, sizeof p.x);
    memcpy(&p.y, feet->y + i, sizeof p.y);
    memcpy(&p.z, feet->z + i, sizeof p.z);
    memcpy(&e.x, feet->ex + i, sizeof e.x);
    memcpy(&e.y, feet->ey + i, sizeof e.y);
    memcpy(&e.z, feet->ez + i, sizeof e.z);
    // The addends keep points at 0 / 1e-300 = 0.
    VK_FEET(vk_v) w = {qx - p.x, qy - p.y, qz - p.z};
    VK_FEET(vk_d) t = VK_FEET(vk_clamped)(VK_FEET(vk_dot)(w, e) / (VK_FEET(vk_dot)(e, e) + 1e-300));
    VK_FEET(vk_v) c = {p.x + t * e.x, p.y + t * e.y, p.z + t * e.z};
    VK_FEET(vk_v) g = VK_FEET(vk_gradient)(k, c);
    VK_FEET(vk_d) reciprocal = 1 / VK_FEET(vk_dot)(g, g), lift = VK_FEET(vk_lift)(k, c, g, reciprocal);
    VK_FEET(vk_v) r = {qx - (c.x + lift * g.x), qy - (c.y + lift * g.y), qz - (c.z + lift * g.z)};
    // The lift tilts the tangent: one Gauss-Newton step along the true one. g is nearly the unit normal over a.
    VK_FEET(vk_d) slope = VK_FEET(vk_dot)(e, g) * reciprocal;
    VK_FEET(vk_v) tangent = {e.x - slope * g.x, e.y - slope * g.y, e.z - slope * g.z};
    VK_FEET(vk_d) scale = VK_FEET(vk_dot)(tangent, tangent) * VK_FEET(vk_atleast)(1 + VK_FEET(vk_dot)(r, g), 0.1);
    t = VK_FEET(vk_clamped)(t + VK_FEET(vk_dot)(r, tangent) / (scale + 1e-300));
    c.x = p.x + t * e.x;
    c.y = p.y + t * e.y;
    c.z = p.z + t * e.z;
    g = VK_FEET(vk_gradient)(k, c);
    lift = VK_FEET(vk_lift)(k, c, g, 1 / VK_FEET(vk_dot)(g, g));
    VK_FEET(vk_d) x = qx - (c.x + lift * g.x), y = qy - (c.y + lift * g.y), pz = c.z + lift * g.z, z = qz - pz;
    VK_FEET(vk_d) sum = qz + pz, xy = x * x + y * y, zz = z * z, c2 = xy + zz, h2 = sum * sum;
    VK_FEET(vk_d) q = xy * k->reciprocal_a2 + zz * k->reciprocal_b2;
    VK_FEET(vk_d) u = q * q * k->a2 / ((c2 + 1e-300) * (1 + h2 * k->gradient_slope)), v = c2 * h2;
    VK_FEET(vk_d) rest = c2 * ((k->r10 + k->s10 * c2) * zz + (k->r01 + k->s01 * c2) * v)
        + zz * (k->r20 * zz + k->r11 * v) + k->r02 * v * v;
    VK_FEET(vk_d) s12 = VK_FEET(vk_sqrt)(c2) * (1 + u * (k->t1 + u * (k->t2 + u * (k->t3 + u * k->t4))) - rest);
    memcpy(feet->x + i, &s12, sizeof s12);
  }
  for (uint32_t i = 0; i < count; i++) {
    double *best = feet->best + feet->owner[i];
    // A NaN is no better.
    if (feet->x[i] < *best) *best = feet->x[i];
  }
}

#undef VK_FEET_LANES
#undef VK_FEET
#undef VK_FEET_NAME
