/* field.h: descriptor tables. One row says all about one field of a core struct: its name in
 * scripts, where it stands, its unit, what is allowed, its default, its one-line help. Parsing,
 * checking, printing, comparing, saving and documenting a struct are loops over its rows, so
 * adding a field touches the struct and one row.
 * May include: error.h.
 */
#ifndef DT_CORE_FIELD_H
#define DT_CORE_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

#define DT_NAME_SIZE 64  /* bytes of a name with its final NUL */
#define DT_ABSENT (-1.0) /* the value of an optional number that was not given */

typedef enum {
    DT_NUMBER, /* double */
    DT_COUNT,  /* uint64_t, whole, at most DT_COUNT_MAX */
    DT_FLAG,   /* bool */
    DT_NAME,   /* char[DT_NAME_SIZE] */
} DtFieldType;

#define DT_COUNT_MAX 4611686018427387904.0 /* 2^62: sums and products of two stay checkable */

/* Numbers above 0 lie between these, so that no product or quotient of the model's leaves the
 * range of a double: what goes in finite comes out finite. No hardware is near them. */
#define DT_NUMBER_LEAST 1e-30
#define DT_NUMBER_MOST 1e30
#define DT_TOKENS_MOST 1e80 /* of a run; above 20 for each parameter of the largest model */

/* Whether a number above 0 lies between them. */
static inline bool dt_number_in_range(double value)
{
    return value >= DT_NUMBER_LEAST && value <= DT_NUMBER_MOST;
}
extern const char *const dt_number_rule; /* what it must do otherwise */

typedef enum {
    DT_REQUIRED, /* must be given */
    DT_OPTIONAL, /* DT_ABSENT when not given */
    DT_DEFAULT,  /* `fallback` when not given */
} DtPresence;

/* What numbers are allowed. */
typedef enum {
    DT_POSITIVE,             /* > 0, finite */
    DT_POSITIVE_OR_INFINITE, /* > 0 */
    DT_NOT_NEGATIVE,         /* >= 0, finite */
    DT_FRACTION,             /* > 0 and <= 1 */
    /* Finite ones are in range too: see dt_number_in_range. */
} DtRange;

typedef struct {
    const char *name; /* as scripts write it */
    DtFieldType type;
    size_t offset;
    const char *kind; /* kind of quantity: "bytes", "bandwidth", "time", ... ; "" for none */
    DtRange range;
    DtPresence presence;
    double fallback;
    const char *help; /* one line: meaning and unit */
} DtField;

/* Checks one number against its row. Errors: DT_INVALID with field, value and what is allowed. */
DtStatus dt_field_check(const DtField *field, double value, DtError *error);

/* What a row allows, in words that follow "must be". */
const char *dt_field_allowed(const DtField *field);

#endif
