/* What the wheel's library takes from newer systems and older ones do not have as functions; see older_glibc.txt. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/stat.h>

#ifndef __x86_64__
#error "wheels are made for x86-64"
#endif

/* Before glibc 2.33 these stood in the header, and called functions that are told the layout. */
int __xstat(int, const char *, struct stat *);
int __lxstat(int, const char *, struct stat *);
int __fxstat(int, int, struct stat *);
int stat(const char *restrict path, struct stat *restrict found) { return __xstat(1, path, found); }
int lstat(const char *restrict path, struct stat *restrict found) { return __lxstat(1, path, found); }
int fstat(int file, struct stat *found) { return __fxstat(1, file, found); }

/* std::__throw_bad_array_new_length, of GCC 11; what calls it is compiled without exceptions. */
_Noreturn void _ZSt28__throw_bad_array_new_lengthv(void) { abort(); }
