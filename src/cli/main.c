/* main.c: the program. It acts on the options of options.h as lua's own program would: opens
 * the libraries, runs LUA_INIT, -e and -l in order, the script, and the prompt.
 *
 * The simulator is put into the global "dtsim" at the start, and loads its parts when they are
 * asked for. (A metatable on the globals that loads it would get in the way of scripts that put
 * their own there.) May include: Lua, bind, file, the rest of cli.
 */
#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind/bind.h"
#include "embed.h"
#include "file/file.h"
#include "file/process.h"
#include "interrupt.h"
#include "options.h"
#include "progress.h"
#include "repl.h"
#include "run.h"
#include "sandbox.h"

/* What protected_main needs; the arguments are main's own. */
typedef struct {
    int argc;
    char **argv;
    DtOptions options;
} Invocation;

static void print_version(void)
{
    (void)printf("dtsim %s (%s)\n", dt_version, LUA_RELEASE);
    (void)fflush(stdout);
}

/* Runs at exit, however the program ends (os.exit too): output that did not arrive anywhere is a
 * failure. Says so and ends with DT_EXIT_IO. */
static void check_stdout(void)
{
    bool failed_before = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) == 0 && !failed_before)
        return;
    if (dt_interrupt_reason() == DT_STOP_HANG_UP) /* the terminal was the output */
        return;
    (void)fprintf(stderr, "dtsim: cannot write standard output: %s\n",
                  errno ? strerror(errno) : "an earlier write failed");
    _exit(DT_EXIT_IO);
}

static void open_libraries(lua_State *L, const DtOptions *options)
{
    const char *directory = options->ignore_environment ? NULL : getenv("DTSIM_LUA");
    if (options->ignore_environment) {
        lua_pushboolean(L, 1);
        lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
    }
    luaL_openlibs(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_dtsim_core);
    lua_setfield(L, -2, "dtsim.core");
    lua_pushcfunction(L, luaopen_dtsim_file);
    lua_setfield(L, -2, "dtsim.file");
    lua_pop(L, 1);
    dt_embed_open(L, directory && *directory ? directory : NULL);
}

/* The global "arg": the script at 0, its arguments from 1, all before it at negative indices;
 * without a script the program is at 0. */
static void make_arg(lua_State *L, const Invocation *call)
{
    lua_createtable(L, call->argc, call->options.script + 1);
    for (int i = 0; i < call->argc; i++) {
        lua_pushstring(L, call->argv[i]);
        lua_rawseti(L, -2, i - call->options.script);
    }
    lua_setglobal(L, "arg");
}

/* require(module) into the global of that name. */
static DtExit require_global(lua_State *L, const char *global, const char *module)
{
    DtExit result;
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    result = dt_run_call(L, 1, 1);
    if (result == DT_EXIT_OK)
        lua_setglobal(L, global);
    return result;
}

/* -l mod or -l g=mod. */
static DtExit run_library(lua_State *L, const char *argument)
{
    const char *equals = strchr(argument, '=');
    DtExit result;
    if (!equals)
        return require_global(L, argument, argument);
    lua_pushlstring(L, argument, (size_t)(equals - argument));
    result = require_global(L, lua_tostring(L, -1), equals + 1);
    lua_pop(L, 1);
    return result;
}

static DtExit run_file(lua_State *L, const char *path)
{
    DtExit result = dt_run_load(L, path);
    return result == DT_EXIT_OK ? dt_run_call(L, 0, 0) : result;
}

/* LUA_INIT_5_4, else LUA_INIT: a text, or a file if it starts with '@'. */
static DtExit run_init(lua_State *L)
{
    const char *name = "=LUA_INIT_5_4";
    const char *init = getenv(name + 1);
    if (!init) {
        name = "=LUA_INIT";
        init = getenv(name + 1);
    }
    if (!init)
        return DT_EXIT_OK;
    return init[0] == '@' ? run_file(L, init + 1) : dt_run_string(L, init, name);
}

static DtExit run_actions(lua_State *L, const DtOptions *options)
{
    DtExit result = DT_EXIT_OK;
    for (int i = 0; i < options->num_actions && result == DT_EXIT_OK; i++) {
        const DtAction *action = &options->actions[i];
        if (action->option == 'e')
            result = dt_run_string(L, action->argument, "=(command line)");
        else if (action->option == 'l')
            result = run_library(L, action->argument);
        else if (action->option == 'W')
            lua_warning(L, "@on", 0);
    }
    return result;
}

/* Pushes dtsim.config.main, the path and the list of what --set says. */
static DtExit push_configuration(lua_State *L, const char *path, const DtOptions *options)
{
    int count = 0;
    lua_getglobal(L, "require");
    lua_pushliteral(L, "dtsim.config");
    DtExit result = dt_run_call(L, 1, 1);
    if (result != DT_EXIT_OK)
        return result;
    lua_getfield(L, -1, "main");
    lua_remove(L, -2);
    lua_pushstring(L, path);
    lua_newtable(L);
    for (int i = 0; i < options->num_actions; i++) {
        if (options->actions[i].option != 's')
            continue;
        lua_pushstring(L, options->actions[i].argument);
        lua_rawseti(L, -2, ++count);
    }
    return DT_EXIT_OK;
}

/* Pushes the command `dtsim validate`, written in Lua; its arguments are the script's. */
static DtExit push_validate(lua_State *L)
{
    static const char text[] = "os.exit(require 'dtsim.validate'.main{...}, true)";
    return luaL_loadbuffer(L, text, sizeof text - 1, "=validate") == LUA_OK ? DT_EXIT_OK
                                                                            : DT_EXIT_SCRIPT;
}

/* Runs the script with its arguments; they come from the global "arg", as earlier code may have
 * changed it. */
static DtExit run_script(lua_State *L, const Invocation *call)
{
    int script = call->options.script;
    const char *path = call->argv[script];
    bool is_stdin = strcmp(path, "-") == 0 && strcmp(call->argv[script - 1], "--") != 0;
    bool is_configuration = !is_stdin && dt_options_is_configuration(path);
    bool is_validate = strcmp(path, "validate") == 0 && !call->options.sandbox;
    DtExit result = is_configuration ? push_configuration(L, path, &call->options)
                    : is_validate    ? push_validate(L)
                                     : dt_run_load(L, is_stdin ? NULL : path);
    int num_args;
    if (result != DT_EXIT_OK)
        return result;
    if (lua_getglobal(L, "arg") != LUA_TTABLE)
        luaL_error(L, "'arg' is not a table");
    num_args = (int)luaL_len(L, -1);
    luaL_checkstack(L, num_args + 3, "too many arguments to the script");
    for (int i = 1; i <= num_args; i++)
        lua_rawgeti(L, -i, i);
    lua_remove(L, -num_args - 1);
    return dt_run_call(L, num_args + (is_configuration ? 2 : 0), 0);
}

/* All that the options ask for, in lua's order. */
static DtExit run_all(lua_State *L, const Invocation *call)
{
    const DtOptions *options = &call->options;
    bool asked = options->script || options->version || options->code;
    bool prompts = options->interactive || (!asked && isatty(STDIN_FILENO));
    DtExit result = options->sandbox ? DT_EXIT_OK : require_global(L, "dtsim", "dtsim");
    if (result == DT_EXIT_OK && !options->ignore_environment && !options->sandbox)
        result = run_init(L);
    if (result == DT_EXIT_OK && prompts)
        dt_repl_prepare(L, !options->ignore_environment);
    if (result == DT_EXIT_OK)
        result = run_actions(L, options);
    if (result == DT_EXIT_OK && options->script)
        result = run_script(L, call);
    if (result != DT_EXIT_OK)
        return result;
    if (prompts) {
        if (!asked) {
            print_version();
            (void)puts("help() tells more, Ctrl-D leaves.");
        }
        dt_repl(L);
    } else if (!asked)
        result = run_file(L, NULL);
    /* A prompt that was ended from outside. */
    if (result == DT_EXIT_OK && dt_interrupt_is_final())
        result = (DtExit)dt_interrupt_status();
    return result;
}

/* (Invocation *) -> exit status. */
static int protected_main(lua_State *L)
{
    const Invocation *call = lua_touserdata(L, 1);
    lua_settop(L, 0);
    dt_interrupt_watch(L);
    if (call->options.sandbox)
        dt_sandbox_open(L);
    else
        open_libraries(L, &call->options);
    make_arg(L, call);
    lua_pushinteger(L, run_all(L, call));
    return 1;
}

/* Memory ran out where no error can be raised any more. */
static int panic(lua_State *L)
{
    (void)L;
    (void)fputs("dtsim: not enough memory\n", stderr);
    _exit(DT_EXIT_SCRIPT);
}

static bool must_stop(void)
{
    return dt_interrupted != 0;
}

/* A state, the run, and its exit status. */
static int run(Invocation *call)
{
    bool is_limited = call->options.max_memory_bytes > 0;
    lua_State *L = is_limited ? lua_newstate(dt_bind_allocate, NULL) : luaL_newstate();
    int result;
    if (!L) {
        (void)fputs("dtsim: not enough memory\n", stderr);
        return DT_EXIT_SCRIPT;
    }
    if (is_limited)
        (void)lua_atpanic(L, panic);
    dt_process_set_host(must_stop, dt_interrupt_set_child);
    lua_pushcfunction(L, protected_main);
    lua_pushlightuserdata(L, call);
    if (lua_pcall(L, 1, 1, 0) == LUA_OK)
        result = (int)lua_tointeger(L, -1);
    else
        result = (int)dt_run_fail(L);
    lua_close(L);
    dt_interrupt_unlimit_time();
    return result;
}

/* Sets what the command line limits, and what it does not in a sandbox. */
static void set_limits(DtOptions *options)
{
    static char memory_message[100];
    if (options->sandbox) {
        if (options->max_memory_bytes == 0)
            options->max_memory_bytes = DT_SANDBOX_MEMORY_BYTES;
        if (options->max_output_bytes == 0)
            options->max_output_bytes = DT_SANDBOX_OUTPUT_BYTES;
        if (options->max_time_s == 0)
            options->max_time_s = dt_sandbox_time_s;
        dt_bind_limit_threads(options->num_threads > 0 ? options->num_threads : 1);
        dt_run_set_text_only();
    }
    if (options->max_memory_bytes > 0) {
        dt_bind_limit_memory(options->max_memory_bytes);
        (void)snprintf(memory_message, sizeof memory_message,
                       "not enough memory (--max-memory %.6g MiB)",
                       (double)options->max_memory_bytes / (1 << 20));
        dt_run_set_memory_message(memory_message);
    }
    if (options->max_time_s > 0) {
        /* What was printed is out when the program has to end itself. */
        (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
        dt_interrupt_limit_time(options->max_time_s);
    }
}

/* Acts on options that are right. */
static int act(Invocation *call)
{
    DtOptions *options = &call->options;
    if (options->version)
        print_version();
    if (options->version_only)
        return DT_EXIT_OK;
    if (options->num_threads > 0)
        dt_bind_set_threads(options->num_threads);
    if (!options->quiet)
        dt_progress_start();
    dt_run_set_traceback(options->traceback);
    set_limits(options);
    if (options->sandbox) {
        const char *wrong =
            dt_sandbox_enter(call->argv[options->script], options->out, options->max_output_bytes);
        if (wrong) {
            (void)fprintf(stderr, "dtsim: cannot open %s: %s\n", wrong, strerror(errno));
            return DT_EXIT_IO;
        }
    }
    return run(call);
}

int main(int argc, char **argv)
{
    char message[256];
    Invocation call = {.argc = argc, .argv = argv};
    DtOptions *options = &call.options;
    int result = DT_EXIT_OK;
    options->actions = calloc((size_t)argc + 1, sizeof *options->actions);
    if (!options->actions || atexit(check_stdout) != 0) {
        (void)fputs("dtsim: not enough memory\n", stderr);
        return DT_EXIT_SCRIPT;
    }
    if (!dt_options_parse(argc, argv, options, message, sizeof message)) {
        (void)fprintf(stderr, "dtsim: %s\ntry 'dtsim --help'\n", message);
        result = DT_EXIT_USAGE;
    } else if (options->help)
        (void)fputs(dt_options_help, stdout);
    else
        result = act(&call);
    free(options->actions);
    return result;
}
