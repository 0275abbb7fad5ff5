#include "amount.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    double value;
} Unit;

static const Unit size_units[] = {
    {"", 1},         {"B", 1},        {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9}, {"TB", 1e12},
    {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {NULL, 0},
};
static const Unit time_units[] = {
    {"", 1}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {NULL, 0},
};
static const double max_bytes = 0x1p50;
static const double min_s = 1e-3;
static const double max_s = 1000 * 3600;

/* "NUMBER UNIT" in the unit of value 1; negative for any other text. */
static double read_amount(const char *text, const Unit units[])
{
    char *rest;
    double number;
    size_t length = strspn(text, "0123456789.");
    number = strtod(text, &rest);
    if (length == 0 || rest != text + length) /* no sign, no blank, no "inf", no exponent */
        return -1;
    rest += strspn(rest, " ");
    for (; units->name; units++)
        if (strcmp(rest, units->name) == 0)
            return number * units->value;
    return -1;
}

bool dt_amount_bytes(const char *text, size_t least, size_t *bytes)
{
    double amount = read_amount(text, size_units);
    if (!(amount >= (double)least && amount <= max_bytes))
        return false;
    *bytes = (size_t)amount;
    return true;
}

bool dt_amount_seconds(const char *text, double *seconds)
{
    double amount = read_amount(text, time_units);
    if (!(amount >= min_s && amount <= max_s))
        return false;
    *seconds = amount;
    return true;
}
