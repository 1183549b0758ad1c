// The part of Apple's C library that the package uses: types and constants as in xnu's headers (bsd/sys, opensource.apple.com), with nothing behind them.
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef int64_t off_t;
typedef uint16_t mode_t;
typedef long ssize_t;
typedef long time_t;
typedef int32_t dev_t, pid_t;
typedef uint32_t uid_t;

// sys/errno.h
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EEXIST 17
#define EINVAL 22
#define ENOSPC 28
#define EROFS 30
#define EPIPE 32
#define EWOULDBLOCK 35
#define ENOTSUP 45
#define ELOOP 62

// sys/fcntl.h
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x0004
#define O_NOFOLLOW 0x0100
#define O_CREAT 0x0200
#define O_TRUNC 0x0400
#define O_EXCL 0x0800
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
int flock(int, int);

// sys/mman.h
#define PROT_READ 0x01
#define PROT_WRITE 0x02
#define MAP_SHARED 0x0001
#define MAP_PRIVATE 0x0002
#define MAP_ANON 0x1000
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
int madvise(void *, size_t, int);

// time.h, sys/stat.h
struct timespec { time_t tv_sec; long tv_nsec; };
typedef enum { _CLOCK_REALTIME = 0, _CLOCK_MONOTONIC = 6 } clockid_t;
int clock_gettime(clockid_t, struct timespec *);
struct stat {
  dev_t st_dev; mode_t st_mode; uint16_t st_nlink; uint64_t st_ino; uid_t st_uid, st_gid; dev_t st_rdev;
  struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec; off_t st_size;
};
int stat(const char *, struct stat *);
int lstat(const char *, struct stat *);
int fstat(int, struct stat *);
int fchmod(int, mode_t);

// unistd.h, stdio.h, stdlib.h
#define _SC_NPROCESSORS_ONLN 58
long sysconf(int);
int close(int);
ssize_t pread(int, void *, size_t, off_t);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t readlink(const char *, char *, size_t);
int fsync(int);
int ftruncate(int, off_t);
#define SEEK_SET 0
off_t lseek(int, off_t, int);
int unlink(const char *);
int rename(const char *, const char *);
pid_t getpid(void);
void *malloc(size_t);
void free(void *);
