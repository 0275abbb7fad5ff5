#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "memory.h"

enum { BLOCK_BYTES = 1 << 15 }; /* small enough for the heap, which is reused without page faults */

struct DtArenaBlock {
    DtArenaBlock *next;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

/* Makes the next block with room for `need` bytes the current one. Returns false if there is no
 * memory. */
static bool next_block(DtArena *arena, size_t need)
{
    DtArenaBlock *kept = arena->current ? arena->current->next : arena->first;
    if (kept && kept->size >= need) {
        arena->current = kept;
        arena->used = 0;
        return true;
    }
    size_t size = need > BLOCK_BYTES ? need : BLOCK_BYTES;
    DtArenaBlock *block = dt_malloc(sizeof *block + size);
    if (!block)
        return false;
    block->next = kept;
    block->size = size;
    if (arena->current)
        arena->current->next = block;
    else
        arena->first = block;
    arena->current = block;
    arena->used = 0;
    return true;
}

void *dt_arena_alloc(DtArena *arena, size_t count, size_t size)
{
    size_t align = alignof(max_align_t), need;
    if (size != 0 && count > (SIZE_MAX / 2) / size) {
        arena->failed = true;
        return NULL;
    }
    need = (count * size + align - 1) / align * align;
    bool room = arena->current && arena->current->size - arena->used >= need;
    if (!room && !next_block(arena, need)) {
        arena->failed = true;
        return NULL;
    }
    void *result = arena->current->bytes + arena->used;
    arena->used += need;
    return memset(result, 0, need);
}

void dt_arena_reset(DtArena *arena)
{
    arena->current = NULL;
    arena->used = 0;
    arena->failed = false;
}

void dt_arena_free(DtArena *arena)
{
    while (arena->first) {
        DtArenaBlock *next = arena->first->next;
        dt_free(arena->first);
        arena->first = next;
    }
    dt_arena_reset(arena);
}
