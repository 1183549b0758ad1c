// Included once for each width: geodesics from one point to many.
//
// VK_EDGES is the vector of doubles with VK_EDGE_LANES lanes.

typedef __typeof__((VK_EDGES)0 < (VK_EDGES)0) VK_EDGES_MASK;

// The last vector is filled up with circles of radius 0 at the point itself; their keys are 3.4e38.
static double near_distances(const vk_chord_series *k, vk_batch *batch, int count, double z2, float *keys) {
  typedef float floats VK_VECTOR(VK_EDGE_LANES);
  typedef uint32_t numbers VK_VECTOR(VK_EDGE_LANES);
  VK_EDGES is_far = 0, largest = 0, chord2;
  numbers number;
  int end = count;
  for (int lane = 0; lane < VK_EDGE_LANES; lane++) number[lane] = (uint32_t)lane;
  for (; end % VK_EDGE_LANES != 0; end++) batch->dx[end] = batch->dy[end] = batch->dz[end] = batch->radius[end] = 0;
  for (int i = 0; i < end; i += VK_EDGE_LANES) {
    VK_EDGES z = VK_LOAD(VK_EDGES, batch->dz + i), radius = VK_LOAD(VK_EDGES, batch->radius + i);
    VK_EDGES s12 =
        vk_geodesic(k, VK_LOAD(VK_EDGES, batch->dx + i), VK_LOAD(VK_EDGES, batch->dy + i), z, z2 - z, 1, &chord2);
    VK_EDGES distance = s12 - radius;
    is_far = vk_select((s12 <= 1e5) & (radius <= 1e9) & (radius >= 0), is_far, (VK_EDGES)1);
    largest = vk_max(radius, largest);
    numbers bits = ((numbers)__builtin_convertvector(distance, floats) & ~31u) | number;
    number += VK_EDGE_LANES;
    vk_store(batch->center + i, s12);
    vk_store(batch->boundary + i, distance);
    memcpy(keys + i, &bits, sizeof bits);
  }
  for (int i = count; i < end; i++) keys[i] = 3.4e38f;
  double result = 0;
  for (int lane = 0; lane < VK_EDGE_LANES; lane++) {
    if (is_far[lane] != 0) return (double)__builtin_inff();
    if (largest[lane] > result) result = largest[lane];
  }
  return result;
}

static void series_distances(const vk_chord_series *k, vk_batch *batch, int count, double z2) {
  for (int i = 0; i < count; i += VK_EDGE_LANES) {
    VK_EDGES z = VK_LOAD(VK_EDGES, batch->dz + i), chord2;
    vk_store(
        batch->center + i,
        vk_geodesic(k, VK_LOAD(VK_EDGES, batch->dx + i), VK_LOAD(VK_EDGES, batch->dy + i), z, z2 - z, 0, &chord2));
  }
}

// The angle in 0...π of a sine, at least 0, and a cosine. The arctangent of t, at most tan(π/8) on either side of 0, is t times a
// polynomial in t² that interpolates at the Chebyshev nodes of 0...tan²(π/8): it is off by less than 1.3e-18.
static inline VK_EDGES vk_angle(VK_EDGES sine, VK_EDGES cosine) {
  VK_EDGES x = vk_abs(cosine), small = vk_min(sine, x), large = vk_max(sine, x);
  VK_EDGES_MASK is_middle = small > large * 0.41421356237309503;
  VK_EDGES t = vk_select(is_middle, small - large, small) / vk_select(is_middle, small + large, large);
  VK_EDGES z = t * t, z2 = z * z, z4 = z2 * z2;
  VK_EDGES low = (-0.3333333333333312 + z * 0.19999999999940893) + z2 * (-0.14285714279250245 + z * 0.11111110744919658);
  VK_EDGES middle = (-0.09090896809064027 + z * 0.07692045330902225) + z2 * (-0.06662951813629191 + z * 0.05846878297330872);
  VK_EDGES high = (-0.05035102456601552 + z * 0.03796525745386593) + z2 * -0.017805397205419446;
  VK_EDGES angle = t + t * z * (low + z4 * (middle + z4 * high));
  angle = vk_select(is_middle, 0.7853981633974483 + angle, angle);
  angle = vk_select(sine > x, 1.5707963267948966 - angle, angle);
  return vk_select(cosine < 0, 3.141592653589793 - angle, angle);
}

// GreatCircle of GeodesicSolver+Near.swift, from (x1, y1, z1) to (x2, y2, z2).
typedef struct {
  VK_EDGES c, zz, s, w2, sine2, cosine;
} vk_great_circle;

static inline vk_great_circle vk_great_circle_of(
    double x1, double y1, double z1, VK_EDGES x2, VK_EDGES y2, VK_EDGES z2) {
  vk_great_circle circle;
  VK_EDGES wx = y1 * z2 - z1 * y2, wy = z1 * x2 - x1 * z2;
  circle.zz = z1 * z2;
  circle.c = x1 * x2 + y1 * y2;
  circle.s = vk_abs(x1 * y2 - y1 * x2);
  circle.w2 = wx * wx + wy * wy;
  circle.sine2 = circle.w2 + circle.s * circle.s;
  circle.cosine = circle.c + circle.zz;
  return circle;
}

// GeodesicSolver.nearDistance of GeodesicSolver+Near.swift, step by step, with vk_angle for the arctangent. The names are those
// of that file, where the method is explained, and of GeodesicSeries.swift.
static void far_distances(const vk_geodesic_series *k, vk_batch *batch, int count, double px, double py, double pz) {
  const double x1 = px * k->reciprocal_a, y1 = py * k->reciprocal_a, z1 = pz * k->reciprocal_b;
  const double f = k->f, ep2 = k->ep2;
  for (int i = 0; i < count; i += VK_EDGE_LANES) {
    VK_EDGES x2 = (px - VK_LOAD(VK_EDGES, batch->dx + i)) * k->reciprocal_a;
    VK_EDGES y2 = (py - VK_LOAD(VK_EDGES, batch->dy + i)) * k->reciprocal_a;
    VK_EDGES z2 = (pz - VK_LOAD(VK_EDGES, batch->dz + i)) * k->reciprocal_b;

    vk_great_circle circle = vk_great_circle_of(x1, y1, z1, x2, y2, z2);
    VK_EDGES_MASK is_solved = (circle.cosine > k->least_cosine) & (circle.sine2 > k->least_sine2);

    // The first turn.
    VK_EDGES sin_sigma = vk_sqrt(circle.sine2), cos_sigma = circle.cosine;
    VK_EDGES sigma = vk_angle(sin_sigma, cos_sigma), reciprocal = 1 / sin_sigma;
    VK_EDGES sin_alpha = circle.s * reciprocal, cos2_alpha = circle.w2 * (reciprocal * reciprocal);
    VK_EDGES p0 = (0.25 * ep2) * (cos2_alpha * cos_sigma - 2 * circle.zz);
    VK_EDGES i3 = sigma + k->i3 * (p0 * sin_sigma - (0.25 * ep2) * cos2_alpha * sigma);
    VK_EDGES slope = (circle.c - sin_alpha * sin_alpha * cos_sigma) * reciprocal;
    VK_EDGES turn = f * sin_alpha * i3 / (1 - f * (slope * sigma + sin_alpha * sin_alpha));

    // The second point, turned.
    VK_EDGES d2 = turn * turn;
    VK_EDGES sine = turn * (1 - d2 * (1.0 / 6 - d2 * (1.0 / 120)));
    VK_EDGES cosine = 1 - d2 * (0.5 - d2 * (1.0 / 24 - d2 * (1.0 / 720)));
    VK_EDGES signed_sine = vk_select(x1 * y2 - y1 * x2 < 0, -sine, sine);
    VK_EDGES turned_x = x2 * cosine - y2 * signed_sine, turned_y = x2 * signed_sine + y2 * cosine;
    circle = vk_great_circle_of(x1, y1, z1, turned_x, turned_y, z2);

    // The improvement.
    VK_EDGES sin1 = vk_sqrt(circle.sine2), cos1 = circle.cosine;
    reciprocal = 1 / sin1;
    sin_alpha = circle.s * reciprocal;
    cos2_alpha = circle.w2 * (reciprocal * reciprocal);
    VK_EDGES t = sin1 * cos_sigma - cos1 * sin_sigma, t2 = t * t;
    sigma = sigma + t * (1 + t2 * (1.0 / 6 + t2 * (3.0 / 40 + t2 * (15.0 / 336))));

    // The integrals.
    VK_EDGES k2 = ep2 * cos2_alpha, h = ep2 / (2 * (1 + vk_sqrt(1 + k2)) + k2), eps = h * cos2_alpha, e2 = eps * eps;
    VK_EDGES p1 = h * (cos2_alpha * cos1 - 2 * circle.zz);
    VK_EDGES p2 = 2 * p1 * p1 - e2;
    VK_EDGES p3 = 2 * p1 * p2 - e2 * p1;
    VK_EDGES p4 = 2 * p1 * p3 - e2 * p2;
    VK_EDGES p5 = 2 * p1 * p4 - e2 * p3;
    VK_EDGES two_cos = 2 * cos1, sin2 = two_cos * sin1, sin3 = two_cos * sin2 - sin1, sin4 = two_cos * sin3 - sin2;
    VK_EDGES sin5 = two_cos * sin4 - sin3;
    VK_EDGES q1 = p1 * sin1, q2 = p2 * sin2, q3 = p3 * sin3, q4 = p4 * sin4, q5 = p5 * sin5;
    VK_EDGES b1 = q1 * (-1 + e2 * (3.0 / 8 - e2 * (1.0 / 16))) + q2 * (-1.0 / 8 + e2 * (1.0 / 16))
        + q3 * (-1.0 / 24 + e2 * (3.0 / 128)) - q4 * (5.0 / 256) - q5 * (7.0 / 640);
    VK_EDGES a1 = (eps + e2 * (0.25 + e2 * (1.0 / 64))) / (1 - eps);
    VK_EDGES b3 = q1 * (k->c310 + eps * (k->c311 + eps * (k->c312 + eps * k->c313)))
        + q2 * (k->c320 + eps * (k->c321 + eps * (3.0 / 64))) + q3 * (k->c330 + eps * (3.0 / 64)) + q4 * (7.0 / 256);
    VK_EDGES a3 = 1 - eps * (k->a31 + eps * (k->a32 + eps * (k->a33 + eps * k->a34)));
    VK_EDGES rest = f * sin_alpha * (a3 * (sigma + b3)) - turn;
    slope = (circle.c - sin_alpha * sin_alpha * cos1) * reciprocal;
    VK_EDGES x = f * (slope * sigma + sin_alpha * sin_alpha), stretch = 1 + x * (1 + x);
    VK_EDGES length = k->b * sigma + k->b * (a1 * sigma + (b1 + a1 * b1))
        + k->a * rest * (sin_alpha + 0.5 * slope * stretch * rest);
    vk_store(batch->center + i, vk_select(is_solved, length, (VK_EDGES)__builtin_nan("")));
  }
}
