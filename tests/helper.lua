-- helper.lua: what busted runs before the specs.
--
-- Loads all of the library. busted forgets the modules that a spec file has loaded when the file
-- ends, but not what the global dtsim keeps of them: without this, two copies of a module would
-- live side by side.

local pipe <close> = assert(io.popen("cd lua && find dtsim -name '*.lua'"))
for path in pipe:lines() do
    require(path:gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", "."))
end
