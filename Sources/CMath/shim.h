// The C library's mathematics on every platform: `import CMath` instead of one of Glibc, Musl and Darwin.
#include <math.h>
