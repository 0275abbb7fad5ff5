#include "factor.h"

__extension__ typedef unsigned __int128 Wide;

enum { MAX_PRIMES = 15 }; /* the product of the 16 smallest primes passes 2^64 */

typedef struct {
    uint64_t prime[MAX_PRIMES];
    int exponent[MAX_PRIMES];
    int count;
} Factors;

uint64_t dt_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool dt_nearly_square(uint64_t a, uint64_t b)
{
    uint64_t quarter = (b + 3) / 4; /* b <= 4 r just where r >= quarter, or a b >= quarter^2 */
    /* r <= b just where a b < (b + 1)^2, or a < b + 2 + 1 / b */
    return a <= b + 2 && (Wide)a * b >= (Wide)quarter * quarter;
}

static uint64_t multiply_mod(uint64_t a, uint64_t b, uint64_t n)
{
    return (uint64_t)((Wide)a * b % n);
}

static uint64_t power_mod(uint64_t base, uint64_t exponent, uint64_t n)
{
    uint64_t result = 1;
    for (base %= n; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = multiply_mod(result, base, n);
        base = multiply_mod(base, base, n);
    }
    return result;
}

/* Miller-Rabin with the bases that decide every 64-bit number. n is odd and above 37. */
static bool is_prime(uint64_t n)
{
    static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    uint64_t odd = n - 1;
    int twos = 0;
    while (odd % 2 == 0) {
        odd /= 2;
        twos++;
    }
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        uint64_t x = power_mod(bases[i], odd, n);
        bool passes = x == 1 || x == n - 1;
        for (int j = 1; j < twos && !passes; j++) {
            x = multiply_mod(x, x, n);
            passes = x == n - 1;
        }
        if (!passes)
            return false;
    }
    return true;
}

/* A proper factor of an odd composite n, by Pollard's rho. */
static uint64_t proper_factor(uint64_t n)
{
    for (uint64_t step = 1;; step++) {
        uint64_t slow = 2, fast = 2, factor = 1;
        while (factor == 1) {
            slow = (multiply_mod(slow, slow, n) + step) % n;
            fast = (multiply_mod(fast, fast, n) + step) % n;
            fast = (multiply_mod(fast, fast, n) + step) % n;
            factor = dt_gcd(slow > fast ? slow - fast : fast - slow, n);
        }
        if (factor != n)
            return factor;
    }
}

static void add_prime(Factors *factors, uint64_t prime)
{
    for (int i = 0; i < factors->count; i++) {
        if (factors->prime[i] == prime) {
            factors->exponent[i]++;
            return;
        }
    }
    factors->prime[factors->count] = prime;
    factors->exponent[factors->count++] = 1;
}

/* n has no prime factor below `tried`. Recursion is at most 6 deep: each half is below a root. */
static void split(Factors *factors, uint64_t n, uint64_t tried)
{
    if (n == 1)
        return;
    if (n < tried * tried || is_prime(n)) {
        add_prime(factors, n);
        return;
    }
    uint64_t factor = proper_factor(n);
    split(factors, factor, tried);
    split(factors, n / factor, tried);
}

static Factors factorize(uint64_t n)
{
    enum { TRIED = 1000 };
    Factors factors = {.count = 0};
    for (uint64_t p = 2; p < TRIED && p * p <= n; p += p == 2 ? 1 : 2) {
        while (n % p == 0) {
            add_prime(&factors, p);
            n /= p;
        }
    }
    split(&factors, n, n < TRIED ? n : TRIED);
    return factors;
}

/* Merges the sorted list `a` with the sorted list `base` times `power` into `to`. */
static void merge_multiples(const uint64_t *a, int num_a, const uint64_t *base, int num_base,
                            uint64_t power, uint64_t *to)
{
    int i = 0, j = 0;
    while (i < num_a || j < num_base) {
        bool first = j >= num_base || (i < num_a && a[i] < base[j] * power);
        *to++ = first ? a[i++] : base[j++] * power;
    }
}

DtDivisors dt_divisors(DtArena *arena, uint64_t n)
{
    Factors factors = factorize(n);
    int total = 1, count = 1;
    for (int i = 0; i < factors.count; i++)
        total *= factors.exponent[i] + 1;
    uint64_t *list = DT_NEW(arena, uint64_t, total), *next = DT_NEW(arena, uint64_t, total);
    uint64_t *base = DT_NEW(arena, uint64_t, total);
    DtDivisors divisors = {NULL, 0};
    if (!list || !next || !base)
        return divisors;
    list[0] = 1;
    for (int i = 0; i < factors.count; i++) {
        int num_base = count; /* divisors without this prime: each of its powers adds as many */
        uint64_t power = 1;
        for (int j = 0; j < num_base; j++)
            base[j] = list[j];
        for (int e = 0; e < factors.exponent[i]; e++) {
            uint64_t *merged = next;
            power *= factors.prime[i];
            merge_multiples(list, count, base, num_base, power, merged);
            next = list;
            list = merged;
            count += num_base;
        }
    }
    divisors.value = list;
    divisors.count = count;
    return divisors;
}

int dt_divisors_at_least(const DtDivisors *divisors, double value)
{
    int low = 0, high = divisors->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if ((double)divisors->value[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int dt_divisors_find(const DtDivisors *divisors, uint64_t value)
{
    int at = dt_divisors_at_least(divisors, (double)value);
    while (at < divisors->count && divisors->value[at] < value)
        at++;
    return at < divisors->count && divisors->value[at] == value ? at : -1;
}
