// What files need of the system: inflaters for packed ones, and extended attributes, which the C library's own module leaves out.
#include <bzlib.h>
#include <lzma.h>
#include <sys/xattr.h>
#include <zlib.h>
#include <zstd.h>
