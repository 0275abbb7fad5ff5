#include "edit.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "interrupt.h"

enum { CHUNK_BYTES = 512 };

/* Reads a line without editing; see dt_edit_line. */
static DtReading read_plain(lua_State *L, const char *prompt)
{
    char chunk[CHUNK_BYTES];
    bool any = false;
    bool whole = false;
    bool dropped;
    luaL_Buffer line;
    (void)fputs(prompt, stdout);
    (void)fflush(stdout);
    luaL_buffinit(L, &line);
    dt_interrupt_arm(L);
    while (!whole && fgets(chunk, sizeof chunk, stdin)) {
        size_t length = strlen(chunk);
        any = true;
        whole = length > 0 && chunk[length - 1] == '\n';
        luaL_addlstring(&line, chunk, whole ? length - 1 : length);
    }
    dt_interrupt_disarm(L);
    luaL_pushresult(&line);
    dropped = dt_interrupt_seen();
    if (dropped)
        clearerr(stdin);
    if (any && !dropped)
        return DT_LINE_READ;
    lua_pop(L, 1);
    (void)fputs("\n", stdout);
    return dropped ? DT_LINE_DROPPED : DT_INPUT_ENDED;
}

#ifdef DT_LIBEDIT

#include <editline/readline.h>
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "xdg.h"

enum { MAX_HISTORY = 1000, PATH_BYTES = 4096 };

static bool editing;
static char history_path[PATH_BYTES]; /* "" where there is none */
static char *last_line;               /* the newest line of the history; malloc'ed */

/* What completion needs and libedit cannot hand on: set while a line is read. */
static lua_State *completion_state;
static const char *completion_pending;

/* The last signal that asks to draw the line anew: the terminal has another size, or the program
 * is in the foreground again. 0: none. */
static volatile sig_atomic_t redraw;

static void on_redraw(int signal_number)
{
    redraw = signal_number;
}

/* ---- completion ---- */

/* Pushes what dtsim.complete says about the pending text and `line`: names and the position, or
 * nil if it fails. */
static void find_names(lua_State *L, const char *line)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, "dtsim.complete");
    if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_getfield(L, -1, "at") == LUA_TFUNCTION) {
        lua_remove(L, -2);
        lua_pushfstring(L, "%s%s", completion_pending, line);
        if (lua_pcall(L, 1, 2, 0) == LUA_OK)
            return;
    }
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_pushnil(L);
}

/* The nth name of the list on top of the stack, without its first `num_skip` bytes; malloc'ed. */
static char *copy_name(lua_State *L, lua_Integer n, size_t num_skip)
{
    size_t length;
    const char *name;
    char *copy;
    lua_geti(L, -1, n);
    name = lua_tolstring(L, -1, &length);
    copy = name && length >= num_skip ? strdup(name + num_skip) : NULL;
    lua_pop(L, 1);
    return copy;
}

/* The bytes that all of the names share at their start; malloc'ed. */
static char *common_start(char *const *names, size_t num_names)
{
    size_t length = strlen(names[0]);
    for (size_t i = 1; i < num_names; i++) {
        size_t same = 0;
        while (same < length && names[i][same] == names[0][same])
            same++;
        length = same;
    }
    return strndup(names[0], length);
}

/* The list on top of the stack as libedit wants it: the common start, the names, NULL. */
static char **copy_names(lua_State *L, size_t num_skip)
{
    size_t num_names = (size_t)luaL_len(L, -1);
    char **names = num_names > 0 ? calloc(num_names + 2, sizeof *names) : NULL;
    if (!names)
        return NULL;
    for (size_t i = 1; i <= num_names; i++) {
        names[i] = copy_name(L, (lua_Integer)i, num_skip);
        if (!names[i])
            return names[1] ? names : NULL;
    }
    names[0] = common_start(names + 1, num_names);
    return names;
}

/* (start of a file's name) -> the names that start so, in full; folders end with a slash. */
static int find_files(lua_State *L)
{
    const char *start = luaL_checkstring(L, 1);
    char *name;
    lua_newtable(L);
    for (int i = 0; (name = rl_filename_completion_function(start, i)) != NULL; i++) {
        struct stat about;
        bool is_folder = stat(name, &about) == 0 && S_ISDIR(about.st_mode);
        lua_pushfstring(L, "%s%s", name, is_folder ? "/" : "");
        free(name);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* libedit's completion: the word is bytes start to end of the line. */
static char **complete_word(const char *word, int start, int end)
{
    lua_State *L = completion_state;
    int top = lua_gettop(L);
    size_t num_before = strlen(completion_pending) + (size_t)start, from;
    char *line = strndup(rl_line_buffer, (size_t)end);
    char **names = NULL;
    (void)word;
    rl_attempted_completion_over = 1;
    rl_completion_append_character = '\0';
    if (line && lua_checkstack(L, 10)) {
        find_names(L, line);
        from = (size_t)lua_tointeger(L, -1) - 1;
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING && from >= strlen(completion_pending)) {
            lua_pushcfunction(L, find_files);
            lua_pushstring(L, line + (from - strlen(completion_pending)));
            (void)lua_pcall(L, 1, 1, 0);
        }
        if (lua_istable(L, -1) && from <= num_before)
            names = copy_names(L, num_before - from);
    }
    free(line);
    lua_settop(L, top);
    return names;
}

/* ---- reading ---- */

/* One byte from the terminal. -1 ends the line: an interrupt, or no more input. */
static int read_byte(FILE *stream)
{
    unsigned char byte;
    for (;;) {
        ssize_t count = read(fileno(stream), &byte, 1);
        if (count == 1)
            return byte;
        if (count == 0 || errno != EINTR || dt_interrupt_seen())
            return -1;
        if (redraw) {
            if (redraw == SIGWINCH)
                (void)fputs("\r\033[J", stdout); /* what is drawn, wiped from its start on */
            redraw = 0;
            rl_prep_terminal(1);
            rl_resize_terminal();
            rl_forced_update_display();
        }
    }
}

/* One character from the terminal, as libedit wants it (a wchar_t). -1 ends the line. */
static int read_character(FILE *stream)
{
    mbstate_t state = {0};
    wchar_t character;
    for (;;) {
        int byte = read_byte(stream);
        char narrow = (char)byte;
        size_t used;
        if (byte < 0)
            return -1;
        used = mbrtowc(&character, &narrow, 1, &state);
        if (used == 0 || used == 1)
            return (int)character;
        if (used == (size_t)-1) /* not in this encoding: take it as it is */
            return byte;
    }
}

/* Puts a line into the history and at the end of its file; not twice in a row, nor empty ones. */
static void remember(const char *line)
{
    FILE *file;
    if (line[strspn(line, " \t")] == '\0' || (last_line && strcmp(last_line, line) == 0))
        return;
    free(last_line);
    last_line = strdup(line);
    (void)add_history(line);
    file = history_path[0] != '\0' ? fopen(history_path, "a") : NULL;
    if (file) {
        (void)fprintf(file, "%s\n", line);
        (void)fclose(file);
    }
}

static DtReading read_edited(lua_State *L, const char *prompt, const char *pending)
{
    struct sigaction action = {0};
    struct sigaction old_resize, old_continue;
    char *line;
    (void)fflush(stdout);
    completion_state = L;
    completion_pending = pending;
    action.sa_handler = on_redraw;
    sigemptyset(&action.sa_mask);
    sigaction(SIGWINCH, &action, &old_resize);
    sigaction(SIGCONT, &action, &old_continue);
    dt_interrupt_arm(L);
    rl_resize_terminal();
    line = readline(prompt);
    dt_interrupt_disarm(L);
    sigaction(SIGWINCH, &old_resize, NULL);
    sigaction(SIGCONT, &old_continue, NULL);
    if (dt_interrupt_seen() || !line) {
        (void)fputs("\n", stdout);
        free(line);
        return dt_interrupt_seen() ? DT_LINE_DROPPED : DT_INPUT_ENDED;
    }
    remember(line);
    lua_pushstring(L, line);
    free(line);
    return DT_LINE_READ;
}

/* Adds the lines of the history's file. Returns how many there are. */
static int read_lines(FILE *file)
{
    char *line = NULL;
    size_t size = 0;
    int num_lines = 0;
    ssize_t length;
    while ((length = getline(&line, &size, file)) > 0) {
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        if (line[0] != '\0')
            (void)add_history(line);
        num_lines++;
    }
    free(line);
    return num_lines;
}

/* Writes what is left of a history that has grown too long into its file. */
static void shorten(FILE *file)
{
    if (ftruncate(fileno(file), 0) != 0)
        return;
    for (int i = 0; i < history_length; i++) {
        const HIST_ENTRY *entry = history_get(history_base + i);
        if (entry)
            (void)fprintf(file, "%s\n", entry->line);
    }
}

/* Reads the history of earlier prompts, and makes sure that it can be added to. */
static void open_history(void)
{
    FILE *file;
    using_history();
    stifle_history(MAX_HISTORY);
    if (!dt_xdg_path(history_path, sizeof history_path, "XDG_STATE_HOME", ".local/state",
                     "history")) {
        history_path[0] = '\0';
        return;
    }
    file = dt_xdg_make_folders(history_path) ? fopen(history_path, "a+") : NULL;
    if (!file) {
        (void)fprintf(stderr, "dtsim: no history is kept: %s: %s\n", history_path, strerror(errno));
        history_path[0] = '\0';
        return;
    }
    if (read_lines(file) > 2 * MAX_HISTORY)
        shorten(file);
    (void)fclose(file);
}

void dt_edit_start(lua_State *L)
{
    const char *terminal = getenv("TERM");
    (void)L;
    editing = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && terminal && terminal[0] != '\0' &&
              strcmp(terminal, "dumb") != 0;
    if (!editing)
        return;
    (void)setlocale(LC_CTYPE, "");
    rl_readline_name = "dtsim";
    rl_getc_function = read_character;
    rl_attempted_completion_function = complete_word;
    rl_basic_word_break_characters = " \t\n\"'`!@#$%^&*()-+={}[]|\\:;<>,.?/~";
    (void)rl_initialize();
    open_history();
}

void dt_edit_stop(void)
{
    if (editing)
        clear_history();
    free(last_line);
    last_line = NULL;
    editing = false;
}

DtReading dt_edit_line(lua_State *L, const char *prompt, const char *pending)
{
    return editing ? read_edited(L, prompt, pending) : read_plain(L, prompt);
}

#else

void dt_edit_start(lua_State *L)
{
    (void)L;
}

void dt_edit_stop(void)
{
}

DtReading dt_edit_line(lua_State *L, const char *prompt, const char *pending)
{
    (void)pending;
    return read_plain(L, prompt);
}

#endif
