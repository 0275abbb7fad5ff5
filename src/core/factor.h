/* factor.h: divisors of 64-bit numbers, also of those with large prime factors.
 * May include: arena.h.
 */
#ifndef DT_CORE_FACTOR_H
#define DT_CORE_FACTOR_H

#include <stdint.h>

#include "arena.h"

typedef struct {
    uint64_t *value; /* ascending, owned by the arena */
    int count;
} DtDivisors;

/* All divisors of n >= 1, ascending. On lack of memory count is 0 and the arena says failed.
 * Time: a few microseconds for smooth numbers, milliseconds for a product of two large primes. */
DtDivisors dt_divisors(DtArena *arena, uint64_t n);

/* Position of a value among the divisors, or -1. */
int dt_divisors_find(const DtDivisors *divisors, uint64_t value);

/* Position of the first divisor >= value (count if there is none). */
int dt_divisors_at_least(const DtDivisors *divisors, double value);

uint64_t dt_gcd(uint64_t a, uint64_t b);

/* Whether b lies in [r, 4 r], r the floor of the square root of a * b. a, b: 1 to 2^62. */
bool dt_nearly_square(uint64_t a, uint64_t b);

#endif
