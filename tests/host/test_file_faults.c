/* Writing a file when the system refuses a call: each call that src/file makes, made to fail in
 * turn. The old file or the new one is there, whole; no other file and no descriptor is left.
 * The linker puts the functions __wrap_... in the place of the system's (see Makefile). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/check.h"
#include "host.h"

typedef enum { OPEN, WRITE, FSYNC, FCHMOD, CLOSE, RENAME, NUM_CALLS } Call;
static const char *const call_names[] = {"open", "write", "fsync", "fchmod", "close", "rename"};

static struct {
    long count[NUM_CALLS];
    Call call; /* the one that fails, at its number `at` (0 is the first), with `error` */
    long at;
    int error;
    bool short_writes; /* a write takes one byte at most */
} fault;

/* Counts a call; whether it is to fail, with errno set. */
static bool fails(Call call)
{
    bool now = fault.count[call]++ == fault.at && fault.call == call;
    if (now)
        errno = fault.error;
    return now;
}

int __real_openat(int at, const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *bytes, size_t count);
int __real_fsync(int fd);
int __real_fchmod(int fd, mode_t mode);
int __real_close(int fd);
int __real_renameat(int at, const char *from, int to_at, const char *to);
int __wrap_openat(int at, const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);
int __wrap_fsync(int fd);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_close(int fd);
int __wrap_renameat(int at, const char *from, int to_at, const char *to);

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return fails(OPEN) ? -1 : __real_open(path, flags, mode);
}

int __wrap_openat(int at, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return fails(OPEN) ? -1 : __real_openat(at, path, flags, mode);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t count)
{
    if (fails(WRITE))
        return -1;
    return __real_write(fd, bytes, fault.short_writes && count > 1 ? 1 : count);
}

int __wrap_fsync(int fd)
{
    return fails(FSYNC) ? -1 : __real_fsync(fd);
}

int __wrap_fchmod(int fd, mode_t mode)
{
    return fails(FCHMOD) ? -1 : __real_fchmod(fd, mode);
}

int __wrap_close(int fd)
{
    int result = __real_close(fd); /* it is closed even where close fails */
    return fails(CLOSE) ? -1 : result;
}

int __wrap_renameat(int at, const char *from, int to_at, const char *to)
{
    return fails(RENAME) ? -1 : __real_renameat(at, from, to_at, to);
}

static char folder[] = "/tmp/dtsim-test-XXXXXX";
static const char old_text[] = "old", new_text[] = "the new text";

/* Entries of a folder, "." and ".." aside. */
static int num_entries(const char *path)
{
    DIR *list = opendir(path);
    int count = 0;
    while (list && readdir(list))
        count++;
    if (list)
        closedir(list);
    return count - 2;
}

static void read_text(const char *path, char text[40])
{
    FILE *input = fopen(path, "rb");
    size_t length = input ? fread(text, 1, 39, input) : 0;
    text[length] = '\0';
    if (input)
        (void)fclose(input);
}

static void make_file(const char *name, const char *text)
{
    FILE *output = fopen(name, "wb");
    if (CHECK(output != NULL)) {
        (void)fputs(text, output);
        (void)fclose(output);
    }
}

/* What is there before the writing: nothing, a file, a link to a file, a link to nothing. */
typedef enum { NOTHING, A_FILE, A_LINK, A_DANGLING_LINK, NUM_BEFORE } Before;
static const char *const before_names[] = {"new file", "old file", "link", "dangling link"};

static void prepare(Before before)
{
    (void)unlink("x");
    (void)unlink("target");
    if (before == A_FILE)
        make_file("x", old_text);
    if (before == A_LINK)
        make_file("target", old_text);
    if (before == A_LINK || before == A_DANGLING_LINK)
        CHECK_INT(symlink("target", "x"), 0);
    memset(fault.count, 0, sizeof fault.count);
}

/* Only the folder's own opening, syncing and closing may fail without a word: they come last. */
static bool may_be_ignored(Call call, long at, const long all[NUM_CALLS])
{
    bool once_more = call == OPEN || call == FSYNC || call == CLOSE;
    return once_more && at == all[call] - 1;
}

static void check_after(Before before, int error, bool must_fail)
{
    char text[40];
    read_text("x", text);
    CHECK_INT(error, must_fail ? fault.error : error);
    if (error == 0)
        CHECK_STR(text, new_text);
    else if (before == A_FILE || before == A_LINK)
        CHECK_STR(text, old_text);
    else
        CHECK(access("x", F_OK) != 0);
    int files = (before == A_FILE || before == A_LINK || error == 0) +
                (before == A_LINK || before == A_DANGLING_LINK);
    CHECK_INT(num_entries("."), files);
}

static void write_faultily(Before before)
{
    static const int errors[] = {ENOSPC, EIO, EDQUOT, EACCES};
    long all[NUM_CALLS];
    fault.call = NUM_CALLS;
    prepare(before);
    CHECK_CASE("%s", before_names[before]);
    CHECK_INT(dt_file_write_whole("x", new_text, strlen(new_text)), 0);
    memcpy(all, fault.count, sizeof all);
    CHECK(all[WRITE] == 1 && all[RENAME] == 1 && all[FSYNC] == 2);
    int descriptors = num_entries("/proc/self/fd");
    for (int call = 0; call < NUM_CALLS; call++) {
        for (long at = 0; at < all[call]; at++) {
            for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
                CHECK_CASE("%s, %s number %ld fails with %s", before_names[before],
                           call_names[call], at, strerror(errors[i]));
                fault.call = NUM_CALLS;
                prepare(before);
                fault.call = (Call)call;
                fault.at = at;
                fault.error = errors[i];
                int error = dt_file_write_whole("x", new_text, strlen(new_text));
                fault.call = NUM_CALLS;
                bool creating = before == A_DANGLING_LINK && call == CLOSE && at == 0;
                check_after(before, error, !may_be_ignored((Call)call, at, all) && !creating);
                CHECK_INT(num_entries("/proc/self/fd"), descriptors);
            }
        }
    }
}

/* What is no failure: interrupted calls, short writes, a file system that knows no syncing. */
static void no_failures(void)
{
    static const struct {
        Call call;
        int error;
        bool short_writes;
    } rows[] = {{WRITE, EINTR, false},  {WRITE, EINTR, true},  {CLOSE, EINTR, false},
                {FSYNC, EINVAL, false}, {FSYNC, EINTR, false}, {NUM_CALLS, 0, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_CASE("no failure %zu", i);
        fault.call = NUM_CALLS;
        prepare(A_FILE);
        fault.call = rows[i].call;
        fault.at = 0;
        fault.error = rows[i].error;
        fault.short_writes = rows[i].short_writes;
        check_after(A_FILE, dt_file_write_whole("x", new_text, strlen(new_text)), false);
        char text[40];
        read_text("x", text);
        CHECK_STR(text, new_text);
        fault.short_writes = false;
    }
}

/* A name beside the file that is taken by another is not touched. */
static void taken_names(void)
{
    char name[40], text[40];
    CHECK_CASE("taken names");
    fault.call = NUM_CALLS;
    prepare(NOTHING);
    (void)snprintf(name, sizeof name, ".dtsim-%ld-0", (long)getpid());
    make_file(name, old_text);
    CHECK_INT(dt_file_write_whole("x", new_text, strlen(new_text)), 0);
    read_text(name, text);
    CHECK_STR(text, old_text);
    CHECK_INT(num_entries("."), 2);
    (void)unlink(name);
}

int main(void)
{
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    for (int before = 0; before < NUM_BEFORE; before++)
        write_faultily((Before)before);
    no_failures();
    taken_names();
    fault.call = NUM_CALLS;
    prepare(NOTHING);
    CHECK_INT(rmdir(folder), 0);
    return check_finish("file_faults");
}
