#include "error.h"

#include <stddef.h>

DtStatus dt_error_set(DtError *error, DtStatus status, const char *field, double value,
                      const char *rule)
{
    return dt_error_set_pair(error, status, field, value, rule, NULL, 0);
}

DtStatus dt_error_set_pair(DtError *error, DtStatus status, const char *field, double value,
                           const char *rule, const char *other, double other_value)
{
    if (error) {
        error->status = status;
        error->field = field;
        error->value = value;
        error->rule = rule;
        error->other = other;
        error->other_value = other_value;
        error->index = -1;
    }
    return status;
}
