// Included once for each width: where ways cross circles, VK_MEETING_LANES at a time.
//
// VK_MEETING(name) names what belongs to the width: its vector vk_d, the mask vk_m, and vk_sqrt. As in vicinity_feet.h
// results are the same by all widths, to the last bit. Formulas are those of DegreeTrigonometry, ECEF, ShortPath,
// ChordSeries, CircleTarget and ECEF+Surface, where they are explained.

typedef struct { VK_MEETING(vk_d) x, y, z; } VK_MEETING(vk_p);

static inline VK_MEETING(vk_d) VK_MEETING(vk_choose)(VK_MEETING(vk_m) mask, VK_MEETING(vk_d) a, VK_MEETING(vk_d) b) {
  return (VK_MEETING(vk_d))((mask & (VK_MEETING(vk_m))a) | (~mask & (VK_MEETING(vk_m))b));
}

static inline VK_MEETING(vk_d) VK_MEETING(vk_size)(VK_MEETING(vk_d) a) {
  return (VK_MEETING(vk_d))((VK_MEETING(vk_m))a & 0x7fffffffffffffff);
}

static inline VK_MEETING(vk_d) VK_MEETING(vk_row)(const double *p) {
  VK_MEETING(vk_d) v;
  memcpy(&v, p, sizeof v);
  return v;
}

static inline VK_MEETING(vk_d) VK_MEETING(vk_product)(VK_MEETING(vk_p) a, VK_MEETING(vk_p) b) {
#pragma clang fp contract(off)
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline void VK_MEETING(vk_sine_and_cosine)(
    VK_MEETING(vk_d) degrees, VK_MEETING(vk_d) *sine, VK_MEETING(vk_d) *cosine) {
#pragma clang fp contract(off)
  VK_MEETING(vk_d) shifted = degrees * (1.0 / 90) + 0x1.8p52, quarters = shifted - 0x1.8p52;
  VK_MEETING(vk_d) t = (degrees - 90 * quarters) * (3.141592653589793 / 180);
  VK_MEETING(vk_d) z = t * t, z2 = z * z, z4 = z2 * z2;
  VK_MEETING(vk_d) s1 = -1.0 / 6 + z * (1.0 / 120), s2 = -1.0 / 5040 + z * (1.0 / 362880);
  VK_MEETING(vk_d) s4 = -1.0 / 39916800 + z * (1.0 / 6227020800);
  VK_MEETING(vk_d) s = t + t * z * ((s1 + z2 * s2) + z4 * (s4 + z2 * (-1.0 / 1307674368000)));
  VK_MEETING(vk_d) c1 = 1.0 / 24 + z * (-1.0 / 720), c2 = 1.0 / 40320 + z * (-1.0 / 3628800);
  VK_MEETING(vk_d) c3 = 1.0 / 479001600 + z * (-1.0 / 87178291200);
  VK_MEETING(vk_d) c = 1 - 0.5 * z + z2 * ((c1 + z2 * c2) + z4 * (c3 + z2 * (1.0 / 20922789888000)));
  VK_MEETING(vk_m) turns = (VK_MEETING(vk_m))shifted, isOdd = -(turns & 1);
  VK_MEETING(vk_d) first = VK_MEETING(vk_choose)(isOdd, c, s), second = VK_MEETING(vk_choose)(isOdd, s, c);
  *sine = (VK_MEETING(vk_d))((VK_MEETING(vk_m))first ^ (turns & 2) << 62);
  *cosine = (VK_MEETING(vk_d))((VK_MEETING(vk_m))second ^ ((turns + 1) & 2) << 62);
}

static inline VK_MEETING(vk_p) VK_MEETING(vk_surface)(
    const vk_ellipsoid *k, VK_MEETING(vk_d) latitude, VK_MEETING(vk_d) longitude) {
#pragma clang fp contract(off)
  VK_MEETING(vk_d) sinLat, cosLat, sinLon, cosLon;
  VK_MEETING(vk_sine_and_cosine)(latitude, &sinLat, &cosLat);
  VK_MEETING(vk_sine_and_cosine)(longitude, &sinLon, &cosLon);
  VK_MEETING(vk_d) n = k->a / VK_MEETING(vk_sqrt)(1 - k->e2 * sinLat * sinLat);
  VK_MEETING(vk_p) p = {n * cosLat * cosLon, n * cosLat * sinLon, n * (1 - k->e2) * sinLat};
  return p;
}

static inline VK_MEETING(vk_d) VK_MEETING(vk_geodesic)(
    const vk_chord_series *k, VK_MEETING(vk_p) p, VK_MEETING(vk_p) q, VK_MEETING(vk_d) *chord2) {
#pragma clang fp contract(off)
  VK_MEETING(vk_d) dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, sum = p.z + q.z;
  VK_MEETING(vk_d) xy = dx * dx + dy * dy, zz = dz * dz, c2 = xy + zz, h2 = sum * sum;
  VK_MEETING(vk_d) w = xy * k->reciprocal_a2 + zz * k->reciprocal_b2;
  VK_MEETING(vk_d) u = w * w * k->a2 / ((c2 + 1e-300) * (1 + h2 * k->gradient_slope)), y = c2 * h2;
  VK_MEETING(vk_d) r = c2 * ((k->r10 + k->s10 * c2) * zz + (k->r01 + k->s01 * c2) * y)
      + (zz * (k->r20 * zz + k->r11 * y) + k->r02 * y * y);
  *chord2 = c2;
  return VK_MEETING(vk_sqrt)(c2) * (1 + u * (k->t1 + u * (k->t2 + u * (k->t3 + u * k->t4))) - r);
}

// The arctangent of up to 0.01.
static inline VK_MEETING(vk_d) VK_MEETING(vk_small_arctangent)(VK_MEETING(vk_d) t) {
#pragma clang fp contract(off)
  VK_MEETING(vk_d) t2 = t * t;
  return t * (1 - t2 * (1.0 / 3 - t2 * (0.2 - t2 * (1.0 / 7 - t2 * (1.0 / 9)))));
}

// The lanes from `i` on: writes where they cross, and returns the bits of those that are settled; adds to `leaving`.
static inline uint32_t VK_MEETING(vk_settle)(const vk_ellipsoid *k, vk_meetings *m, int i) {
#pragma clang fp contract(off)
  VK_MEETING(vk_d) latitude = VK_MEETING(vk_row)(m->startLatitude + i);
  VK_MEETING(vk_d) longitude = VK_MEETING(vk_row)(m->startLongitude + i);
  VK_MEETING(vk_d) endLongitude = VK_MEETING(vk_row)(m->endLongitude + i);
  VK_MEETING(vk_d) centerLongitude = VK_MEETING(vk_row)(m->centerLongitude + i);
  VK_MEETING(vk_d) radius = VK_MEETING(vk_row)(m->radius + i);
  VK_MEETING(vk_p) start = VK_MEETING(vk_surface)(k, latitude, longitude);
  VK_MEETING(vk_p) end = VK_MEETING(vk_surface)(k, VK_MEETING(vk_row)(m->endLatitude + i), endLongitude);
  VK_MEETING(vk_p) center =
      VK_MEETING(vk_surface)(k, VK_MEETING(vk_row)(m->centerLatitude + i), centerLongitude);

  // The way: its length, middle, unit chord, and normal times curvature.
  VK_MEETING(vk_p) d = {end.x - start.x, end.y - start.y, end.z - start.z};
  VK_MEETING(vk_d) c2 = d.x * d.x + d.y * d.y + d.z * d.z, chord = VK_MEETING(vk_sqrt)(c2), reciprocal = 1 / chord;
  VK_MEETING(vk_p) middle = {0.5 * (start.x + end.x), 0.5 * (start.y + end.y), 0.5 * (start.z + end.z)};
  VK_MEETING(vk_p) t = {d.x * reciprocal, d.y * reciprocal, d.z * reciprocal};
  const vk_chord_series *series = &k->series;
  VK_MEETING(vk_p) g = {
      middle.x * series->reciprocal_a2, middle.y * series->reciprocal_a2, middle.z * series->reciprocal_b2};
  VK_MEETING(vk_d) form = (t.x * t.x + t.y * t.y) * series->reciprocal_a2 + t.z * t.z * series->reciprocal_b2;
  VK_MEETING(vk_d) scale = form / (g.x * g.x + g.y * g.y + g.z * g.z);
  VK_MEETING(vk_p) n = {g.x * scale, g.y * scale, g.z * scale};
  VK_MEETING(vk_d) curvature2 = form * scale, bend = curvature2 / 6, excess = c2 * curvature2 * (1.0 / 24);
  VK_MEETING(vk_d) length = chord * (1 + excess), stretch = 1 - excess, half = 0.5 * length;

  // Boundary distances at both ends.
  VK_MEETING(vk_d) chord1, chord2;
  VK_MEETING(vk_d) d1 = VK_MEETING(vk_geodesic)(series, start, center, &chord1) - radius;
  VK_MEETING(vk_d) d2 = VK_MEETING(vk_geodesic)(series, end, center, &chord2) - radius;
  VK_MEETING(vk_m) leaves = d1 < 0;
  VK_MEETING(vk_m) isSettled = (leaves ^ (d2 < 0)) & (VK_MEETING(vk_size)(d1) > 1e-6)
      & (VK_MEETING(vk_size)(d2) > 1e-6) & (chord1 <= 2.9e11) & (chord2 <= 2.9e11) & (radius <= 500e3)
      & (length <= 3000);

  // Where the straight line would cross a sphere whose chord is the radius.
  VK_MEETING(vk_p) w = {center.x - start.x, center.y - start.y, center.z - start.z};
  VK_MEETING(vk_d) foot = VK_MEETING(vk_product)(w, t);
  VK_MEETING(vk_p) o = {w.x - foot * t.x, w.y - foot * t.y, w.z - foot * t.z};
  VK_MEETING(vk_d) flat = radius * (1 - radius * radius * k->flattening);
  VK_MEETING(vk_d) side2 = flat * flat - VK_MEETING(vk_product)(o, o);
  VK_MEETING(vk_d) side = VK_MEETING(vk_sqrt)(VK_MEETING(vk_choose)(side2 > 0, side2, (VK_MEETING(vk_d)){0}));
  VK_MEETING(vk_d) s = foot + VK_MEETING(vk_choose)(leaves, side, -side);
  isSettled &= (s > 0) & (s < length);

  // One step e of Newton's method. The distance d from the centre has a second derivative of at most 1/d + 1/R < 1.16/d
  // where 8 |e| < d; with slope = d d', the step misses by no more than 0.58 e²/|slope|. The slope itself is wrong by less than
  // 0.2 (d/R)², R = 6335 km. Both are below 3e-10 m where the step is so small.
  VK_MEETING(vk_d) u = s - half, rest = half * half - u * u;
  VK_MEETING(vk_d) along = stretch * u * (1 + bend * rest), height = 0.5 * rest;
  VK_MEETING(vk_p) p = {
      middle.x + along * t.x + height * n.x, middle.y + along * t.y + height * n.y,
      middle.z + along * t.z + height * n.z};
  VK_MEETING(vk_d) ignored, distance = VK_MEETING(vk_geodesic)(series, p, center, &ignored);
  VK_MEETING(vk_p) away = {p.x - center.x, p.y - center.y, p.z - center.z};
  VK_MEETING(vk_d) slope = VK_MEETING(vk_product)(away, t) - u * VK_MEETING(vk_product)(away, n);
  VK_MEETING(vk_d) step = (radius - distance) * distance / slope, size = VK_MEETING(vk_size)(step);
  s += step;
  isSettled &= (step * step < 5e-10 * VK_MEETING(vk_size)(slope)) & (size * (distance * distance) < 4e4)
      & (8 * size < distance) & (s > 0) & (s < length);

  // The coordinate there, by small angles from the start's.
  u = s - half;
  rest = half * half - u * u;
  along = stretch * u * (1 + bend * rest);
  height = 0.5 * rest;
  p.x = middle.x + along * t.x + height * n.x;
  p.y = middle.y + along * t.y + height * n.y;
  p.z = middle.z + along * t.z + height * n.z;
  VK_MEETING(vk_d) p1 = VK_MEETING(vk_sqrt)(start.x * start.x + start.y * start.y) * (1 - k->e2);
  VK_MEETING(vk_d) p2 = VK_MEETING(vk_sqrt)(p.x * p.x + p.y * p.y) * (1 - k->e2);
  VK_MEETING(vk_d) north = (p.z * p1 - p2 * start.z) / (p1 * p2 + start.z * p.z);
  VK_MEETING(vk_d) dot = p.x * start.x + p.y * start.y, east = (p.y * start.x - p.x * start.y) / dot;
  isSettled &= (dot > 0) & (VK_MEETING(vk_size)(north) < 0.01) & (VK_MEETING(vk_size)(east) < 0.01);
  latitude += VK_MEETING(vk_small_arctangent)(north) * (180 / 3.141592653589793);
  VK_MEETING(vk_d) turned = longitude + VK_MEETING(vk_small_arctangent)(east) * (180 / 3.141592653589793);
  isSettled &= (VK_MEETING(vk_size)(latitude) <= 90) & (turned >= -180) & (turned < 180) & (longitude >= -180)
      & (longitude < 180) & (endLongitude >= -180) & (endLongitude < 180) & (centerLongitude >= -180)
      & (centerLongitude < 180);

  memcpy(m->s + i, &s, sizeof s);
  memcpy(m->length + i, &length, sizeof s);
  memcpy(m->latitude + i, &latitude, sizeof s);
  memcpy(m->longitude + i, &turned, sizeof s);
  uint32_t settled = 0;
  for (int lane = 0; lane < VK_MEETING_LANES; lane++) {
    settled |= (uint32_t)(isSettled[lane] & 1) << (i + lane);
    m->leaving |= (uint32_t)(leaves[lane] & 1) << (i + lane);
  }
  return settled;
}

static uint32_t VK_MEETING(vk_settle_all)(const vk_ellipsoid *k, vk_meetings *m, int count) {
  uint32_t settled = 0;
  m->leaving = 0;
  for (int i = 0; i < count; i += VK_MEETING_LANES) settled |= VK_MEETING(vk_settle)(k, m, i);
  return settled & ((1u << count) - 1);
}

#undef VK_MEETING_LANES
#undef VK_MEETING
