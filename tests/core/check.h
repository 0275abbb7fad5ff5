/* check.h: what the C tests are written with. One program per file:
 *
 *     int main(void)
 *     {
 *         for (size_t i = 0; i < num_rows; i++) {
 *             CHECK_CASE("row %zu", i);
 *             CHECK_CLOSE(dt_something(rows[i].x), rows[i].y, 1e-9);
 *         }
 *         return check_finish("something");
 *     }
 *
 * A failed check prints its file, line, case and values, and the test goes on. check_finish
 * prints "NAME: N passed, N failed", which the test command adds up, and gives main's result.
 */
#ifndef DT_TESTS_CHECK_H
#define DT_TESTS_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int check_num_passed;
static int check_num_failed;
static char check_case[200];

/* Names the case that the following checks belong to, as printf does; "" for none. */
#define CHECK_CASE(...) ((void)snprintf(check_case, sizeof check_case, __VA_ARGS__))

/* condition is true. */
#define CHECK(condition) check_true((condition), #condition, __FILE__, __LINE__)

/* Two whole numbers that fit into long long are the same. */
#define CHECK_INT(actual, expected) \
    check_int((long long)(actual), (long long)(expected), #actual, __FILE__, __LINE__)

/* |actual - expected| <= relative * |expected|. Equal infinities are close, a NaN never is. */
#define CHECK_CLOSE(actual, expected, relative) \
    check_close((actual), (expected), (relative), #actual, __FILE__, __LINE__)

/* Two strings are the same; NULL is only the same as NULL. */
#define CHECK_STR(actual, expected) check_str((actual), (expected), #actual, __FILE__, __LINE__)

/* Counts one check; false if it failed, after the start of its message. */
static inline bool check_count(bool passed, const char *what, const char *file, int line)
{
    if (passed) {
        check_num_passed++;
        return true;
    }
    check_num_failed++;
    printf("%s:%d: %s%s%s", file, line, check_case, *check_case ? ": " : "", what);
    return false;
}

static inline bool check_true(bool condition, const char *what, const char *file, int line)
{
    if (!check_count(condition, what, file, line))
        printf(" does not hold\n");
    return condition;
}

static inline bool check_int(long long actual, long long expected, const char *what,
                             const char *file, int line)
{
    bool same = actual == expected;
    if (!check_count(same, what, file, line))
        printf(" is %lld, not %lld\n", actual, expected);
    return same;
}

static inline bool check_close(double actual, double expected, double relative, const char *what,
                               const char *file, int line)
{
    double difference = fabs(actual - expected);
    bool close = isinf(expected) ? isinf(actual) && signbit(actual) == signbit(expected)
                                 : difference <= relative * fabs(expected);
    if (!check_count(close, what, file, line))
        printf(" is %.17g, not %.17g (relative difference %.3g, %.3g allowed)\n", actual, expected,
               difference / fabs(expected), relative);
    return close;
}

static inline bool check_str(const char *actual, const char *expected, const char *what,
                             const char *file, int line)
{
    bool same = actual && expected ? strcmp(actual, expected) == 0 : actual == expected;
    if (!check_count(same, what, file, line))
        printf(" is \"%s\", not \"%s\"\n", actual ? actual : "(null)",
               expected ? expected : "(null)");
    return same;
}

/* Prints the tally; 0 if every check passed and there was one, else 1. */
static inline int check_finish(const char *name)
{
    printf("%s: %d passed, %d failed\n", name, check_num_passed, check_num_failed);
    return check_num_failed == 0 && check_num_passed > 0 ? 0 : 1;
}

#endif
