-- man.lua: writes the man page dtsim.1 from the library's help.
-- usage: dtsim man.lua > dtsim.1

local program = require "dtsim.help.program"
local topics = require "dtsim.help.topics"

-- Text as roff takes it literally.
local function escape(text)
    text = text:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub('"', "\\(dq"):gsub("%^", "\\(ha")
    return (text:gsub("^[.']", "\\&%0"):gsub("\n[.']", "\n\\&%0"):gsub("\n(\\&)\n", "\n%1"))
end

local function section(title) print(".SH " .. escape(title)) end
local function paragraph(text) print(".PP\n" .. escape(text)) end

local function item(name, text)
    print((".TP\n.B %s\n%s"):format(escape(name), escape(text)))
end

local function verbatim(text)
    print(".PP\n.nf\n.RS\n" .. escape(text:gsub("\n$", "")) .. "\n.RE\n.fi")
end

local function paragraphs(text)
    for part in (text .. "\n\n"):gmatch "(.-)\n\n" do paragraph(part) end
end

local function topic(entry)
    print(".SS " .. escape(entry.name .. ": " .. entry.summary))
    verbatim(entry.usage)
    if entry.text then paragraphs(entry.text) end
    for _, row in ipairs(entry.rows) do
        local note = topics.row_note(row)
        item(row.name, note == "" and row.help or ("%s (%s)"):format(row.help, note))
    end
    if entry.returns then paragraph("Returns " .. entry.returns .. ".") end
    if entry.source then paragraph("Source: " .. entry.source .. ".") end
end

print('.\\" Made from lua/dtsim/help; changes belong there.')
print(('.TH DTSIM 1 "" "dtsim %s" "User Commands"'):format(require "dtsim".version))
section "NAME"
print(escape(("dtsim - %s"):format(program.summary)))
section "SYNOPSIS"
print(".B dtsim\n[\\fIoptions\\fR] [\\fIscript\\fR [\\fIargs\\fR]]")
section "DESCRIPTION"
paragraph(table.concat(program.description, "\n"))
paragraph "Options that lua has mean the same here."
section "OPTIONS"
for _, option in ipairs(program.options) do
    item(option[1], option[2] .. (option.more and ", " .. option.more or ""))
end
section "EXIT STATUS"
for _, row in ipairs(program.exit) do item(row[1], row[2]) end
section "ENVIRONMENT"
for _, row in ipairs(program.environment) do item(row[1], row[2]) end
section "FILES"
for _, row in ipairs(program.files) do item(row[1], row[2]) end
section "PROMPT"
paragraphs(topics.by_name.prompt.text)
section "EXAMPLE"
paragraph("How many GPUs of 2010 would a run of 1e26 FLOP in three months have taken? "
    .. "At the prompt:")
verbatim(topics.by_name["optimizer:cluster"].example)
section "LIBRARY"
for _, entry in ipairs(topics.list) do
    if entry.name ~= "prompt" and entry.name ~= "program" then topic(entry) end
end
section "SEE ALSO"
print ".BR lua5.4 (1)"
