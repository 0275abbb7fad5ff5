/* output.h: what a script that is not trusted prints.
 *
 * Confined, a terminal gets no control characters but newline and tab: a "?" stands for each other,
 * so that no text moves the cursor, sets the title or has the terminal answer. Files and pipes get
 * every byte.
 * May include: the C library.
 */
#ifndef DT_CLI_OUTPUT_H
#define DT_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* From now on all output is a script's that is not trusted. */
void dt_output_confine(void);

/* Writes text to stdout or stderr. False if the stream does not take it; errno says why. */
bool dt_output_write(FILE *stream, const char *text, size_t num_bytes);

/* Writes a message and a newline to stderr. Confined, a long one is cut. */
void dt_output_message(const char *message);

#endif
