#include "parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

typedef struct {
    void (*work)(void *worker);
    void *worker;
    atomic_int *running;
    pthread_t thread;
} Job;

static void *run_job(void *argument)
{
    Job *job = argument;
    job->work(job->worker);
    atomic_fetch_sub(job->running, 1);
    return NULL;
}

void dt_parallel(void *workers, size_t size, int count, void (*work)(void *worker),
                 void (*idle)(void *worker))
{
    static const struct timespec pause = {0, 2000000};
    Job jobs[DT_MAX_THREADS];
    atomic_int running;
    int started = 0;
    atomic_init(&running, 0);
    /* Signals are the calling thread's: the others inherit a mask that blocks them all. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 1; i < count; i++) {
        Job *job = &jobs[started];
        *job =
            (Job){.work = work, .worker = (char *)workers + (size_t)i * size, .running = &running};
        atomic_fetch_add(&running, 1);
        if (pthread_create(&job->thread, NULL, run_job, job) == 0)
            started++;
        else
            atomic_fetch_sub(&running, 1);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    work(workers);
    while (atomic_load(&running) > 0) {
        idle(workers);
        nanosleep(&pause, NULL);
    }
    for (int i = 0; i < started; i++)
        pthread_join(jobs[i].thread, NULL);
}
