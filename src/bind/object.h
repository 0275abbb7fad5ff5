/* object.h: immutable Lua objects around core structs, driven by descriptor tables.
 *
 * A DtType says all about one kind of object. From it come the constructor's checks, x.field,
 * x:with{...}, pairs, ==, tostring and every error message.
 * May include: core/field.h, bind.h.
 */
#ifndef DT_BIND_OBJECT_H
#define DT_BIND_OBJECT_H

#include "bind.h"
#include "core/field.h"

typedef struct DtType DtType;

/* A value that is computed from an object, read as a field. */
typedef struct {
    const char *name;
    void (*push)(lua_State *L, const void *object); /* pushes one value */
    const char *kind;                               /* of quantity, "" for none */
    const char *help;
} DtDerived;

struct DtType {
    const char *name; /* "gpu" */
    const char *a;    /* "a dtsim.gpu" */
    size_t size;
    const DtField *fields;
    int num_fields;
    const DtDerived *derived; /* ends with a NULL name; fields that only reading knows */
    const DtDerived *special; /* ends with a NULL name; fields with rules of their own */
    /* Takes the value on top of the stack for a special field of the table at `index`. `what` names
     * the object in messages. */
    void (*set_special)(lua_State *L, void *object, const char *name, int index, const char *what);
    /* Completes and checks an object that all fields are set of; is_new: not from :with. */
    void (*finish)(lua_State *L, void *object, bool is_new);
    void (*init)(void *object); /* sets specials to their defaults */
    /* Whether two objects have the same fields; NULL: if all their bytes are the same. */
    bool (*equal)(const void *a, const void *b);
    const luaL_Reg *methods;
    bool
        whole_counts; /* numbers of the kind "count" are integers to scripts where they are whole */
};

/* Makes the metatable of a type. Leaves the stack as it is. */
void dt_object_register(lua_State *L, const DtType *type);

/* Pushes a zeroed object of a type and returns it. */
void *dt_object_push(lua_State *L, const DtType *type);

/* Fills `object` from the table at `index`: unknown fields and bad values raise; is_new: absent
 * fields take their default, or raise. `what` names the object in messages. */
void dt_object_read(lua_State *L, int index, const DtType *type, void *object, bool is_new,
                    const char *what);

/* The object at `index`, or NULL if it is none of that type. */
void *dt_object_test(lua_State *L, int index, const DtType *type);

/* The object at `index`; raises "WHAT must be a dtsim.TYPE, got ..." if it is none. */
void *dt_object_check(lua_State *L, int index, const DtType *type, const char *what);

/* Reads the object's field NAME (row, derived or special) and pushes its value; false: none. */
bool dt_object_get(lua_State *L, const DtType *type, const void *object, const char *name);

#endif
