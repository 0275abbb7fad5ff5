#include "field.h"

#include <math.h>

const char *const dt_number_rule = "be from 1e-30 to 1e30";

const char *dt_field_allowed(const DtField *field)
{
    if (field->type == DT_COUNT)
        return "be a whole number from 1 to 2^62";
    switch (field->range) {
    case DT_POSITIVE:
        return "be a finite number above 0";
    case DT_POSITIVE_OR_INFINITE:
        return "be a number above 0 (infinity is allowed)";
    case DT_NOT_NEGATIVE:
        return "be a finite number, 0 or above";
    case DT_FRACTION:
        return "be above 0 and at most 1";
    }
    return "be valid";
}

DtStatus dt_field_check(const DtField *field, double value, DtError *error)
{
    bool allowed = false;
    if (field->type == DT_COUNT) {
        allowed = value >= 1 && value <= DT_COUNT_MAX && value == floor(value);
    } else {
        switch (field->range) {
        case DT_POSITIVE:
            allowed = value > 0 && isfinite(value);
            break;
        case DT_POSITIVE_OR_INFINITE:
            allowed = value > 0;
            break;
        case DT_NOT_NEGATIVE:
            allowed = value >= 0 && isfinite(value);
            break;
        case DT_FRACTION:
            allowed = value > 0 && value <= 1;
            break;
        }
    }
    if (!allowed)
        return dt_error_set(error, DT_INVALID, field->name, value, dt_field_allowed(field));
    if (field->type == DT_NUMBER && value > 0 && isfinite(value) && !dt_number_in_range(value))
        return dt_error_set(error, DT_INVALID, field->name, value, dt_number_rule);
    return DT_OK;
}
