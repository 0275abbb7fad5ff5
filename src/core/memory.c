#include "memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_bool watching;
static atomic_long num_requests, num_live, first_refused;
static atomic_bool refuse_later;

void dt_memory_watch(long refused, int and_later)
{
    atomic_store(&num_requests, 0);
    atomic_store(&num_live, 0);
    atomic_store(&first_refused, refused);
    atomic_store(&refuse_later, and_later != 0);
    atomic_store(&watching, true);
}

void dt_memory_unwatch(void)
{
    atomic_store(&watching, false);
}

long dt_memory_num_requests(void)
{
    return atomic_load(&num_requests);
}

long dt_memory_num_live(void)
{
    return atomic_load(&num_live);
}

static bool is_watched(void)
{
    return atomic_load_explicit(&watching, memory_order_relaxed);
}

/* Counts a request; whether it is to be refused. */
static bool refused(void)
{
    if (!is_watched())
        return false;
    long number = atomic_fetch_add(&num_requests, 1), first = atomic_load(&first_refused);
    return first >= 0 && (number == first || (number > first && atomic_load(&refuse_later)));
}

/* Counts a block that a request gave. */
static void *counted(void *block)
{
    if (block && is_watched())
        atomic_fetch_add(&num_live, 1);
    return block;
}

void *dt_malloc(size_t size)
{
    return refused() ? NULL : counted(malloc(size));
}

void *dt_calloc(size_t count, size_t size)
{
    return refused() ? NULL : counted(calloc(count, size));
}

void *dt_realloc(void *block, size_t size)
{
    if (refused())
        return NULL;
    void *grown = realloc(block, size);
    return block ? grown : counted(grown);
}

void dt_free(void *block)
{
    if (block && is_watched())
        atomic_fetch_sub(&num_live, 1);
    free(block);
}
