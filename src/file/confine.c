#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NEW_FILE_MODE = 0666 }; /* the umask takes from it */

static bool confined;
static int read_root = -1;
static int write_root = -1;
static size_t bytes_left;

const char dt_confine_too_much[] = "too much output (--max-output)";

void dt_confine(int read_folder, int write_folder, size_t max_bytes)
{
    confined = true;
    read_root = read_folder;
    write_root = write_folder;
    bytes_left = max_bytes;
}

bool dt_confined(void)
{
    return confined;
}

bool dt_confine_count(size_t num_bytes)
{
    if (num_bytes > bytes_left)
        return false;
    bytes_left -= num_bytes;
    return true;
}

/* Why a path is refused by its form alone, or NULL. */
static const char *why_refused(const char *path)
{
    if (path[0] == '\0')
        return "a name is due";
    if (path[0] == '/')
        return "the sandbox takes names relative to its folders";
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return "'..' leads out of the sandbox";
        if (part[0] == '.' && part[1] != '/' && part[1] != '\0')
            return "the sandbox takes no names that start with a dot";
    }
    return NULL;
}

const char *dt_confine_reason(int error)
{
    if (error == ELOOP)
        return "the sandbox follows no symbolic links";
    return strerror(error);
}

/* Goes down from root to the folder that path's last name is in, and puts that name into *name.
 * Returns the folder, which the caller closes, or -1 with errno. */
static int enter(int root, const char *path, const char **name)
{
    int folder = fcntl(root, F_DUPFD_CLOEXEC, 0);
    const char *slash;
    char part[NAME_MAX + 1];
    while (folder >= 0 && (slash = strchr(path, '/')) != NULL) {
        size_t length = (size_t)(slash - path);
        int next = -1;
        int error = ENAMETOOLONG;
        if (length <= NAME_MAX) {
            memcpy(part, path, length);
            part[length] = '\0';
            /* Two slashes in a row mean no more than one. */
            next = openat(folder, length ? part : ".",
                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            error = errno;
        }
        (void)close(folder);
        folder = next;
        errno = error;
        path = slash + 1;
    }
    *name = *path ? path : ".";
    return folder;
}

/* Opens a regular file below root. Returns its descriptor, or -1 with errno. */
static int open_below(int root, const char *path, int flags)
{
    const char *name;
    struct stat about;
    int folder = enter(root, path, &name);
    int fd;
    int error;
    if (folder < 0)
        return -1;
    /* O_NONBLOCK: a pipe must not wait for its other end; on regular files it does nothing. */
    fd =
        openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, NEW_FILE_MODE);
    error = errno;
    (void)close(folder);
    if (fd >= 0 && fstat(fd, &about) != 0)
        error = errno;
    else if (fd >= 0 && S_ISREG(about.st_mode))
        return fd;
    else if (fd >= 0)
        error = S_ISDIR(about.st_mode) ? EISDIR : EPERM;
    if (fd >= 0)
        (void)close(fd);
    errno = error;
    return -1;
}

int dt_confine_open(const char *path, const char **reason)
{
    int fd = -1;
    *reason = why_refused(path);
    if (*reason)
        return -1;
    if (write_root >= 0)
        fd = open_below(write_root, path, O_RDONLY);
    if (fd < 0 && (write_root < 0 || errno == ENOENT))
        fd = open_below(read_root, path, O_RDONLY);
    if (fd < 0)
        *reason = dt_confine_reason(errno);
    return fd;
}

int dt_confine_create(const char *path, bool append, const char **reason)
{
    int fd;
    *reason = why_refused(path);
    if (!*reason && write_root < 0)
        *reason = "the sandbox writes nothing without '--out DIR'";
    if (!*reason && !dt_confine_count(DT_CONFINE_FILE_BYTES))
        *reason = dt_confine_too_much;
    if (*reason)
        return -1;
    fd = open_below(write_root, path, O_WRONLY | O_CREAT | (append ? O_APPEND : 0));
    if (fd >= 0 && !append && ftruncate(fd, 0) != 0) {
        int error = errno;
        (void)close(fd);
        fd = -1;
        errno = error;
    }
    if (fd < 0)
        *reason = dt_confine_reason(errno);
    return fd;
}

int dt_confine_folder(const char *path, const char **name, const char **reason)
{
    int folder;
    *reason = why_refused(path);
    if (!*reason && write_root < 0)
        *reason = "the sandbox writes nothing without '--out DIR'";
    if (*reason)
        return -1;
    folder = enter(write_root, path, name);
    if (folder < 0)
        *reason = dt_confine_reason(errno);
    return folder;
}
