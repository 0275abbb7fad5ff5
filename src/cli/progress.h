/* progress.h: how far a long search is, on the last line of a terminal.
 *
 * One line on stderr, redrawn at most ten times a second and wiped before anything else is
 * said. Nothing is drawn when stderr is no terminal.
 * May include: bind.
 */
#ifndef DT_CLI_PROGRESS_H
#define DT_CLI_PROGRESS_H

/* From now on searches report to the terminal, if stderr is one. */
void dt_progress_start(void);

/* Wipes the line, if one is drawn. */
void dt_progress_clear(void);

#endif
