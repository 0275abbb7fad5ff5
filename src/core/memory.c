#include "memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool watching;
static atomic_long num_requests, num_live, first_refused;
static atomic_bool refuse_later;

static size_t limit_bytes; /* 0: none */
static atomic_size_t used_bytes;

void dt_memory_limit(size_t bytes)
{
    limit_bytes = bytes;
}

bool dt_memory_take(size_t bytes)
{
    if (limit_bytes == 0)
        return true;
    size_t before = atomic_fetch_add(&used_bytes, bytes);
    if (bytes <= limit_bytes && before <= limit_bytes - bytes)
        return true;
    atomic_fetch_sub(&used_bytes, bytes);
    return false;
}

void dt_memory_give(size_t bytes)
{
    if (limit_bytes != 0)
        atomic_fetch_sub(&used_bytes, bytes);
}

/* The block, if the limit allows it; else frees it and returns NULL. What counts is what the
 * system gave, so that dt_free knows it. */
static void *allowed(void *block)
{
    if (limit_bytes == 0 || !block || dt_memory_take(malloc_usable_size(block)))
        return block;
    free(block);
    return NULL;
}

static bool is_too_large(size_t count, size_t size)
{
    return limit_bytes != 0 && size != 0 && count > limit_bytes / size;
}

/* realloc under the limit. */
static void *resized(void *block, size_t size)
{
    size_t before = block ? malloc_usable_size(block) : 0;
    size_t more = size > before ? size - before : 0;
    if (!dt_memory_take(more))
        return NULL;
    void *grown = realloc(block, size);
    if (!grown) {
        dt_memory_give(more);
        return NULL;
    }
    atomic_fetch_add(&used_bytes, malloc_usable_size(grown) - before - more); /* may wrap */
    return grown;
}

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
    return refused() || is_too_large(1, size) ? NULL : counted(allowed(malloc(size)));
}

void *dt_calloc(size_t count, size_t size)
{
    return refused() || is_too_large(count, size) ? NULL : counted(allowed(calloc(count, size)));
}

void *dt_realloc(void *block, size_t size)
{
    if (refused())
        return NULL;
    void *grown = limit_bytes == 0 ? realloc(block, size) : resized(block, size);
    return block ? grown : counted(grown);
}

void dt_free(void *block)
{
    if (block && is_watched())
        atomic_fetch_sub(&num_live, 1);
    if (block && limit_bytes != 0)
        dt_memory_give(malloc_usable_size(block));
    free(block);
}
