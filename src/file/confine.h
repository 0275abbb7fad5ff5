/* confine.h: where a script that is not trusted may read and write, and how much.
 *
 * A confined process opens files by names relative to two folders: it writes below one and reads
 * below either. Every folder on the way is opened in turn and no symbolic link is followed, so that
 * neither ".." nor a link leads out, whatever else happens to the folders meanwhile. Names that
 * start with a dot are refused (keys, settings and histories have such names), and so is all that
 * is no regular file.
 * May include: POSIX. Nothing else of the project.
 */
#ifndef DT_FILE_CONFINE_H
#define DT_FILE_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

enum { DT_CONFINE_FILE_BYTES = 4096 }; /* what a file written counts at least */

/* Confines the process for good. read_folder, write_folder: descriptors of folders, which stay
 * open; write_folder may be -1: nothing is written. max_bytes: of all that is written. */
void dt_confine(int read_folder, int write_folder, size_t max_bytes);

/* Whether dt_confine was called. */
bool dt_confined(void);

/* Counts bytes about to be written anywhere. False, with nothing counted, if they are too many. */
bool dt_confine_count(size_t num_bytes);

/* Why an output that dt_confine_count refused is refused. */
extern const char dt_confine_too_much[];

/* What a confined process says of an errno value. */
const char *dt_confine_reason(int error);

/* Opens a regular file for reading; where both folders have it, the one that is written. Returns
 * a descriptor, or -1 with why not in *reason. */
int dt_confine_open(const char *path, const char **reason);

/* Opens or makes a file for writing, emptied unless `append`. Returns as dt_confine_open. */
int dt_confine_create(const char *path, bool append, const char **reason);

/* Opens the folder in which path is to be written; its own name there is put into *name. Returns as
 * dt_confine_open; *name points into path. */
int dt_confine_folder(const char *path, const char **name, const char **reason);

#endif
