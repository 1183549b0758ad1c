// The kernels by vectors of four, and the choice of width.

#include "include/vicinity_kernels_by_width.h"

#define VK_LANES 4
#if defined(VICINITY_PORTABLE_KERNELS)
#define VK_TABLE vk_portable_kernels
#else
#define VK_TABLE vk_kernels_4
#endif
#include "kernels_by_width.h"

#if !defined(VICINITY_PORTABLE_KERNELS)
const vk_kernels *vk_widest_kernels = &vk_kernels_4;
static int widest;

int vk_widest(void) { return widest; }

#if defined(__x86_64__)
extern const vk_kernels vk_kernels_8, vk_kernels_16;

const vk_kernels *vk_kernels_of(int width) {
  return width == 2 ? &vk_kernels_16 : width == 1 ? &vk_kernels_8 : &vk_kernels_4;
}

// Before anything else runs, so that no thread sees it change.
__attribute__((constructor)) static void choose_width(void) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2")) return;
  widest = __builtin_cpu_supports("avx512f") ? 2 : 1;
  vk_widest_kernels = vk_kernels_of(widest);
}
#else
const vk_kernels *vk_kernels_of(int width) {
  (void)width;
  return &vk_kernels_4;
}
#endif
#endif
