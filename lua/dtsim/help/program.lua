-- The version, and the command line: the text that makes --help, the man page, and the completion
-- of shells.
-- Plain data: it is read by a stock lua5.4 when the program is built.
--
-- An option: how it is written, what it does, and what follows it for completion (argument:
-- "text", "module" or "number"; none takes no argument). As --help shows it in a line, `help` is
-- short; `more` is for the man page alone.

return {
    version = "0.1.0",
    synopsis = "dtsim [options] [script [args]]",
    summary = "limits of distributed training, from a script",
    description = {
        "Runs a Lua script with the simulator at hand as the global 'dtsim'. With no script it",
        "prompts for input, or runs its standard input when that is no terminal. A script whose",
        "name ends in .json is a configuration: its system, sweep or study is run; --out FILE",
        "behind it saves the answers. 'dtsim validate FILE.csv...' predicts measured training runs",
        "and prints how far off it is; 'dtsim validate --help' tells its options.",
    },
    options = {
        {"-e stat", "run the string 'stat'", argument = "text"},
        {"-l mod", "require the library 'mod' into the global 'mod'", argument = "module"},
        {"-l g=mod", "require the library 'mod' into the global 'g'", argument = "module"},
        {"-i", "prompt for input after the script"},
        {"-j N", "search with N threads", argument = "number"},
        {"--set P=V", 'change one value of a configuration: --set network[2].bandwidth="200 GB/s"',
         argument = "text"},
        {"-q", "show no progress"},
        {"-v", "show the version"},
        {"-E", "ignore the environment (LUA_INIT, LUA_PATH, LUA_CPATH, DTSIM_LUA)",
         more = "and the start-up file of the prompt"},
        {"-W", "turn warnings on"},
        {"--sandbox", "run a script that is not trusted",
         more = "it reads files beside itself, writes below --out, runs nothing, and ends at the"
             .. " limits below"},
        {"--out DIR", "where the script of a sandbox may write; nowhere if not given",
         argument = "text"},
        {"--max-memory SIZE", "most memory of the run, as 512 MiB; in a sandbox 1 GiB",
         argument = "text"},
        {"--max-time TIME", "most time of the run, as 90 s; in a sandbox 10 min",
         argument = "text"},
        {"--max-output SIZE", "most bytes a sandbox prints and writes; 64 MiB if not given",
         argument = "text"},
        {"--traceback", "show where in the script's calls an error came from"},
        {"-h, --help", "show this and leave"},
        {"--version", "show the version and leave"},
        {"--", "end of the options"},
        {"-", "end of the options; run the standard input"},
    },
    exit = {
        {"0", "fine"},
        {"1", "the script raised an error or met a limit"},
        {"2", "wrong usage"},
        {"3", "input or output failed"},
        {"129", "the terminal went away"},
        {"130", "interrupted"},
        {"143", "terminated"},
    },
    environment = {
        {"LUA_INIT, LUA_INIT_5_4", "Lua code, or @ and the name of a file, to run first"},
        {"LUA_PATH, LUA_CPATH", "where modules are looked for, as for lua5.4"},
        {"DTSIM_LUA", "a directory whose files dtsim/*.lua come before the built-in ones"},
        {"XDG_CONFIG_HOME", "where the start-up file of the prompt is; ~/.config if unset"},
        {"XDG_STATE_HOME", "where the history of the prompt is; ~/.local/state if unset"},
    },
    files = {
        {"$XDG_CONFIG_HOME/dtsim/init.lua", "Lua code that runs before the first prompt"},
        {"$XDG_STATE_HOME/dtsim/history", "the lines that were typed at the prompt"},
    },
}
