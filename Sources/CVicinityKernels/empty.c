// The kernels are header-only; SwiftPM wants a source file.
#include "vicinity_kernels.h"
