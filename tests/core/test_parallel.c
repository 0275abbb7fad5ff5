/* The same work by several threads; what happens when threads cannot be had. */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "check.h"
#include "core/parallel.h"

typedef struct {
    pthread_t thread;
    int runs, idles;
    bool signals_blocked;
    atomic_bool *wait_for; /* the work waits for it */
    atomic_bool *release;  /* the third call of idle sets it */
} Worker;

static void pause_briefly(void)
{
    static const struct timespec brief = {0, 1000000};
    nanosleep(&brief, NULL);
}

static void work(void *argument)
{
    Worker *worker = argument;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    worker->signals_blocked = sigismember(&mask, SIGINT) && sigismember(&mask, SIGTERM);
    worker->thread = pthread_self();
    while (worker->wait_for && !atomic_load(worker->wait_for))
        pause_briefly();
    worker->runs++;
}

static void idle(void *argument)
{
    Worker *worker = argument;
    if (++worker->idles == 3 && worker->release)
        atomic_store(worker->release, true);
}

/* Each worker runs once: the first in the calling thread, the others in other threads, which leave
 * signals to it. */
static void each_runs_once(int count)
{
    static Worker workers[DT_MAX_THREADS];
    memset(workers, 0, sizeof workers);
    CHECK_CASE("%d workers", count);
    dt_parallel(workers, sizeof workers[0], count, work, idle);
    for (int i = 0; i < DT_MAX_THREADS; i++) {
        CHECK_INT(workers[i].runs, i < count);
        if (i < count) {
            CHECK_INT(pthread_equal(workers[i].thread, pthread_self()) != 0, i == 0);
            CHECK_INT(workers[i].signals_blocked, i > 0);
        }
        if (i > 0)
            CHECK_INT(workers[i].idles, 0);
    }
    if (count == 1)
        CHECK_INT(workers[0].idles, 0);
}

/* Two workers that end only when the waiting caller has been idle three times. */
static void caller_is_idle_while_it_waits(void)
{
    atomic_bool go;
    Worker workers[3] = {{.release = &go}, {.wait_for = &go}, {.wait_for = &go}};
    atomic_init(&go, false);
    CHECK_CASE("idle");
    dt_parallel(workers, sizeof workers[0], 3, work, idle);
    CHECK(workers[0].idles >= 3);
    for (int i = 0; i < 3; i++)
        CHECK_INT(workers[i].runs, 1);
}

/* Work that is shared out dynamically is all done, each piece once, by whatever threads there
 * are. */
typedef struct {
    atomic_int *next;
    atomic_int *done; /* [PIECES] */
} Sharer;
enum { PIECES = 2000 };

static void share(void *argument)
{
    Sharer *sharer = argument;
    for (int i = atomic_fetch_add(sharer->next, 1); i < PIECES;
         i = atomic_fetch_add(sharer->next, 1))
        atomic_fetch_add(&sharer->done[i], 1);
}

static void no_idle(void *argument)
{
    (void)argument;
}

static void all_is_done(int count)
{
    static atomic_int done[PIECES];
    atomic_int next;
    Sharer sharers[8];
    int once = 0;
    atomic_init(&next, 0);
    for (int i = 0; i < PIECES; i++)
        atomic_init(&done[i], 0);
    for (int i = 0; i < 8; i++)
        sharers[i] = (Sharer){&next, done};
    CHECK_CASE("shared by %d", count);
    dt_parallel(sharers, sizeof sharers[0], count, share, no_idle);
    for (int i = 0; i < PIECES; i++)
        once += atomic_load(&done[i]) == 1;
    CHECK_INT(once, PIECES);
}

/* With stacks larger than the address space no thread can be made: the caller does it all. */
static void without_threads(void)
{
    Worker workers[4] = {{.runs = 0}};
    pthread_attr_t before, huge;
    sigset_t mask;
    CHECK_CASE("no threads");
    CHECK_INT(pthread_getattr_default_np(&before), 0);
    pthread_attr_init(&huge);
    CHECK_INT(pthread_attr_setstacksize(&huge, (size_t)1 << 50), 0);
    CHECK_INT(pthread_setattr_default_np(&huge), 0);
    dt_parallel(workers, sizeof workers[0], 4, work, idle);
    all_is_done(4);
    CHECK_INT(pthread_setattr_default_np(&before), 0);
    CHECK_INT(workers[0].runs, 1);
    for (int i = 1; i < 4; i++)
        CHECK_INT(workers[i].runs, 0);
    CHECK_CASE("signals as before");
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    CHECK(!sigismember(&mask, SIGINT));
    pthread_attr_destroy(&huge);
    pthread_attr_destroy(&before);
}

int main(void)
{
    each_runs_once(1);
    each_runs_once(2);
    each_runs_once(17);
    caller_is_idle_while_it_waits();
    all_is_done(1);
    all_is_done(2);
    all_is_done(8);
    without_threads();
    return check_finish("parallel");
}
