#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"

enum { MIN_MEMORY_BYTES = 8 << 20, MIN_OUTPUT_BYTES = 1 };

/* The argument of the one-letter option at argv[*i]: the rest of the word or the next word,
 * which must not look like an option. Advances *i over it; NULL where there is none. */
static const char *option_argument(int argc, char **argv, int *i)
{
    const char *rest = argv[*i] + 2;
    if (*rest != '\0')
        return rest;
    if (*i + 1 >= argc || argv[*i + 1][0] == '-')
        return NULL;
    *i += 1;
    return argv[*i];
}

/* Reads "--set PATH=VALUE" or "--set=PATH=VALUE" at argv[*i] into an action. False for a word that
 * is none, or has no argument. */
static bool parse_set(int argc, char **argv, int *i, DtOptions *options)
{
    const char *rest = argv[*i] + strlen("--set");
    if (strncmp(argv[*i], "--set", strlen("--set")) != 0 || (*rest != '\0' && *rest != '='))
        return false;
    if (*rest == '\0' && *i + 1 >= argc)
        return false;
    const char *argument = *rest == '=' ? rest + 1 : argv[++*i];
    options->actions[options->num_actions++] = (DtAction){'s', argument};
    return true;
}

/* Reads "--name ARGUMENT" or "--name=ARGUMENT" at argv[*i]. False for another option; *argument is
 * NULL if there is none. */
static bool parse_long(int argc, char **argv, int *i, const char *name, const char **argument)
{
    const char *word = argv[*i] + 2;
    size_t length = strlen(name);
    if (strncmp(word, name, length) != 0 || (word[length] != '\0' && word[length] != '='))
        return false;
    *argument = word[length] == '=' ? word + length + 1 : *i + 1 < argc ? argv[++*i] : NULL;
    return true;
}

/* Reads an option of a sandbox or a limit. False for another option; where its argument is wrong,
 * the message says so. */
static bool parse_limit(int argc, char **argv, int *i, DtOptions *options, char *message,
                        size_t size)
{
    const char *text = NULL;
    const char *due = NULL;
    if (parse_long(argc, argv, i, "out", &text)) {
        options->out = text;
        if (!text || *text == '\0')
            due = "'--out' needs a folder";
    } else if (parse_long(argc, argv, i, "max-memory", &text)) {
        if (!text || !dt_amount_bytes(text, MIN_MEMORY_BYTES, &options->max_memory_bytes))
            due = "'--max-memory' needs a size from 8 MiB on, such as '512 MiB'";
    } else if (parse_long(argc, argv, i, "max-output", &text)) {
        if (!text || !dt_amount_bytes(text, MIN_OUTPUT_BYTES, &options->max_output_bytes))
            due = "'--max-output' needs a size from 1 B on, such as '10 MiB'";
    } else if (parse_long(argc, argv, i, "max-time", &text)) {
        if (!text || !dt_amount_seconds(text, &options->max_time_s))
            due = "'--max-time' needs a time from 1 ms to 1000 h, such as '90 s'";
    } else {
        return false;
    }
    if (due)
        (void)snprintf(message, size, "%s", due);
    return true;
}

/* Reads "-j N" at argv[*i] into options->num_threads. */
static bool parse_threads(int argc, char **argv, int *i, DtOptions *options)
{
    const char *argument = option_argument(argc, argv, i);
    char *end;
    long number;
    if (!argument || strspn(argument, "0123456789") != strlen(argument))
        return false;
    number = strtol(argument, &end, 10);
    if (number < 1 || number > DT_MAX_THREADS)
        return false;
    options->num_threads = (int)number;
    return true;
}

/* Options that take no argument and are one whole word. False for any other word. */
static bool parse_flag(const char *word, DtOptions *options)
{
    if (strcmp(word, "-i") == 0)
        options->interactive = options->version = true;
    else if (strcmp(word, "-v") == 0)
        options->version = true;
    else if (strcmp(word, "--version") == 0)
        options->version = options->version_only = true;
    else if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
        options->help = true;
    else if (strcmp(word, "-E") == 0)
        options->ignore_environment = true;
    else if (strcmp(word, "-q") == 0)
        options->quiet = true;
    else if (strcmp(word, "--traceback") == 0)
        options->traceback = true;
    else if (strcmp(word, "--sandbox") == 0)
        options->sandbox = true;
    else if (strcmp(word, "-W") == 0)
        options->actions[options->num_actions++] = (DtAction){'W', NULL};
    else
        return false;
    return true;
}

/* Options that take an argument. False, with the message, for a bad or unknown one. */
static bool parse_valued(int argc, char **argv, int *i, DtOptions *options, char *message,
                         size_t size)
{
    const char *word = argv[*i];
    const char *argument;
    switch (word[1]) {
    case 'e':
    case 'l':
        argument = option_argument(argc, argv, i);
        if (!argument) {
            (void)snprintf(message, size, "'%s' needs an argument", word);
            return false;
        }
        options->actions[options->num_actions++] = (DtAction){word[1], argument};
        options->code = options->code || word[1] == 'e';
        return true;
    case 'j':
        if (parse_threads(argc, argv, i, options))
            return true;
        (void)snprintf(message, size, "'-j' needs a number of threads from 1 to %d",
                       DT_MAX_THREADS);
        return false;
    case '-':
        if (parse_set(argc, argv, i, options))
            return true;
        if (parse_limit(argc, argv, i, options, message, size))
            return message[0] == '\0';
        if (strcmp(word, "--set") == 0)
            (void)snprintf(message, size, "'--set' needs an argument");
        else
            (void)snprintf(message, size, "unrecognized option '%s'", word);
        return false;
    default:
        (void)snprintf(message, size, "unrecognized option '%s'", word);
        return false;
    }
}

bool dt_options_is_configuration(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/* False, with the message, if --set was given and the script is no configuration. */
static bool check_set(char **argv, const DtOptions *options, char *message, size_t size)
{
    bool is_set = false;
    for (int i = 0; i < options->num_actions; i++)
        is_set |= options->actions[i].option == 's';
    if (!is_set || (options->script && dt_options_is_configuration(argv[options->script])))
        return true;
    (void)snprintf(message, size, "'--set' needs a configuration to run (FILE.json)");
    return false;
}

/* False, with the message, if options do not go together. A sandbox is for one script's file. */
static bool check_sandbox(char **argv, const DtOptions *options, char *message, size_t size)
{
    const char *script = options->script ? argv[options->script] : "-";
    const char *wrong = NULL;
    bool has_library = false;
    for (int i = 0; i < options->num_actions; i++)
        has_library |= options->actions[i].option == 'l';
    if (!options->sandbox && options->out)
        wrong = "'--out' before the script goes with '--sandbox'";
    else if (!options->sandbox && options->max_output_bytes)
        wrong = "'--max-output' goes with '--sandbox'";
    else if (options->sandbox && (options->code || options->interactive || has_library))
        wrong = "'--sandbox' runs a script alone: without '-e', '-l' and '-i'";
    else if (options->sandbox && !options->version && strcmp(script, "-") == 0)
        wrong = "'--sandbox' needs a script's file";
    else if (options->sandbox && dt_options_is_configuration(script))
        wrong = "a configuration holds no code: run it without '--sandbox'";
    if (wrong)
        (void)snprintf(message, size, "%s", wrong);
    return !wrong;
}

bool dt_options_parse(int argc, char **argv, DtOptions *options, char *message, size_t size)
{
    int i;
    *options = (DtOptions){.actions = options->actions};
    message[0] = '\0';
    for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        if (!parse_flag(argv[i], options) && !parse_valued(argc, argv, &i, options, message, size))
            return false;
    }
    options->script = i < argc ? i : 0;
    return check_set(argv, options, message, size) && check_sandbox(argv, options, message, size);
}
