-- The module dtsim for a stock Lua 5.4: luarocks make src/package/dtsim-scm-1.rockspec,
-- at the top of the project. The program and its man page come with make install alone.
rockspec_format = "3.0"
package = "dtsim"
version = "scm-1"
source = {url = "file://."}
description = {
    summary = "Limits of distributed training, from a script",
    detailed = "How fast a cluster of GPUs can train a neural network, which plan of parallelism "
        .. "is best for it, and how large a training run can be.",
}
supported_platforms = {"linux"}
dependencies = {"lua >= 5.4, < 5.5", "lpeg >= 1.0.2", "lua-cjson >= 2.1.0"}
build = {
    type = "make",
    build_target = "module",
    build_variables = {LUA_CFLAGS = "-isystem $(LUA_INCDIR)", CC = "$(CC)"},
    install_target = "install-module",
    install_variables = {LUADIR = "$(LUADIR)", SODIR = "$(LIBDIR)/dtsim"},
}
