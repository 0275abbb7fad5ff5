#include "xdg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool dt_xdg_path(char *path, size_t size, const char *variable, const char *fallback,
                 const char *name)
{
    const char *base = getenv(variable);
    int length;
    if (base && base[0] == '/')
        length = snprintf(path, size, "%s/dtsim/%s", base, name);
    else {
        base = getenv("HOME");
        if (!base || base[0] != '/')
            return false;
        length = snprintf(path, size, "%s/%s/dtsim/%s", base, fallback, name);
    }
    return length > 0 && (size_t)length < size;
}

bool dt_xdg_make_folders(const char *path)
{
    char *copy = strdup(path);
    bool made = copy != NULL;
    if (!copy)
        return false;
    for (char *slash = strchr(copy + 1, '/'); slash && made; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        made = mkdir(copy, 0700) == 0 || errno == EEXIST;
        *slash = '/';
    }
    free(copy);
    return made;
}
