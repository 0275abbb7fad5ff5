/* amount.h: sizes and times of the command line: "512 MiB", "1.5GB", "90 s", "10 min".
 *
 * A number without a unit is in bytes or in seconds. dtsim.units knows more, but is Lua: the limits
 * stand before any Lua runs.
 * May include: the C library.
 */
#ifndef DT_CLI_AMOUNT_H
#define DT_CLI_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a size of at least `least` bytes and at most 2^50. Units: B, kB, MB, GB, TB, KiB, MiB, GiB,
 * TiB. False for any other text; *bytes is untouched then. */
bool dt_amount_bytes(const char *text, size_t least, size_t *bytes);

/* Reads a time from a millisecond to 1000 hours. Units: ms, s, min, h. False for any other text;
 * *seconds is untouched then. */
bool dt_amount_seconds(const char *text, double *seconds);

#endif
