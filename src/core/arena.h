/* arena.h: memory of one search, owned in one place and freed at once.
 * May include: nothing of the project.
 */
#ifndef DT_CORE_ARENA_H
#define DT_CORE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct DtArenaBlock DtArenaBlock;

typedef struct {
    DtArenaBlock *first;   /* blocks in the order in which they are filled */
    DtArenaBlock *current; /* the one being filled */
    size_t used;           /* bytes of it */
    bool failed;           /* an allocation was refused; stays so until a reset */
} DtArena;

/* `count` zeroed elements of `size` bytes, aligned for any type; NULL (and failed set) if there
 * is no memory. A zero-initialized DtArena is an empty one. */
void *dt_arena_alloc(DtArena *arena, size_t count, size_t size);

/* Forgets all that was allocated and keeps the memory for what comes next. */
void dt_arena_reset(DtArena *arena);

/* Frees all memory; the arena can be used again. */
void dt_arena_free(DtArena *arena);

#define DT_NEW(arena, type, count) ((type *)dt_arena_alloc((arena), (size_t)(count), sizeof(type)))

#endif
