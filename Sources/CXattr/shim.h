// Extended attributes, which the C library's own module leaves out.
#include <sys/xattr.h>
