/* memory.h: all memory that the core gets and gives back, so that a test can count it and have any
 * one request refused. Without a test these are malloc and its kin.
 * May include: nothing of the project.
 */
#ifndef DT_CORE_MEMORY_H
#define DT_CORE_MEMORY_H

#include <stddef.h>

/* As malloc, calloc, realloc and free. What one of the first three gives goes to dt_free. */
void *dt_malloc(size_t size);
void *dt_calloc(size_t count, size_t size);
void *dt_realloc(void *block, size_t size);
void dt_free(void *block);

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
