#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "bind/bind.h"

enum { BAR_WIDTH = 30 };
static const double min_interval_s = 0.1;
static const double patience_s = 1; /* what takes less needs no bar */

static bool drawn;
static double last_draw_s;
static double start_s = -1; /* of what is shown; below 0: nothing is */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void dt_progress_clear(void)
{
    start_s = -1;
    if (!drawn)
        return;
    (void)fputs("\r\033[K", stderr);
    drawn = false;
}

/* A DtProgress. */
static void draw(double fraction, const char *what, void *context)
{
    static const char full[BAR_WIDTH + 1] = "##############################";
    double now = now_s();
    int filled;
    (void)context;
    if (fraction >= 1) {
        dt_progress_clear();
        return;
    }
    if (start_s < 0)
        start_s = now;
    if (now - last_draw_s < min_interval_s || now - start_s < patience_s)
        return;
    last_draw_s = now;
    filled = fraction > 0 ? (int)(fraction * BAR_WIDTH) : 0;
    (void)fprintf(stderr, "\r[%-*.*s] %3.0f %% %s", BAR_WIDTH, filled, full,
                  100 * (fraction > 0 ? fraction : 0), what ? what : "");
    if (fraction > 0)
        (void)fprintf(stderr, ", %.0f s left", (now - start_s) * (1 - fraction) / fraction);
    (void)fputs("\033[K", stderr);
    drawn = true;
}

void dt_progress_start(void)
{
    if (!isatty(STDERR_FILENO))
        return;
    last_draw_s = now_s();
    dt_bind_set_progress(draw, NULL);
}
