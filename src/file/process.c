#define _GNU_SOURCE /* memfd_create, environ */

#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "confine.h"

enum {
    NOT_FOUND = 127,       /* the child's exit status, as a shell's */
    DEFAULT_SECONDS = 120, /* the longest plots take a few */
    MAX_PICTURE_BYTES = 256 << 20,
    MAX_ADDRESSES_BYTES = 2000 << 20, /* of a confined gnuplot */
    NUM_STREAMS = 3
};
static const char safe_path[] = "/usr/local/bin:/usr/bin:/bin";

/* One run, owned by a userdata: an error on the way ends the child and closes all. */
typedef struct {
    int streams[NUM_STREAMS]; /* the child's stdin, stdout and stderr; -1: closed */
    pid_t child;              /* 0: none, or waited for */
} Run;

static bool (*should_stop)(void);
static void (*has_child)(long process);

void dt_process_set_host(bool (*stop)(void), void (*child)(long process))
{
    should_stop = stop;
    has_child = child;
}

static void set_child(Run *run, pid_t child)
{
    run->child = child;
    if (has_child)
        has_child((long)child);
}

static void end_child(Run *run)
{
    if (run->child <= 0)
        return;
    (void)kill(run->child, SIGKILL);
    while (waitpid(run->child, NULL, 0) < 0 && errno == EINTR)
        continue;
    set_child(run, 0);
}

static int run_gc(lua_State *L)
{
    Run *run = lua_touserdata(L, 1);
    end_child(run);
    for (int i = 0; i < NUM_STREAMS; i++) {
        if (run->streams[i] >= 0)
            (void)close(run->streams[i]);
        run->streams[i] = -1;
    }
    return 0;
}

static Run *push_run(lua_State *L)
{
    Run *run = lua_newuserdatauv(L, sizeof *run, 0);
    *run = (Run){.streams = {-1, -1, -1}};
    if (luaL_newmetatable(L, "dtsim run of gnuplot")) {
        lua_pushcfunction(L, run_gc);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    return run;
}

static bool write_all(int fd, const char *text, size_t num_bytes)
{
    while (num_bytes > 0) {
        ssize_t done = write(fd, text, num_bytes);
        if (done < 0 && errno != EINTR)
            return false;
        if (done > 0) {
            text += done;
            num_bytes -= (size_t)done;
        }
    }
    return lseek(fd, 0, SEEK_SET) == 0;
}

/* "NAME=VALUE" of this process's environment, or NULL. */
static char *variable(const char *name)
{
    size_t length = strlen(name);
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return *entry;
    return NULL;
}

static struct rlimit at_most(rlim_t most)
{
    return (struct rlimit){most, most};
}

/* In the child: keeps a confined gnuplot from large files, much memory and core dumps. */
static void limit_resources(void)
{
    struct rlimit file_size = at_most(MAX_PICTURE_BYTES);
    struct rlimit addresses = at_most(MAX_ADDRESSES_BYTES);
    struct rlimit core = at_most(0);
    (void)setrlimit(RLIMIT_FSIZE, &file_size);
    (void)setrlimit(RLIMIT_AS, &addresses);
    (void)setrlimit(RLIMIT_CORE, &core);
}

/* In the child: becomes gnuplot. */
static void become_gnuplot(const Run *run)
{
    static char fixed_path[sizeof "PATH=" + sizeof safe_path];
    static char locale[] = "LC_ALL=C";
    static char program[] = "gnuplot", no_settings[] = "-d", from_stdin[] = "-";
    char *arguments[] = {program, no_settings, from_stdin, NULL};
    char *variables[4] = {locale};
    int count = 1;
    (void)snprintf(fixed_path, sizeof fixed_path, "PATH=%s", safe_path);
    char *path = dt_confined() ? fixed_path : variable("PATH");
    char *home = variable("HOME");
    if (path)
        variables[count++] = path;
    if (home)
        variables[count++] = home;
    for (int i = 0; i < NUM_STREAMS; i++)
        if (dup2(run->streams[i], i) < 0)
            _exit(NOT_FOUND - 1);
    if (dt_confined())
        limit_resources();
    environ = variables;
    (void)execvp(program, arguments);
    _exit(errno == ENOENT || errno == EACCES ? NOT_FOUND : NOT_FOUND - 1);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits for the child's end. False if it took too long; raises if the host wants to stop. */
static bool wait_for_end(lua_State *L, Run *run, double seconds, int *status)
{
    static const struct timespec pause = {0, 2000000};
    double end_s = now_s() + seconds;
    for (;;) {
        pid_t ended = waitpid(run->child, status, WNOHANG);
        if (ended == run->child)
            break;
        if (should_stop && should_stop()) {
            end_child(run);
            luaL_error(L, "interrupted!");
        }
        if ((ended < 0 && errno != EINTR) || now_s() > end_s) {
            end_child(run);
            return false;
        }
        (void)nanosleep(&pause, NULL);
    }
    set_child(run, 0);
    return true;
}

/* Pushes all that the child wrote to a stream. */
static size_t push_written(lua_State *L, int fd)
{
    luaL_Buffer text;
    ssize_t done;
    luaL_buffinit(L, &text);
    (void)lseek(fd, 0, SEEK_SET);
    while ((done = read(fd, luaL_prepbuffer(&text), LUAL_BUFFERSIZE)) > 0)
        luaL_addsize(&text, (size_t)done);
    luaL_pushresult(&text);
    return lua_rawlen(L, -1);
}

/* nil, "gnuplot failed: WHY", where why is on top of the stack. */
static int failure(lua_State *L)
{
    lua_pushnil(L);
    lua_pushfstring(L, "gnuplot failed: %s", lua_tostring(L, -2));
    return 2;
}

/* What is said of a gnuplot that ended without a picture. */
static int ended_badly(lua_State *L, const Run *run, int status)
{
    (void)push_written(L, run->streams[2]);
    size_t length;
    const char *said = lua_tolstring(L, -1, &length);
    while (length > 0 && strchr(" \t\r\n", said[length - 1]))
        length--;
    said = lua_pushlstring(L, said, length);
    if (WIFSIGNALED(status))
        lua_pushfstring(L, "killed by signal %d (%s)", WTERMSIG(status),
                        strsignal(WTERMSIG(status)));
    else if (status == 0)
        lua_pushfstring(L, "it drew nothing%s%s", length > 0 ? ": " : "", said);
    else if (length == 0)
        lua_pushfstring(L, "it ended with status %d", WEXITSTATUS(status));
    return failure(L);
}

/* How long gnuplot may take, if the call does not say. */
static double default_seconds(void)
{
    const char *given = dt_confined() ? NULL : getenv("DTSIM_GNUPLOT_SECONDS");
    double seconds = given ? strtod(given, NULL) : 0;
    return seconds > 0 ? seconds : DEFAULT_SECONDS;
}

/* Makes the files for a run and writes the script. Returns 0 or an errno value. */
static int prepare(Run *run, const char *script, size_t num_bytes)
{
    static const char *const names[NUM_STREAMS] = {"script", "picture", "messages"};
    for (int i = 0; i < NUM_STREAMS; i++) {
        /* Above the numbers that the child's dup2 gives them. */
        int fd = memfd_create(names[i], MFD_CLOEXEC);
        if (fd < 0)
            return errno;
        run->streams[i] = fcntl(fd, F_DUPFD_CLOEXEC, NUM_STREAMS);
        (void)close(fd);
        if (run->streams[i] < 0)
            return errno;
    }
    return write_all(run->streams[0], script, num_bytes) ? 0 : errno;
}

/* Starts gnuplot. False, with errno, if there can be no process. */
static bool start(Run *run)
{
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(run);
    if (child > 0)
        set_child(run, child);
    return child > 0;
}

int dt_process_gnuplot(lua_State *L)
{
    size_t num_bytes;
    const char *script = luaL_checklstring(L, 1, &num_bytes);
    double seconds = luaL_optnumber(L, 2, default_seconds());
    int status = 0;
    Run *run = push_run(L);
    int error = prepare(run, script, num_bytes);
    if (error) {
        lua_pushnil(L);
        lua_pushfstring(L, "cannot write 'gnuplot.script': %s", strerror(error));
        return 2;
    }
    if (!start(run)) {
        lua_pushstring(L, strerror(errno));
        return failure(L);
    }
    if (!wait_for_end(L, run, seconds, &status)) {
        lua_pushliteral(L, "it took too long and was ended");
        return failure(L);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
        lua_pushnil(L);
        lua_pushliteral(L, "plots need gnuplot, which is not installed; on Debian: "
                           "apt install gnuplot-nox");
        return 2;
    }
    if (status == 0 && push_written(L, run->streams[1]) > 0)
        return 1;
    return ended_badly(L, run, status);
}
