#define _XOPEN_SOURCE 700 /* realpath */

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confine.h"
#include "process.h"

enum {
    NEW_FILE_MODE = 0666, /* the umask takes from it */
    MODE_BITS = 07777,
    PERMISSION_BITS = 0777, /* without those that run a file as its owner */
    MAX_NAMES = 100         /* of a temporary file, that may be taken */
};

/* Writes all bytes and closes fd, whatever happens. Returns 0 or an errno value. */
static int write_and_close(int fd, const char *text, size_t num_bytes, bool sync)
{
    int error = 0;
    while (num_bytes > 0 && !error) {
        ssize_t done = write(fd, text, num_bytes);
        if (done > 0) {
            text += done;
            num_bytes -= (size_t)done;
        } else if (done == 0)
            error = EIO;
        else if (errno != EINTR)
            error = errno;
    }
    while (!error && sync && fsync(fd) != 0) {
        if (errno == EINVAL) /* a file system that knows no syncing */
            break;
        if (errno != EINTR)
            error = errno;
    }
    if (close(fd) != 0 && errno != EINTR && !error)
        error = errno;
    return error;
}

/* Devices, pipes: no new file can stand in for them. */
static int write_directly(const char *path, const char *text, size_t num_bytes)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return fd < 0 ? errno : write_and_close(fd, text, num_bytes, false);
}

/* Best effort: the new name is on the disk too. */
static void sync_folder(int at, const char *folder)
{
    int fd = openat(at, folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (fd < 0)
        return;
    (void)fsync(fd);
    (void)close(fd);
}

/* The part of path before the last slash, with it; "./" if there is none. */
static int folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + 1 : 0;
    int written = snprintf(folder, PATH_MAX, "%.*s", length, length ? path : "");
    if (written >= PATH_MAX)
        return ENAMETOOLONG;
    if (length == 0)
        memcpy(folder, "./", sizeof "./");
    return 0;
}

/* Creates a file of a name not yet taken in folder. Returns its descriptor, or -1 with errno. */
static int create_beside(int at, const char *folder, char temporary[PATH_MAX])
{
    for (int i = 0; i < MAX_NAMES; i++) {
        int fd;
        if (snprintf(temporary, PATH_MAX, "%s.dtsim-%ld-%d", folder, (long)getpid(), i) >=
            PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, NEW_FILE_MODE);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Writes a file beside target and renames it to target. at: the folder that target is relative
 * to, or AT_FDCWD. old: the file that it replaces, whose permissions it takes, or NULL. */
static int write_by_rename(int at, const char *target, const struct stat *old, const char *text,
                           size_t num_bytes)
{
    char folder[PATH_MAX];
    char temporary[PATH_MAX];
    int error = folder_of(target, folder);
    int fd = error ? -1 : create_beside(at, folder, temporary);
    if (fd < 0)
        return error ? error : errno;
    if (old) {
        /* Only root may give files away; for others the new file is their own. The owner comes
         * first, as a change of it takes bits of the mode away. */
        int ignored = fchown(fd, old->st_uid, old->st_gid);
        (void)ignored;
        if (fchmod(fd, old->st_mode & MODE_BITS) != 0)
            error = errno;
    }
    if (error)
        (void)close(fd);
    else
        error = write_and_close(fd, text, num_bytes, true);
    if (!error && renameat(at, temporary, at, target) != 0)
        error = errno;
    if (error)
        (void)unlinkat(at, temporary, 0);
    else
        sync_folder(at, folder);
    return error;
}

/* A symbolic link to nothing: makes the empty file that it points to, so that realpath knows
 * it. Returns 0 or an errno value. */
static int create_link_target(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, NEW_FILE_MODE);
    if (fd < 0)
        return errno;
    (void)close(fd);
    return 0;
}

int dt_file_write_whole(const char *path, const char *text, size_t num_bytes)
{
    char target[PATH_MAX];
    struct stat old;
    bool created = false;
    int error = 0;
    if (stat(path, &old) != 0) {
        if (errno != ENOENT)
            return errno;
        if (lstat(path, &old) != 0)
            return write_by_rename(AT_FDCWD, path, NULL, text, num_bytes);
        error = create_link_target(path);
        if (error)
            return error;
        created = true;
        if (stat(path, &old) != 0)
            return errno;
    }
    if (S_ISDIR(old.st_mode))
        return EISDIR;
    if (!S_ISREG(old.st_mode))
        return write_directly(path, text, num_bytes);
    /* A file that may not be written is not replaced either, though its folder allows it. */
    if (access(path, W_OK) != 0 || !realpath(path, target))
        return errno;
    error = write_by_rename(AT_FDCWD, target, &old, text, num_bytes);
    if (error && created)
        (void)unlink(target);
    return error;
}

/* Writes as dt_file_write_whole, but where the process is confined to: a regular file or a new one.
 * Returns NULL or why not. */
static const char *write_confined(const char *path, const char *text, size_t num_bytes)
{
    const char *name;
    const char *reason;
    struct stat old;
    bool is_new;
    int error = 0;
    int folder = dt_confine_folder(path, &name, &reason);
    if (folder < 0)
        return reason;
    is_new = fstatat(folder, name, &old, AT_SYMLINK_NOFOLLOW) != 0;
    if (is_new && errno != ENOENT)
        error = errno;
    else if (!is_new && !S_ISREG(old.st_mode))
        error = S_ISDIR(old.st_mode) ? EISDIR : S_ISLNK(old.st_mode) ? ELOOP : EPERM;
    else if (!is_new && faccessat(folder, name, W_OK, 0) != 0)
        error = errno;
    else if (num_bytes > SIZE_MAX / 2 || !dt_confine_count(num_bytes + DT_CONFINE_FILE_BYTES))
        reason = dt_confine_too_much;
    if (!error && !reason) {
        old.st_mode &= PERMISSION_BITS;
        error = write_by_rename(folder, name, is_new ? NULL : &old, text, num_bytes);
    }
    (void)close(folder);
    return error ? dt_confine_reason(error) : reason;
}

/* file.write_whole */
static int write_whole(lua_State *L)
{
    size_t path_length;
    size_t num_bytes;
    const char *path = luaL_checklstring(L, 1, &path_length);
    const char *text = luaL_checklstring(L, 2, &num_bytes);
    const char *reason;
    luaL_argcheck(L, strlen(path) == path_length, 1, "a path holds no zero byte");
    if (dt_confined()) {
        reason = write_confined(path, text, num_bytes);
    } else {
        int error = dt_file_write_whole(path, text, num_bytes);
        reason = error ? strerror(error) : NULL;
    }
    if (!reason) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_pushnil(L);
    lua_pushfstring(L, "cannot write '%s': %s", path, reason);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, DT_FILE_FAILURE);
    return 2;
}

int luaopen_dtsim_file(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"write_whole", write_whole}, {"gnuplot", dt_process_gnuplot}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
