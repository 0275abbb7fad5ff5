-- page: the frame of a report: style, behaviour and escaping of a page that needs nothing else.

local svg = require "dtsim.plot.svg"

local page = {}

page.escape = svg.escape

local STYLE = [[
body { font: 15px/1.45 Helvetica, Arial, sans-serif; color: #222; margin: 0 auto; max-width: 1100px;
       padding: 1em; background: #fff; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 1.8em; }
h3 { font-size: 1em; margin: 1.4em 0 0.4em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: 0.25em 0.7em; border-bottom: 1px solid #ddd; text-align: left;
         white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
th { cursor: pointer; background: #f4f4f4; user-select: none; white-space: normal;
     vertical-align: bottom; }
th:focus-visible { outline: 2px solid #0072B2; }
th[aria-sort=ascending]::after { content: " \25B2"; }
th[aria-sort=descending]::after { content: " \25BC"; }
svg { max-width: 100%; height: auto; display: block; margin: 0.5em 0; }
#tip { position: fixed; display: none; pointer-events: none; background: #222; color: #fff;
       padding: 0.4em 0.7em; font-size: 13px; border-radius: 4px; white-space: pre-line;
       max-width: 32em; z-index: 1; }
button { font: inherit; padding: 0.4em 1em; cursor: pointer; }
]]

local SCRIPT = [[
"use strict";
const tip = document.getElementById("tip");
document.addEventListener("mousemove", event => {
  const mark = event.target.closest && event.target.closest("[data-tip]");
  if (!mark) { tip.style.display = "none"; return; }
  tip.textContent = mark.dataset.tip;
  tip.style.display = "block";
  const x = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  const y = event.clientY + 18 + tip.offsetHeight > window.innerHeight
    ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
  tip.style.left = Math.max(0, x) + "px";
  tip.style.top = y + "px";
});
// One hover text at a time: the titles are for pages without scripts.
document.querySelectorAll("svg title").forEach(title => title.remove());

function sortBy(head) {
  const table = head.closest("table"), body = table.tBodies[0];
  const column = head.cellIndex, down = head.getAttribute("aria-sort") === "ascending";
  const value = row => {
    const cell = row.cells[column];
    return cell.dataset.value !== undefined ? Number(cell.dataset.value) : cell.textContent;
  };
  const compare = (a, b) => {
    const x = value(a), y = value(b);
    if (typeof x === "number" && typeof y === "number") return x - y;
    if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
    return x.localeCompare(y);
  };
  const rows = Array.from(body.rows).sort(compare);
  if (down) rows.reverse();
  table.querySelectorAll("th").forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  body.append(...rows);
}
document.querySelectorAll("th").forEach(head => {
  head.tabIndex = 0;
  head.addEventListener("click", () => sortBy(head));
  head.addEventListener("keydown", event => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sortBy(head); }
  });
});

document.getElementById("download").addEventListener("click", event => {
  const text = document.getElementById("data").textContent;
  const address = URL.createObjectURL(new Blob([text], {type: "application/json"}));
  const link = document.createElement("a");
  link.href = address;
  link.download = event.target.dataset.name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
});
]]

-- A cell: text, or { text, value } with a number to sort by.
local function cell(content)
    if type(content) ~= "table" then return "<td>" .. page.escape(content) .. "</td>" end
    local value = content.value
    if value == nil or value ~= value or math.abs(value) == math.huge then
        return '<td class="number">' .. page.escape(content.text) .. "</td>"
    end
    return ('<td class="number" data-value="%.17g">%s</td>'):format(value,
        page.escape(content.text))
end

-- A table of rows of cells, the first row of titles, which sort it when they are clicked.
function page.table(rows, id)
    local lines = {('<div class="wide"><table id="%s">\n<thead><tr>'):format(page.escape(id))}
    for _, title in ipairs(rows[1]) do
        lines[#lines + 1] = '<th scope="col">' .. page.escape(title) .. "</th>"
    end
    lines[#lines + 1] = "</tr></thead>\n<tbody>"
    for i = 2, #rows do
        local cells = {}
        for j, content in ipairs(rows[i]) do cells[j] = cell(content) end
        lines[#lines + 1] = "<tr>" .. table.concat(cells) .. "</tr>"
    end
    lines[#lines + 1] = "</tbody></table></div>"
    return table.concat(lines, "\n")
end

-- The whole page. parts: pieces of HTML; json: what the button downloads; name: of that file.
-- No "<" of the JSON reaches the page as markup.
function page.make(title, parts, json, name)
    local frame = [[
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>%s</title>
<style>
%s</style>
</head>
<body>
<h1>%s</h1>
<p><button id="download" data-name="%s">Download all results as JSON</button></p>
%s
<div id="tip" role="tooltip"></div>
<script type="application/json" id="data">%s</script>
<script>
%s</script>
</body>
</html>
]]
    return frame:format(page.escape(title), STYLE, page.escape(title), page.escape(name),
        table.concat(parts, "\n"), (json:gsub("<", "\\u003c")), SCRIPT)
end

return page
