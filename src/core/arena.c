#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 15 }; /* small enough for the heap, which is reused without page faults */

struct DtArenaBlock {
    DtArenaBlock *next;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

static DtArenaBlock *new_block(DtArena *arena, size_t need)
{
    size_t size = need > BLOCK_BYTES ? need : BLOCK_BYTES;
    DtArenaBlock *block = malloc(sizeof *block + size);
    if (!block)
        return NULL;
    block->next = arena->blocks;
    block->size = size;
    arena->blocks = block;
    arena->used = 0;
    return block;
}

void *dt_arena_alloc(DtArena *arena, size_t count, size_t size)
{
    size_t align = alignof(max_align_t), need;
    DtArenaBlock *block = arena->blocks;
    if (size != 0 && count > (SIZE_MAX / 2) / size) {
        arena->failed = true;
        return NULL;
    }
    need = (count * size + align - 1) / align * align;
    if (!block || block->size - arena->used < need)
        block = new_block(arena, need);
    if (!block) {
        arena->failed = true;
        return NULL;
    }
    void *result = block->bytes + arena->used;
    arena->used += need;
    return memset(result, 0, need);
}

void dt_arena_free(DtArena *arena)
{
    while (arena->blocks) {
        DtArenaBlock *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->used = 0;
    arena->failed = false;
}
