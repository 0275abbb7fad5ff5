-- reference.lua: writes docs/api.md, the reference of the library, from its help.
-- usage: dtsim reference.lua > docs/api.md

local program = require "dtsim.help.program"
local topics = require "dtsim.help.topics"

local FENCE = "```"

local function escape(text) return (text:gsub("[|<>*_]", "\\%0")) end

-- The anchor that a heading gets on a page.
local function anchor(name) return (name:lower():gsub("[^%w_ -]", ""):gsub(" ", "-")) end
local function link(name) return ("[%s](#%s)"):format(escape(name), anchor(name)) end
local function links(names)
    local list = {}
    for i, name in ipairs(names) do list[i] = link(name) end
    return table.concat(list, ", ")
end

local function rows_table(rows)
    print "\n| name | what it is | |\n|---|---|---|"
    for _, row in ipairs(rows) do
        print(("| `%s` | %s | %s |"):format(row.name, escape(row.help),
            escape(topics.row_note(row))))
    end
end

local function options_table()
    print "\n| option | what it does |\n|---|---|"
    for _, option in ipairs(program.options) do
        print(("| `%s` | %s |"):format(option[1], escape(option[2])))
    end
end

local function code(language, text)
    print(("\n%s%s\n%s\n%s"):format(FENCE, language, text:gsub("\n$", ""), FENCE))
end

local function topic(entry)
    print(("\n## %s\n\n%s."):format(escape(entry.name), escape(entry.summary:gsub("^%l",
        string.upper))))
    code("lua", entry.usage)
    if entry.text then print("\n" .. escape(entry.text)) end
    if #entry.rows > 0 then rows_table(entry.rows) end
    if entry.program then options_table() end
    local methods = topics.methods_of(entry)
    if #methods > 0 then print("\nMethods: " .. links(methods) .. ".") end
    if entry.returns then print("\nReturns " .. escape(entry.returns) .. ".") end
    if entry.example then code("dtsim", entry.example) end
    if entry.source then print("\nSource: " .. escape(entry.source) .. ".") end
    if entry.see then print("\nSee also: " .. links(entry.see) .. ".") end
end

print "# Reference\n"
print "This page is made from the texts that `help()` shows; changes belong into"
print "`lua/dtsim/help/`, then `make docs` writes it again. Examples are lines at the prompt with"
print "what is printed below them; the tests run them all.\n"
for _, entry in ipairs(topics.list) do
    print(("- %s: %s"):format(link(entry.name), escape(entry.summary)))
end
for _, entry in ipairs(topics.list) do topic(entry) end
