#include "sandbox_io.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "file/confine.h"
#include "output.h"

/* ---- writing ---- */

/* Counts what is about to be written, or raises. */
static void count(lua_State *L, size_t num_bytes)
{
    if (!dt_confine_count(num_bytes))
        luaL_error(L, "%s", dt_confine_too_much);
}

static bool write_text(FILE *file, const char *text, size_t num_bytes)
{
    if (file == stdout || file == stderr)
        return dt_output_write(file, text, num_bytes);
    return fwrite(text, 1, num_bytes, file) == num_bytes;
}

/* Writes the arguments from `first` on; the file is on top of the stack, and is the result. */
static int write_values(lua_State *L, FILE *file, int first)
{
    int num_args = lua_gettop(L) - 1;
    for (int i = first; i <= num_args; i++) {
        size_t num_bytes;
        const char *text = luaL_checklstring(L, i, &num_bytes);
        count(L, num_bytes);
        errno = 0;
        if (!write_text(file, text, num_bytes))
            return luaL_fileresult(L, 0, NULL);
    }
    return 1;
}

static FILE *check_file(lua_State *L)
{
    luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    if (!stream->closef)
        luaL_error(L, "attempt to use a closed file");
    return stream->f;
}

static int file_write(lua_State *L)
{
    FILE *file = check_file(L);
    lua_pushvalue(L, 1);
    return write_values(L, file, 2);
}

/* io.write; upvalue 1 is io.stdout. */
static int io_write(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    return write_values(L, stdout, 1);
}

static int print(lua_State *L)
{
    int num_args = lua_gettop(L);
    for (int i = 1; i <= num_args; i++) {
        size_t num_bytes;
        const char *text = luaL_tolstring(L, i, &num_bytes);
        count(L, num_bytes + 1);
        if (i > 1)
            (void)fputc('\t', stdout);
        (void)dt_output_write(stdout, text, num_bytes);
        lua_pop(L, 1);
    }
    count(L, 1);
    (void)fputc('\n', stdout);
    return 0;
}

/* A lua_WarnFunction. */
static void write_warning(void *context, const char *message, int is_continued)
{
    static bool enabled, in_message;
    (void)context;
    if (!in_message && !is_continued && message[0] == '@') {
        if (strcmp(message, "@on") == 0 || strcmp(message, "@off") == 0)
            enabled = strcmp(message, "@on") == 0;
        return;
    }
    if (enabled && dt_confine_count(strlen(message) + 1)) {
        if (!in_message)
            (void)fputs("Lua warning: ", stderr);
        (void)dt_output_write(stderr, message, strlen(message));
        if (!is_continued)
            (void)fputc('\n', stderr);
    }
    in_message = is_continued;
}

/* ---- files ---- */

static int close_file(lua_State *L)
{
    luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    return luaL_fileresult(L, fclose(stream->f) == 0, NULL);
}

/* Opens a file and pushes it. On failure pushes nil and a message that names the path. */
static bool push_file(lua_State *L, const char *path, char mode)
{
    const char modes[2] = {mode, '\0'};
    const char *reason = NULL;
    luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
    int fd;
    stream->closef = NULL;
    luaL_setmetatable(L, LUA_FILEHANDLE);
    fd = mode == 'r' ? dt_confine_open(path, &reason)
                     : dt_confine_create(path, mode == 'a', &reason);
    if (fd >= 0) {
        stream->f = fdopen(fd, modes);
        stream->closef = close_file;
        return true;
    }
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", path, reason);
    return false;
}

/* A path without zero bytes. */
static const char *check_path(lua_State *L, int index)
{
    size_t length;
    const char *path = luaL_checklstring(L, index, &length);
    luaL_argcheck(L, strlen(path) == length, index, "a path holds no zero byte");
    return path;
}

static int io_open(lua_State *L)
{
    const char *path = check_path(L, 1);
    const char *mode = luaL_optstring(L, 2, "r");
    bool known = mode[0] && strchr("rwa", mode[0]) && (!mode[1] || strcmp(mode + 1, "b") == 0);
    luaL_argcheck(L, known, 2, "the sandbox opens files with the modes r, w and a");
    return push_file(L, path, mode[0]) ? 1 : 2;
}

/* io.lines(path, ...) -> iterator, nil, nil, file */
static int io_lines(lua_State *L)
{
    const char *path = check_path(L, 1);
    int num_args = lua_gettop(L);
    if (!push_file(L, path, 'r'))
        return luaL_error(L, "%s", lua_tostring(L, -1));
    lua_replace(L, 1);
    lua_getfield(L, 1, "lines");
    lua_insert(L, 1);
    lua_pushvalue(L, 2);
    lua_insert(L, 1);
    lua_call(L, num_args, 1);
    lua_pushnil(L);
    lua_pushnil(L);
    lua_pushvalue(L, 1);
    return 4;
}

/* file:seek of a file that is read; upvalue 1 is Lua's own. */
static int file_seek(lua_State *L)
{
    int fd = fileno(check_file(L));
    if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
        return luaL_error(L, "the sandbox seeks in files that are read alone");
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* ---- scripts ---- */

/* Pushes the text of a file, or nil and a message. */
static bool push_text(lua_State *L, const char *path)
{
    luaL_Buffer text;
    size_t done;
    if (!push_file(L, path, 'r'))
        return false;
    luaL_Stream *stream = lua_touserdata(L, -1);
    luaL_buffinit(L, &text);
    while ((done = fread(luaL_prepbuffer(&text), 1, LUAL_BUFFERSIZE, stream->f)) > 0)
        luaL_addsize(&text, done);
    luaL_pushresult(&text);
    return true;
}

/* Loads a file as text and pushes the function, or nil and a message. */
static bool load_path(lua_State *L, const char *path)
{
    size_t num_bytes;
    if (!push_text(L, path))
        return false;
    const char *text = lua_tolstring(L, -1, &num_bytes);
    if (text[0] == '#') { /* the line of a Unix script; its newline stays, for the numbers */
        const char *end = memchr(text, '\n', num_bytes);
        num_bytes -= end ? (size_t)(end - text) : num_bytes;
        text = end ? end : "";
    }
    const char *name = lua_pushfstring(L, "@%s", path);
    if (luaL_loadbufferx(L, text, num_bytes, name, "t") == LUA_OK)
        return true;
    lua_pushnil(L);
    lua_insert(L, -2);
    return false;
}

static int loadfile(lua_State *L)
{
    const char *path = check_path(L, 1);
    bool has_environment = !lua_isnone(L, 3);
    if (!load_path(L, path))
        return 2;
    if (has_environment) {
        lua_pushvalue(L, 3);
        if (!lua_setupvalue(L, -2, 1))
            lua_pop(L, 1);
    }
    return 1;
}

static int dofile(lua_State *L)
{
    int top;
    if (!load_path(L, check_path(L, 1)))
        return lua_error(L);
    top = lua_gettop(L) - 1;
    lua_call(L, 0, LUA_MULTRET);
    return lua_gettop(L) - top;
}

/* ---- the library ---- */

/* Copies a field of the table at `from` to the one on top of the stack. */
static void keep(lua_State *L, int from, const char *name)
{
    lua_getfield(L, from, name);
    lua_setfield(L, -2, name);
}

/* A metatable of files that scripts cannot reach, with methods of which none leads out. */
static void restrict_files(lua_State *L)
{
    static const char *const kept[] = {"read", "lines", "flush", "setvbuf", "close", NULL};
    luaL_getmetatable(L, LUA_FILEHANDLE);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_getfield(L, -1, "__index");
    int methods = lua_gettop(L);
    lua_newtable(L);
    for (int i = 0; kept[i]; i++)
        keep(L, methods, kept[i]);
    lua_pushcfunction(L, file_write);
    lua_setfield(L, -2, "write");
    lua_getfield(L, methods, "seek");
    lua_pushcclosure(L, file_seek, 1);
    lua_setfield(L, -2, "seek");
    lua_setfield(L, methods - 1, "__index");
    lua_settop(L, methods - 2);
}

void dt_sandbox_io_open(lua_State *L, int index)
{
    static const char *const kept[] = {"type", "close", "stdout", "stderr", NULL};
    static const luaL_Reg globals[] = {
        {"print", print}, {"loadfile", loadfile}, {"dofile", dofile}, {NULL, NULL}};
    index = lua_absindex(L, index);
    restrict_files(L);
    lua_newtable(L);
    for (int i = 0; kept[i]; i++)
        keep(L, index, kept[i]);
    lua_pushcfunction(L, io_open);
    lua_setfield(L, -2, "open");
    lua_pushcfunction(L, io_lines);
    lua_setfield(L, -2, "lines");
    lua_getfield(L, -1, "stdout");
    lua_pushcclosure(L, io_write, 1);
    lua_setfield(L, -2, "write");
    lua_replace(L, index);
    lua_pushglobaltable(L);
    luaL_setfuncs(L, globals, 0);
    lua_pop(L, 1);
    lua_setwarnf(L, write_warning, NULL);
}
