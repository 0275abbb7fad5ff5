/* arena.h: memory of one search, owned in one place and freed at once.
 * May include: nothing of the project.
 */
#ifndef DT_CORE_ARENA_H
#define DT_CORE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct DtArenaBlock DtArenaBlock;

typedef struct {
    DtArenaBlock *blocks; /* newest first */
    size_t used;          /* bytes of the newest block */
    bool failed;          /* an allocation was refused; stays so until dt_arena_free */
} DtArena;

/* `count` zeroed elements of `size` bytes, aligned for any type; NULL (and failed set) if there
 * is no memory. A zero-initialized DtArena is an empty one. */
void *dt_arena_alloc(DtArena *arena, size_t count, size_t size);

/* Frees all that was allocated; the arena can be used again. */
void dt_arena_free(DtArena *arena);

#define DT_NEW(arena, type, count) ((type *)dt_arena_alloc((arena), (size_t)(count), sizeof(type)))

#endif
