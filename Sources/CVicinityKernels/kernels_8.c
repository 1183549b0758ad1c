// The kernels by vectors of eight (AVX2).

#if defined(__x86_64__)
#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "include/vicinity_kernels_by_width.h"

#define VK_LANES 8
#define VK_TABLE vk_kernels_8
#include "kernels_by_width.h"
#pragma clang attribute pop
#endif
