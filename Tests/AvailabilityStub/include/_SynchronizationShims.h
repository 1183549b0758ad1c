// What the toolchain's Synchronization for Linux calls of its own header, which includes Linux's.
#pragma once
#include <stdint.h>
static inline uint32_t _swift_stdlib_gettid(void) { return 0; }
static inline uint32_t _swift_stdlib_futex_lock(uint32_t *lock) { return 0; }
static inline uint32_t _swift_stdlib_futex_trylock(uint32_t *lock) { return 0; }
static inline uint32_t _swift_stdlib_futex_unlock(uint32_t *lock) { return 0; }
