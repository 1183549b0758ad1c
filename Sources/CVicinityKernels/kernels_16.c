// The kernels by vectors of sixteen (AVX-512).

#if defined(__x86_64__)
#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2,avx512f"))), apply_to = function)
#include "include/vicinity_kernels_by_width.h"

#define VK_LANES 16
#define VK_TABLE vk_kernels_16
#include "kernels_by_width.h"
#pragma clang attribute pop
#endif
