/* values.h: single values between Lua and C, and errors at the user's line.
 * May include: core/error.h, core/field.h, bind.h.
 */
#ifndef DT_BIND_VALUES_H
#define DT_BIND_VALUES_H

#include <stdint.h>

#include "bind.h"
#include "core/field.h"

/* Raises an error whose message starts with the script line of the user: the innermost function
 * on the stack that is no part of dtsim. Never returns. */
int dt_raise(lua_State *L, const char *format, ...);

/* The same, with ", got ..." for the value at `index` at its end. */
int dt_raise_got(lua_State *L, int index, const char *format, ...);

/* The same as dt_raise for a core error; `what` is the object or the call: "gpu",
 * "optimizer:evaluate". */
int dt_raise_error(lua_State *L, const char *what, const DtError *error);

/* Pushes the sentence for a core error, without a position. */
void dt_push_error(lua_State *L, const DtError *error);

/* The number at `index` in SI base units: a number, or a string with a unit of `kind` ("" takes
 * plain numbers only). Raises an error that names what.field. */
double dt_quantity(lua_State *L, int index, const char *kind, const char *what, const char *field);

/* A whole number from `least` to 2^62 at `index`, also as a string such as "16 M". */
uint64_t dt_count(lua_State *L, int index, double least, const char *what, const char *field);

/* A boolean at `index`. */
bool dt_flag(lua_State *L, int index, const char *what, const char *field);

/* A name at `index`: a string that fits DT_NAME_SIZE. */
void dt_name(lua_State *L, int index, char name[DT_NAME_SIZE], const char *what, const char *field);

/* Position in `names` (NULL at its end) of the string at `index`; raises with all of them. */
int dt_choice(lua_State *L, int index, const char *const names[], const char *what,
              const char *field);

/* Position in `names` (NULL at its end) of the string at `index`; -1 if it is none of them. */
int dt_key_find(lua_State *L, int index, const char *const names[]);

/* Pushes an array of names (NULL at its end). */
void dt_push_names(lua_State *L, const char *const names[]);

/* Raises that the key at `index` is no NOUN ("field", "option") of `what`; suggests among the
 * array of names on top of the stack. Never returns. */
int dt_raise_unknown(lua_State *L, int index, const char *what, const char *noun);

/* Pushes a count as an integer. */
void dt_push_count(lua_State *L, uint64_t value);

/* Pushes a number: an integer where it is whole (and below 2^53). */
void dt_push_whole(lua_State *L, double value);

/* t[name] = value for the table on top of the stack. */
void dt_set_number(lua_State *L, const char *name, double value);
void dt_set_whole(lua_State *L, const char *name, double value); /* as dt_push_whole */
void dt_set_count(lua_State *L, const char *name, uint64_t value);
void dt_set_flag(lua_State *L, const char *name, bool value);
void dt_set_text(lua_State *L, const char *name, const char *value);
void dt_set_known(lua_State *L, const char *name, double value); /* not if DT_ABSENT */

/* Pushes "got ..." for the value at `index`: its text, or its type where it has none. */
void dt_push_got(lua_State *L, int index);

#endif
