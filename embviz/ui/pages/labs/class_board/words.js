// Sentences in a part of Markdown: paragraphs, lists, headings of six signs, bold, code and small
// words. Text never becomes markup: each piece is set as text.

const PIECE = /\\([^A-Za-z0-9\s])|`([^`]+)`|\*\*((?:\\.|[^\\])+?)\*\*|:(small|gray)\[(.*)\]/s;

function element(name, inner, className = "") {
  const made = document.createElement(name);
  made.className = className;
  if (Array.isArray(inner)) made.append(...inner);
  else inline(made, inner);
  return made;
}

function inline(into, text) {
  const found = PIECE.exec(text);
  if (!found) { into.append(text); return; }
  const [whole, escaped, code, bold, size, inner] = found;
  into.append(text.slice(0, found.index));
  if (escaped !== undefined) into.append(escaped);
  else if (code !== undefined) into.append(Object.assign(document.createElement("code"), { textContent: code }));
  else into.append(bold === undefined ? element("span", inner, size) : element("strong", bold));
  inline(into, text.slice(found.index + whole.length));
}

const rowOf = (line, cell) =>
  element("tr", line.split(/(?<!\\)\|/).slice(1, -1).map((one) => element(cell, one.trim())));

// Consecutive lines of one kind are one block; an empty line ends it.
function words(text) {
  const blocks = [];
  for (const line of text.split("\n")) {
    const kind = /^(- |\| |###### )/.exec(line)?.[1] ?? (line && "p");
    if (blocks.at(-1)?.kind === kind) blocks.at(-1).lines.push(line);
    else blocks.push({ kind, lines: [line] });
  }
  return blocks.filter(({ kind }) => kind).map(({ kind, lines }) => {
    if (kind === "- ") return element("ul", lines.map((line) => element("li", line.slice(2))));
    if (kind === "###### ") return element("h6", lines[0].slice(7));
    if (kind === "p") return element("p", lines.join(" "));
    const [head, , ...rows] = lines;
    const table = [element("thead", [rowOf(head, "th")]), element("tbody", rows.map((row) => rowOf(row, "td")))];
    return element("div", [element("table", table)], "table");
  });
}

function writeWords(into, text) {
  if (into.words === text) return;
  into.words = text;
  into.replaceChildren(...words(text));
}
