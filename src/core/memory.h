/* memory.h: all memory that the core gets and gives back, so that a test can count it and have any
 * one request refused, and so that a host can limit it. Without both these are malloc and its kin.
 * May include: nothing of the project.
 */
#ifndef DT_CORE_MEMORY_H
#define DT_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* As malloc, calloc, realloc and free. What one of the first three gives goes to dt_free. */
void *dt_malloc(size_t size);
void *dt_calloc(size_t count, size_t size);
void *dt_realloc(void *block, size_t size);
void dt_free(void *block);

/* No more than `bytes` in all, of the core's blocks and of what dt_memory_take took, are in use at
 * any time from now on; a request beyond fails as if there was no memory. To be called once, while
 * no block is in use. */
void dt_memory_limit(size_t bytes);

/* Counts bytes that the host got on its own under the limit, and those that it gave back.
 * dt_memory_take returns false, and counts nothing, if the limit does not allow them. */
bool dt_memory_take(size_t bytes);
void dt_memory_give(size_t bytes);

/* For tests: starts counting from zero and refuses the request number `refused`, the first being
 * 0, and all after it if `and_later`; a negative number refuses none. Not while other threads use
 * the core. Blocks got before must not be given back while it counts. */
void dt_memory_watch(long refused, int and_later);

/* Ends the counting and the refusing. */
void dt_memory_unwatch(void);

/* Requests since dt_memory_watch, and blocks of them that were not given back. */
long dt_memory_num_requests(void);
long dt_memory_num_live(void);

#endif
