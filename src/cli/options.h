/* options.h: what the command line asks for.
 *
 * A pure function turns argv into a DtOptions; nothing is run, printed or allocated here.
 * May include: the C library.
 */
#ifndef DT_CLI_OPTIONS_H
#define DT_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { DT_MAX_THREADS = 1024 };

/* One of -e, -l, -W and --set; these act in the order in which they were given. */
typedef struct {
    char option;          /* 'e', 'l', 'W', or 's' for --set */
    const char *argument; /* points into argv; NULL for 'W' */
} DtAction;

typedef struct {
    int script;              /* index in argv of the script's name ("-" is stdin); 0: none */
    bool code;               /* any -e */
    bool interactive;        /* -i */
    bool version;            /* -v, --version */
    bool version_only;       /* --version: print it and leave */
    bool help;               /* -h, --help */
    bool ignore_environment; /* -E */
    bool quiet;              /* -q: no progress */
    bool traceback;          /* --traceback */
    bool sandbox;            /* --sandbox */
    const char *out;         /* --out: where a sandbox may write; NULL: nowhere */
    size_t max_memory_bytes; /* --max-memory; 0: not given */
    size_t max_output_bytes; /* --max-output; 0: not given */
    double max_time_s;       /* --max-time; 0: not given */
    int num_threads;         /* -j; 0: not given */
    DtAction *actions;       /* the caller's array, of at least argc entries */
    int num_actions;
} DtOptions;

/* Reads argv[1..argc-1] into *options, whose actions array the caller has set; every other
 * member is overwritten. Returns true, or false with a one-line message in message[size]. */
bool dt_options_parse(int argc, char **argv, DtOptions *options, char *message, size_t size);

/* The version ("0.1.0") and the text of --help, one line per option. The build makes them of
 * lua/dtsim/help/program.lua. */
extern const char dt_version[];
extern const char dt_options_help[];

/* Whether a script's name is that of a configuration file: it ends in ".json". */
bool dt_options_is_configuration(const char *path);

#endif
