-- luacheck: what is a mistake in the project's Lua
std = "lua54"
max_line_length = false -- tools/lint.sh counts characters, not bytes
-- The program puts the library into the global "dtsim".
files["scenarios"].read_globals = {"dtsim"}
files["tests/bench"].read_globals = {"dtsim"}
files["tests/spec"] = {std = "lua54+busted", read_globals = {"dtsim"}}
files["tests/cli"] = {std = "lua54+busted"}
