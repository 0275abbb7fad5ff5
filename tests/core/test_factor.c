/* Divisors and gcd against trial division; large numbers by their known factorizations. */
#include "check.h"
#include "core/factor.h"
#include "fixtures.h"

#define P31 2147483647u /* 2^31 - 1, prime */
#define Q31 2147483629u /* 2^31 - 19, the prime before it */

/* The divisors of n are exactly the `count` in `expected`. */
static void check_divisors(uint64_t n, const uint64_t expected[], int count)
{
    DtArena arena = {0};
    DtDivisors divisors = dt_divisors(&arena, n);
    CHECK_CASE("n = %llu", (unsigned long long)n);
    if (CHECK_INT(divisors.count, count))
        for (int i = 0; i < count; i++)
            CHECK(divisors.value[i] == expected[i]);
    dt_arena_free(&arena);
}

static void small_numbers_by_trial(void)
{
    for (uint64_t n = 1; n <= 3000; n++) {
        uint64_t expected[100];
        int count = 0;
        for (uint64_t d = 1; d <= n; d++)
            if (n % d == 0)
                expected[count++] = d;
        check_divisors(n, expected, count);
    }
}

/* Around 1000^2: products of two primes near the largest prime that trial division meets. */
static void products_of_primes_near_1000(void)
{
    static const uint64_t primes[] = {991, 997, 1009, 1013};
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++) {
            uint64_t p = primes[i], q = primes[j];
            uint64_t expected[] = {1, p, q, p * q}, square[] = {1, p, p * q};
            check_divisors(p * q, i == j ? square : expected, i == j ? 3 : 4);
        }
}

static void large_numbers(void)
{
    const uint64_t m61 = 2305843009213693951u; /* 2^61 - 1, a Mersenne prime */
    const uint64_t prime[] = {1, m61};
    const uint64_t prime31[] = {1, P31};
    const uint64_t semiprime[] = {1, Q31, P31, (uint64_t)P31 * Q31};
    const uint64_t square[] = {1, P31, (uint64_t)P31 * P31};
    const uint64_t twice[] = {1, 2, P31, 2 * (uint64_t)P31};
    /* 3825123056546413051 = 149491 * 747451 * 34233211 passes Miller-Rabin for the bases 2 to 23
     * (Jaeschke 1993). */
    const uint64_t a = 149491, b = 747451, c = 34233211;
    const uint64_t pseudoprime[] = {1, a, b, c, a * b, a * c, b * c, a * b * c};
    uint64_t powers[63];
    for (int i = 0; i < 63; i++)
        powers[i] = (uint64_t)1 << i;
    check_divisors(m61, prime, 2);
    check_divisors(P31, prime31, 2);
    check_divisors((uint64_t)P31 * Q31, semiprime, 4);
    check_divisors((uint64_t)P31 * P31, square, 3);
    check_divisors(2 * (uint64_t)P31, twice, 4);
    check_divisors(3825123056546413051u, pseudoprime, 8);
    check_divisors((uint64_t)1 << 62, powers, 63);
}

/* 897612484786617600 = 2^8 3^4 5^2 7^2 11 13 17 19 23 29 31 37 has 9 * 5 * 3 * 3 * 2^8 = 103680
 * divisors, more than any other number up to it (OEIS A002182). */
static void most_divisors_below_10_to_18(void)
{
    const uint64_t n = 897612484786617600u;
    DtArena arena = {0};
    DtDivisors divisors = dt_divisors(&arena, n);
    bool divide = true, ascend = true, pair = true;
    CHECK_CASE("n = 897612484786617600");
    CHECK_INT(divisors.count, 103680);
    for (int i = 0; i < divisors.count; i++) {
        divide &= n % divisors.value[i] == 0;
        ascend &= i == 0 || divisors.value[i - 1] < divisors.value[i];
        pair &= divisors.value[i] * divisors.value[divisors.count - 1 - i] == n;
    }
    CHECK(divide && ascend && pair);
    dt_arena_free(&arena);
}

/* Products of random primes: the number of divisors is that of the subsets. */
static void random_products(void)
{
    static const uint64_t primes[] = {2, 3, 5, 7, 11, 13, 101, 1009, 10007, 100003, 1000003};
    FixRandom random = fix_random(1);
    for (int round = 0; round < FIX_ROUNDS(300); round++) {
        int exponent[11] = {0}, count = 1;
        uint64_t n = 1;
        DtArena arena = {0};
        for (;;) {
            uint64_t at = fix_below(&random, 11);
            if (n > ((uint64_t)1 << 62) / primes[at])
                break;
            n *= primes[at];
            exponent[at]++;
        }
        for (int i = 0; i < 11; i++)
            count *= exponent[i] + 1;
        DtDivisors divisors = dt_divisors(&arena, n);
        CHECK_CASE("round %d, n = %llu", round, (unsigned long long)n);
        CHECK_INT(divisors.count, count);
        bool right = true; /* they divide and ascend */
        for (int i = 0; i < divisors.count; i++)
            right &=
                n % divisors.value[i] == 0 && (i == 0 || divisors.value[i - 1] < divisors.value[i]);
        CHECK(right);
        dt_arena_free(&arena);
    }
}

/* The divisors of 360: 1 2 3 4 5 6 8 9 10 12 15 18 20 24 30 36 40 45 60 72 90 120 180 360. */
static void looking_up(void)
{
    DtArena arena = {0};
    DtDivisors divisors = dt_divisors(&arena, 360);
    DtDivisors powers = dt_divisors(&arena, (uint64_t)1 << 62);
    CHECK_CASE("360");
    CHECK_INT(dt_divisors_find(&divisors, 1), 0);
    CHECK_INT(dt_divisors_find(&divisors, 7), -1);
    CHECK_INT(dt_divisors_find(&divisors, 8), 6);
    CHECK_INT(dt_divisors_find(&divisors, 360), 23);
    CHECK_INT(dt_divisors_find(&divisors, 361), -1);
    CHECK_INT(dt_divisors_find(&divisors, 0), -1);
    CHECK_INT(dt_divisors_at_least(&divisors, 0), 0);
    CHECK_INT(dt_divisors_at_least(&divisors, 6.5), 6);
    CHECK_INT(dt_divisors_at_least(&divisors, 8), 6);
    CHECK_INT(dt_divisors_at_least(&divisors, 8.0001), 7);
    CHECK_INT(dt_divisors_at_least(&divisors, 360.5), 24);
    CHECK_INT(dt_divisors_at_least(&divisors, INFINITY), 24);
    /* 2^61 + 1 rounds to 2^61 as a double, but is no divisor. */
    CHECK_INT(dt_divisors_find(&powers, (uint64_t)1 << 61), 61);
    CHECK_INT(dt_divisors_find(&powers, ((uint64_t)1 << 61) + 1), -1);
    CHECK_INT(dt_divisors_find(&powers, ((uint64_t)1 << 61) - 1), -1);
    dt_arena_free(&arena);
}

static void gcd(void)
{
    CHECK_CASE("gcd");
    for (uint64_t a = 1; a <= 60; a++)
        for (uint64_t b = 1; b <= 60; b++) {
            uint64_t largest = 1;
            for (uint64_t d = 2; d <= a; d++)
                if (a % d == 0 && b % d == 0)
                    largest = d;
            CHECK_INT(dt_gcd(a, b), largest);
        }
    CHECK_INT(dt_gcd(0, 5), 5);
    CHECK_INT(dt_gcd(5, 0), 5);
    CHECK(dt_gcd((uint64_t)P31 * Q31, (uint64_t)P31 * P31) == P31);
    CHECK(dt_gcd((uint64_t)1 << 62, 6u * ((uint64_t)1 << 40)) == (uint64_t)1 << 41);
}

/* b in [r, 4 r] with r = floor(sqrt(a b)), r counted up. */
static void nearly_square_by_counting(void)
{
    for (uint64_t a = 1; a <= 250; a++)
        for (uint64_t b = 1; b <= 250; b++) {
            uint64_t r = 0;
            while ((r + 1) * (r + 1) <= a * b)
                r++;
            CHECK_CASE("a = %llu, b = %llu", (unsigned long long)a, (unsigned long long)b);
            CHECK_INT(dt_nearly_square(a, b), b >= r && b <= 4 * r);
        }
}

/* At the edges of large numbers, by algebra.
 * Low edge: a = b + 2 has a b = (b + 1)^2 - 1, so r = b; a = b + 3 has r >= b + 1.
 * High edge: b = 2^62, a = 2^58 has r = 2^60 = b / 4; a smaller a has a smaller r. */
static void nearly_square_at_edges(void)
{
    static const uint64_t sides[] = {1000003, 4294967295u, 4294967296u, 2305843009213693952u};
    const uint64_t most = (uint64_t)1 << 62;
    for (int i = 0; i < 4; i++) {
        CHECK_CASE("side %llu", (unsigned long long)sides[i]);
        CHECK(dt_nearly_square(sides[i], sides[i]));
        CHECK(dt_nearly_square(sides[i] + 2, sides[i]));
        CHECK(!dt_nearly_square(sides[i] + 3, sides[i]));
        CHECK(dt_nearly_square(sides[i], 16 * (sides[i] < most / 16 ? sides[i] : 1)) ==
              (sides[i] < most / 16));
    }
    CHECK_CASE("2^62");
    CHECK(dt_nearly_square(most, most));
    CHECK(dt_nearly_square(most >> 4, most));
    CHECK(!dt_nearly_square((most >> 4) - 1, most));
    CHECK(!dt_nearly_square(most, most >> 4));
}

int main(void)
{
    small_numbers_by_trial();
    products_of_primes_near_1000();
    large_numbers();
    most_divisors_below_10_to_18();
    random_products();
    looking_up();
    gcd();
    nearly_square_by_counting();
    nearly_square_at_edges();
    return check_finish("factor");
}
