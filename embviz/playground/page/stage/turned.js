// The weight of nn.Linear, D x V: a column for each row of the table, the one-hot above them.
//
// It stands in the right half of the picture, or below it where the picture is narrow.

import { count } from "../../../picture/cells/numbers.js";
import { marks, marksOfWeight, omittedWords, putNumber, rightNow } from "../../../picture/cells/ways.js";
import { layer } from "../../../picture/cells/heads.js";

// px of the names of its rows; and of rows that are not drawn, and of a sign
const widthsOf = ({ small }) => (small ? [54, 16] : [66, 22]);
// Rows of its grid: the labels' first, the one-hot's and the bar's
const LABELS = 3, HOT = 5, BAR = 6;
// Columns of the table, which are its rows, at most
const TURNED_COLUMNS = 11;

// The columns that it shows, as many as both answers do, beside `drawn` rows of the table: so it is not higher than these.
export function turnedColumns({ rows, dims }, drawn, small) {
  const high = rows > drawn ? drawn : drawn - 1; // a line counts the other rows
  const most = small ? TURNED_COLUMNS : Math.min(TURNED_COLUMNS, high);
  return dims <= most ? dims : Math.max(1, most - 1);
}

// The rows of the table that fit into it as columns.
export function turnedRows(sizes, width) {
  const [name, narrow] = widthsOf(sizes);
  return Math.max(1, Math.floor((width - name - 3 * narrow) / sizes.formatted) - 1);
}

// Draws it in so many px; `drawing` as in `picture/cells/ways.js`.
export function drawTurned(drawing, width) {
  const { on, model, sizes, phase, lit } = drawing;
  const { formatIn, cell, formatted } = sizes, { lines, columns, names } = model;
  const [name, narrow] = widthsOf(sizes);
  const n = lines.length, last = n + 3, shown = lines.filter(({ omitted }) => !omitted).length;
  const wide = Math.min(cell, (width - name - narrow * (n - shown + 1)) / (shown + 1)), format = formatIn(Math.max(wide, formatted));
  on.root.style.gridTemplateColumns = `${name}px ${lines.map(({ omitted }) => `${omitted ? narrow : wide}px`).join(" ")} ${narrow}px ${wide}px`;
  const more = model.dims - columns.count;
  layer(on, "linear", "orange", [2, n], names.linear);
  on.put("name", "name orange", [HOT, 1], "one_hot");
  on.put("times", "sign", [HOT, n + 2], "×");
  on.put("sums", "name sums orange", [BAR, last], "sums");
  on.put("bar", "weight", [BAR, 2, 1, n], model.turnedName);
  on.put("frame", "frame", [BAR, 2, 1 + columns.count + (more ? 1 : 0), n]);
  drawLabels(drawing, wide);
  lines.forEach((line, k) => drawTurnedRow(drawing, line, k, format));
  for (let c = 0; c < columns.count; c++) {
    const column = columns.first + c, value = rightNow(model, phase, column);
    on.put(`dim ${c}`, "sub", [BAR + 1 + c, 1], `[${column}]`);
    on.put(`is ${c}`, "sign", [BAR + 1 + c, last - 1], "=");
    putNumber(drawing, `right ${c}`, `cell sum right${marks(lit, null, column)}`, [BAR + 1 + c, last], { value, format, point: `column ${column}` });
  }
  const below = BAR + 1 + columns.count;
  if (more) on.put("more", "omitted", [below, 2, 1, n], `${count(more)} more`);
  on.put("how", "note", [below + (more ? 1 : 0), 2, 1, n], "each column × its 0 or 1, then + along each row");
  on.sweep();
}

// The labels, in columns of `wide` px. That of the selected row stands whole: it takes its neighbours' places if need be.
function drawLabels({ on, model: { lines }, sizes: { labelIn }, lit }, wide) {
  const own = lines.findIndex(({ picked }) => picked);
  const isCut = own >= 0 && labelIn(wide, lines[own].label) !== lines[own].label;
  lines.forEach((line, k) => {
    const { key, omitted, label } = line, isOwn = k === own;
    const text = isOwn ? label : omitted ? "…" : labelIn(wide, label);
    const isCovered = isCut && Math.abs(k - own) === 1;
    const from = Math.max(0, k - 1), at = isCut && isOwn ? [LABELS, from + 2, 1, Math.min(k + 1, lines.length - 1) - from + 1] : [LABELS, k + 2];
    const title = omitted ? omittedWords(line) : line.title;
    on.put(`label ${k}`, `label top${isOwn ? " picked" : ""}${marks(lit, key)}`, at, isCovered ? "" : text, { point: omitted ? "" : `row ${key}`, title });
  });
}

// A row of the table as a column, its numbers written by `format`.
function drawTurnedRow(drawing, line, k, format) {
  const { on, model: { columns }, phase, lit } = drawing, { key, picked, omitted, values } = line;
  const now = phase.at === k ? " now" : "", point = omitted ? "" : `row ${key}`, at = k + 2;
  on.put(`sub ${k}`, "sub top", [LABELS + 1, at], omitted ? "" : line.sub, { point });
  on.put(`factor ${k}`, `factor${line.factor === 0 ? "" : " one"}${now}`, [HOT, at], String(line.factor), { point });
  for (let c = 0; c < columns.count; c++) {
    const column = columns.first + c, value = values?.[column];
    if (omitted) { on.put(`w ${k} ${c}`, "omitted", [BAR + 1 + c, at], "…"); continue; }
    const kind = `cell${picked ? " right" : ""}${now}${marksOfWeight(lit, key, column)}`;
    putNumber(drawing, `w ${k} ${c}`, kind, [BAR + 1 + c, at], { value, format, point: `weight ${key} ${column}` });
  }
}
