/* parallel.h: the same work by several threads, the caller one of them.
 * May include: nothing of the project.
 */
#ifndef DT_CORE_PARALLEL_H
#define DT_CORE_PARALLEL_H

#include <stddef.h>

enum { DT_MAX_THREADS = 256 };

/* Calls work(worker i) for the workers[0 .. count - 1], an array of elements of `size` bytes,
 * worker 0 in the calling thread and each other in a thread of its own, and returns when all have
 * returned. While the caller waits for the others it calls idle(worker 0) every few
 * milliseconds, so that it can go on polling for an interrupt. A thread that cannot be had is
 * done without: its worker is not run, so work must be shared out dynamically.
 * count: 1 to DT_MAX_THREADS. */
void dt_parallel(void *workers, size_t size, int count, void (*work)(void *worker),
                 void (*idle)(void *worker));

#endif
