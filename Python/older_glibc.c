/* Lets the wheel's library, linked on a newer system, run with glibc 2.27 and later. The linker sends each reference to NAME to
 * __wrap_NAME, which is here and goes on to the NAME of old: newer releases give the same function a newer version, mostly because it has
 * moved from one of their libraries to another. auditwheel says whether a name is missing here. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#define JUMP(name) "jmp *older_" #name "@GOTPCREL(%rip)\n"
/* The version of a processor's first glibc, which has what is older. */
#define FIRST "GLIBC_2.2.5"
#define LATER(version) version
#define STAT_VERSION 1
#elif defined(__aarch64__)
#define JUMP(name) "adrp x16, :got:older_" #name "\nldr x16, [x16, :got_lo12:older_" #name "]\nbr x16\n"
#define FIRST "GLIBC_2.17"
#define LATER(version) FIRST
#define STAT_VERSION 0
#else
#error "no wheel is made for this processor"
#endif

#define BIND(name, version)                                                                              \
  __asm__(".symver older_" #name ", " #name "@" version "\n.pushsection .text\n.globl __wrap_" #name     \
          "\n.type __wrap_" #name ", %function\n__wrap_" #name ": " JUMP(name) ".popsection");

/* Since 2.29 and 2.35 without the errors of System V; what they compute is the same. */
BIND(exp, FIRST)
BIND(exp2, FIRST)
BIND(log, FIRST)
BIND(log2, FIRST)
BIND(pow, FIRST)
BIND(hypotf, FIRST)

/* Since 2.32 and 2.34 in the C library itself. */
BIND(dladdr, FIRST)
BIND(dlerror, FIRST)
BIND(dlopen, FIRST)
BIND(dlsym, FIRST)
BIND(pthread_attr_getstack, FIRST)
BIND(pthread_create, FIRST)
BIND(pthread_detach, FIRST)
BIND(pthread_getaffinity_np, LATER("GLIBC_2.3.4"))
BIND(pthread_getattr_np, FIRST)
BIND(pthread_key_create, FIRST)
BIND(pthread_kill, FIRST)
BIND(pthread_mutexattr_destroy, FIRST)
BIND(pthread_mutexattr_init, FIRST)
BIND(pthread_mutexattr_settype, FIRST)
BIND(pthread_setname_np, LATER("GLIBC_2.12"))
BIND(pthread_setspecific, FIRST)
BIND(pthread_sigmask, FIRST)
BIND(sem_destroy, FIRST)
BIND(sem_init, FIRST)
BIND(sem_open, FIRST)
BIND(sem_post, FIRST)
BIND(sem_timedwait, FIRST)
BIND(sem_wait, FIRST)

/* Before 2.33 these stood in the header, and called functions that are told the layout. */
int __xstat(int, const char *, struct stat *);
int __lxstat(int, const char *, struct stat *);
int __fxstat(int, int, struct stat *);
int __wrap_stat(const char *path, struct stat *found) { return __xstat(STAT_VERSION, path, found); }
int __wrap_lstat(const char *path, struct stat *found) { return __lxstat(STAT_VERSION, path, found); }
int __wrap_fstat(int file, struct stat *found) { return __fxstat(STAT_VERSION, file, found); }

/* std::__throw_bad_array_new_length, of GCC 11; what calls it is compiled without exceptions. */
_Noreturn void __wrap__ZSt28__throw_bad_array_new_lengthv(void) { abort(); }
