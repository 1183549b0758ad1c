// VICINITY_PORTABLE_KERNELS stands before all headers: these are the kernels as a machine without known vector instructions
// has them.
#define VICINITY_PORTABLE_KERNELS
#include "include/portable_kernels.h"
#include "../../Sources/CVicinityKernels/kernels.c"

const vk_kernels *portable_kernels(void) { return &vk_portable_kernels; }

#define INLINE_KERNELS_NAME portable_inline_kernels
#include "inline_kernels.h"
