/* Memory of one search: zeroed, aligned, apart from each other, freed at once. */
#include <stdalign.h>
#include <stdint.h>

#include "check.h"
#include "core/arena.h"
#include "fixtures.h"

/* The sanitizers' malloc shall say no to what is too large, as the C library's does. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* Whether all bytes have a value. */
static bool all_are(const unsigned char *bytes, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

/* Blocks of many sizes keep what was written into them while others come. */
static void blocks_are_apart(void)
{
    enum { COUNT = 400 };
    unsigned char *block[COUNT];
    size_t size[COUNT];
    FixRandom random = fix_random(2);
    DtArena arena = {0};
    for (int round = 0; round < 2; round++) { /* an arena can be used again */
        for (int i = 0; i < COUNT; i++) {
            size[i] = fix_once_in(&random, 20) ? 50000 + fix_below(&random, 100000)
                                               : 1 + fix_below(&random, 300);
            block[i] = dt_arena_alloc(&arena, size[i], 1);
            CHECK_CASE("round %d, block %d of %zu bytes", round, i, size[i]);
            if (!CHECK(block[i] != NULL))
                return;
            CHECK((uintptr_t)block[i] % alignof(max_align_t) == 0);
            CHECK(all_are(block[i], size[i], 0));
            memset(block[i], 1 + i % 255, size[i]);
        }
        for (int i = 0; i < COUNT; i++) {
            CHECK_CASE("round %d, block %d of %zu bytes", round, i, size[i]);
            CHECK(all_are(block[i], size[i], (unsigned char)(1 + i % 255)));
        }
        dt_arena_free(&arena);
        CHECK(!arena.failed);
    }
}

static void elements_have_their_size(void)
{
    DtArena arena = {0};
    CHECK_CASE("elements");
    uint64_t *numbers = DT_NEW(&arena, uint64_t, 10000);
    char *text = DT_NEW(&arena, char, 3);
    CHECK(numbers && text && all_are((unsigned char *)numbers, 80000, 0));
    memset(numbers, 7, 80000);
    CHECK(text[0] == 0 && text[1] == 0 && text[2] == 0);
    CHECK(dt_arena_alloc(&arena, 0, 8) != NULL);
    CHECK(!arena.failed);
    dt_arena_free(&arena);
}

/* A refusal is remembered until the arena is freed, also when others succeed after it. */
static void check_refusal(size_t count, size_t size)
{
    DtArena arena = {0};
    CHECK_CASE("%zu elements of %zu bytes", count, size);
    CHECK(dt_arena_alloc(&arena, 4, 4) != NULL);
    CHECK(dt_arena_alloc(&arena, count, size) == NULL);
    CHECK(arena.failed);
    CHECK(dt_arena_alloc(&arena, 4, 4) != NULL);
    CHECK(arena.failed);
    dt_arena_free(&arena);
    CHECK(!arena.failed);
    CHECK(dt_arena_alloc(&arena, 4, 4) != NULL);
    dt_arena_free(&arena);
}

int main(void)
{
    blocks_are_apart();
    elements_have_their_size();
    check_refusal(SIZE_MAX, SIZE_MAX);  /* the product overflows */
    check_refusal(SIZE_MAX / 8 + 2, 8); /* to 8 bytes */
    check_refusal(SIZE_MAX / 2 + 2, 2); /* to 2 bytes */
    check_refusal(SIZE_MAX / 4, 1);     /* no overflow: malloc refuses */
    return check_finish("arena");
}
