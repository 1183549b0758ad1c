// The vector operations of all kernels, on clang's own vectors.
//
// Each kernel is written once in terms of these and compiled for each width: four lanes (SSE2, NEON, or whatever the machine
// has), eight (AVX2) and sixteen (AVX-512). All widths do the same operations in the same order, and no product is fused into
// a sum, so their results are the same to the last bit.
//
// Comparisons set all bits of a lane or none. Only one operation needs an instruction that clang does not find by itself:
// vk_bits. With VICINITY_PORTABLE_KERNELS that is written without it.

#ifndef VICINITY_VECTORS_H
#define VICINITY_VECTORS_H

#include <stdint.h>
#include <string.h>

#if defined(VICINITY_PORTABLE_KERNELS)
#elif defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#pragma clang fp contract(off)

#define VK_VECTOR(lanes) __attribute__((ext_vector_type(lanes)))
#define VK_OVERLOADED static inline __attribute__((always_inline, overloadable))

typedef float vk_f4 VK_VECTOR(4);
typedef int32_t vk_i4 VK_VECTOR(4);
typedef double vk_d2 VK_VECTOR(2);
typedef double vk_d4 VK_VECTOR(4);
// What comparisons of doubles give: vectors of long or of long long, which only the compiler knows.
typedef __typeof__((vk_d2)0 < (vk_d2)0) vk_l2;
typedef __typeof__((vk_d4)0 < (vk_d4)0) vk_l4;

// The operations of one vector type. Where an operand is not a number, vk_min and vk_max return the second one, as MINPS does;
// FMIN on ARM would return the NaN.
#define VK_OPERATIONS(vector, mask, scalar) \
  VK_OVERLOADED vector vk_min(vector a, vector b) { return a < b ? a : b; } \
  VK_OVERLOADED vector vk_max(vector a, vector b) { return a > b ? a : b; } \
  VK_OVERLOADED vector vk_abs(vector a) { return __builtin_elementwise_abs(a); } \
  VK_OVERLOADED vector vk_sqrt(vector a) { return __builtin_elementwise_sqrt(a); } \
  VK_OVERLOADED vector vk_select(mask m, vector a, vector b) { return m ? a : b; } \
  /* NaN where the mask is set; vk_min and vk_max ignore that as their first operand. */ \
  VK_OVERLOADED vector vk_drop(mask m, vector a) { return (vector)(m | (mask)a); } \
  VK_OVERLOADED void vk_store(scalar *p, vector a) { memcpy(p, &a, sizeof a); }

// A vector from memory that need not be aligned.
#define VK_LOAD(vector, p) __extension__({ vector loaded; memcpy(&loaded, (p), sizeof loaded); loaded; })

VK_OPERATIONS(vk_f4, vk_i4, float)
VK_OPERATIONS(vk_d2, vk_l2, double)

static inline vk_f4 vk_load(const float *p) { return VK_LOAD(vk_f4, p); }
// From a 16-byte boundary, where a load can be part of another instruction.
static inline vk_f4 vk_load_aligned(const float *p) { return VK_LOAD(vk_f4, __builtin_assume_aligned(p, 16)); }

// Bit i for lane i of a comparison.
VK_OVERLOADED uint32_t vk_bits(vk_i4 mask) {
#if defined(VICINITY_PORTABLE_KERNELS)
  return (mask.x & 1) | (mask.y & 2) | (mask.z & 4) | (mask.w & 8);
#elif defined(__SSE2__)
  return (uint32_t)_mm_movemask_ps((__m128)mask);
#elif defined(__ARM_NEON) && defined(__aarch64__)
  return vaddvq_u32((uint32x4_t)(mask & (vk_i4){1, 2, 4, 8}));
#else
  return (mask.x & 1) | (mask.y & 2) | (mask.z & 4) | (mask.w & 8);
#endif
}

// Lanes of `a` where bits of `bits`, beginning with bit `lane`, are set, of `b` elsewhere.
VK_OVERLOADED vk_f4 vk_where(uint32_t bits, int lane, vk_f4 a, vk_f4 b) {
  return vk_select(((vk_i4)(int32_t)(bits >> lane) & (vk_i4){1, 2, 4, 8}) != 0, a, b);
}

// Sets the four low mantissa bits of each lane to `lane`, `lane` + 1 and so on.
VK_OVERLOADED vk_f4 vk_tag(vk_f4 a, int lane) {
  return (vk_f4)(((vk_i4)a & ~15) | ((vk_i4){0, 1, 2, 3} + lane));
}

// The smaller ones of `least` and four lanes. NaN in `a` is ignored.
VK_OVERLOADED vk_f4 vk_fold(vk_f4 least, vk_f4 a) { return vk_min(a, least); }

// The smallest of four lanes, by this order at every width.
static inline float vk_smallest4(vk_f4 a) {
  a = vk_min(a, a.zwzw);
  return vk_min(a, a.yyyy).x;
}
static inline float vk_largest4(vk_f4 a) { return -vk_smallest4(-a); }

static inline float vk_root(float x) { return __builtin_elementwise_sqrt(x); }
static inline vk_f4 vk_square(vk_f4 x, vk_f4 y, vk_f4 z) { return x * x + y * y + z * z; }

#endif
