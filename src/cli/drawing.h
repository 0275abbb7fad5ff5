/* drawing.h: the pictures of a sandbox.
 *
 * gnuplot runs whatever its script says, so no script of it may come from where an untrusted script
 * ran: that could have changed any function that puts the script together. A figure is plain data
 * (see lua/dtsim/plot/layout.lua); it is copied into a Lua state that nobody else has touched,
 * whose dtsim.plot.gnuplot checks it, turns it into commands and runs them.
 * May include: Lua, bind, the rest of cli.
 */
#ifndef DT_CLI_DRAWING_H
#define DT_CLI_DRAWING_H

#include <lua.h>

/* Pushes what stands for the module "dtsim.plot.gnuplot" in a sandbox: draw(figure, format) and
 * text(figure, columns, rows), with the results and errors of that module's. */
void dt_drawing_push(lua_State *L);

#endif
