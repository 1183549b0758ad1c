// Only the reentrant half of GEOS: every call takes a context handle.
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>
