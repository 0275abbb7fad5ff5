/* error.h: how the core says that something is wrong.
 *
 * A core function that can fail returns a DtStatus and fills a DtError that the caller owns.
 * On failure its other results are untouched. All strings of a DtError are literals, so an
 * error needs no memory and no formatting here; bind turns it into a sentence.
 * May include: nothing of the project.
 */
#ifndef DT_CORE_ERROR_H
#define DT_CORE_ERROR_H

typedef enum {
    DT_OK = 0,
    DT_INVALID,     /* a value is out of its range */
    DT_ILLEGAL,     /* values are each fine but do not go together: a plan breaks a rule */
    DT_INFEASIBLE,  /* the question is legal and has no answer: nothing fits, nothing is in time */
    DT_NO_MEMORY,   /* the machine that runs dtsim has no memory left */
    DT_INTERRUPTED, /* the caller's stop callback said so */
} DtStatus;

/* One failure: "FIELD must RULE [OTHER = other_value], got value". */
typedef struct {
    DtStatus status;
    const char *field;  /* the field's name as scripts know it */
    double value;       /* its value */
    const char *rule;   /* what is allowed, to follow "must" (or, if infeasible, the reason) */
    const char *other;  /* the field that it must agree with, or NULL */
    double other_value; /* that field's value */
    int index;          /* position in a list (network level), 0-based; -1: no list */
} DtError;

/* Fills *error (may be NULL) and returns status, so that a check is one line. */
DtStatus dt_error_set(DtError *error, DtStatus status, const char *field, double value,
                      const char *rule);

/* The same for a rule that names a second field. */
DtStatus dt_error_set_pair(DtError *error, DtStatus status, const char *field, double value,
                           const char *rule, const char *other, double other_value);

#endif
