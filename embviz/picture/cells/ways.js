// One weight with two ways out of it: on the left a copy, on the right products and their sum.
//
// A drawing is one record, which each function here takes:
// - `on`, the grid; `sizes`, as `fit` returns them; `theme`, the colours.
// - `model`, what is drawn: see below.
// - `phase`, how far Play has come: see `playground/page/stage/steps.js`.
// - `lit`, what is pointed at: `row` is a line's key, `column` a column of the sums, `copy` one of the left answer, and
//   `weight` a number of the weight, by key and column.
//
// A model has:
// - `lines` of the weight, each with `key`, `label`, `sub`, `values`, `factor`, `products`, `picked`. A line of rows
//   that are not drawn has `omitted`, their number in words, such as "3 rows", and `each`, what each of them is
//   multiplied by where that is no one number.
// - `left` and `right`, the answers, with `name`, `values` and `code`. `left.adds` is the name of the lines' numbers
//   that the left answer is the sum of, if it is one; `left.differs` marks its numbers alone.
// - `sign` and `said`, which stand between the answers, and `explained`, a tooltip.
// - `columns`: `first` of those that are drawn, among all that are there.
// - `half`, whether the right side of the lines is left free.
//
// Equal numbers have equal tints: a row is marked by its outline.

import { tint } from "./colours.js";
import { totalOf } from "./sums.js";

// A number that is exactly 0 has no decimals: it adds nothing.
const shortZero = (format) => (value) => (value === 0 ? "0" : format(value));

// Puts a number at a place of the grid, with its tint unless it is `plain`. One that is not there, or not yet, leaves
// the place empty.
export function putNumber({ on, theme, model: { scale } }, key, kind, at, { value, format, point, plain = false }) {
  if (value === undefined) on.put(key, kind, at, "", { point });
  else on.put(key, kind, at, format(value), { point, paint: plain ? "" : tint(theme, value, scale) });
}

// A number of the left answer in this phase; undefined before it is there.
function leftNow({ left, lines }, phase, column) {
  if (!phase.copied || !left.values) return undefined;
  if (left.adds && !phase.end) return totalOf(lines, phase.done, column, left.adds);
  return left.values[column];
}

// A number of the right answer in this phase: a sum that grows line by line.
export function rightNow({ right, lines }, phase, column) {
  if (phase.end) return right.values?.[column];
  if (phase.unsummed) return undefined;
  return phase.done ? totalOf(lines, phase.done, column) : undefined;
}

// Rows that are not drawn, in words: 3 more rows.
export const omittedWords = ({ omitted }) => omitted.replace(" ", " more ");

// `drawTop(drawing)` draws the heads, and returns the number of rows that they take.
export function drawWays(drawing, drawTop) {
  const { on, model, sizes: { width, label, sub, middle, cell, count } } = drawing;
  const px = (...widths) => widths.map((width) => `${width}px`).join(" ");
  const rest = model.half ? width - label - sub - middle[0] - middle[1] - middle[2] - 2 * count * cell : 0;
  on.root.style.gridTemplateColumns = `${px(label, sub)} repeat(${count}, ${cell}px) ${px(...middle)} repeat(${count}, ${cell}px) ${rest}px`;
  const top = drawTop(drawing);
  model.lines.forEach((line, k) => drawLine(drawing, line, k, top + k + 1));
  drawAnswers(drawing, top + model.lines.length + 1);
  on.sweep();
}

// The class of a number of the weight that is pointed at, alone or otherwise.
export function marksOfWeight(lit, key, column, copied = null) {
  const isLit = lit.weight?.[0] === key && lit.weight[1] === column;
  return isLit ? " lit" : marks(lit, key, column, copied);
}

// The class of a cell that is pointed at, by its row or its column; or by that of the left answer, `copied`.
export function marks(lit, key, column, copied = null) {
  const isLit = (lit.row !== undefined && lit.row === key) || (lit.column !== undefined && lit.column === column);
  return isLit || (lit.copy !== undefined && lit.copy === copied) ? " lit" : "";
}

// Line `k` of the model, in a row of the grid.
function drawLine(drawing, line, k, row) {
  const { on, model, phase, lit, sizes: { count, format, label, labelIn, small } } = drawing;
  const { key, picked, omitted } = line, { first } = model.columns;
  const now = phase.at === k ? " now" : "";
  const point = omitted ? "" : `row ${key}`;
  if (omitted) {
    const each = small || model.half ? "" : `, each × ${line.each ?? line.factor}`;
    const at = count > 1 ? [row, 3, 1, count] : [row, 1, 1, 2]; // a single column is too narrow
    on.put(`omitted ${k}`, `omitted${now}`, at, omittedWords(line) + each);
  } else {
    on.put(`label ${k}`, `label${picked && line.label ? " picked" : ""}${marks(lit, key)}`, [row, 1], labelIn(label, line.label), { point, title: line.title });
    on.put(`sub ${k}`, `sub${picked ? " picked" : ""}`, [row, 2], line.sub + (picked && model.arrow ? " →" : ""), { point });
  }
  for (let c = 0; c < count && !omitted; c++) {
    const at = first + c, value = line.values?.[at];
    const kind = `cell${picked ? " left" : ""}${now}${marksOfWeight(lit, key, at, picked ? at : null)}`;
    putNumber(drawing, `w ${k} ${c}`, kind, [row, 3 + c], { value, format, point: `weight ${key} ${at}` });
  }
  if (!model.half) drawProducts(drawing, line, k, row);
}

function drawProducts(drawing, line, k, row) {
  const { on, model, phase, lit, sizes: { count, format } } = drawing, { key, picked, omitted } = line;
  const now = phase.at === k ? " now" : "", done = k < phase.done;
  on.put(`times ${k}`, "sign", [row, 3 + count], "×");
  on.put(`factor ${k}`, `factor${line.factor === 0 ? "" : " one"}${now}`, [row, 4 + count], String(line.factor), { point: omitted ? "" : `row ${key}` });
  on.put(`is ${k}`, "sign", [row, 5 + count], "=");
  const plain = !picked && line.factor === 0;
  for (let c = 0; c < count; c++) {
    const at = model.columns.first + c;
    const kind = `cell ${plain ? "zero" : "right"}${done ? "" : " gone"}${marks(lit, plain ? null : key, at)}`;
    const value = done ? line.products?.[at] : undefined;
    putNumber(drawing, `p ${k} ${c}`, kind, [row, 6 + count + c], { value, format: plain ? shortZero(format) : format, point: `column ${at}`, plain });
  }
}

function drawAnswers(drawing, row) {
  const { on, model, phase, lit, sizes: { count, format } } = drawing, { left, right, columns, said } = model;
  if (!model.half) {
    on.put("plus", "plus", [row, 5 + count], "+");
    on.put("rule", "rule", [row, 6 + count, 1, count]);
  }
  if (left.adds) {
    on.put("plus left", "plus blue", [row, 2], "+");
    on.put("rule left", "rule left", [row, 3, 1, count]);
  }
  on.put("copied", "name", [row + 1, 1, 1, 2], left.name ?? "");
  on.put("equal", `equal${phase.end ? "" : " gone"}${model.alike ? "" : " unlike"}`, [row + 1, 3 + count, 1, 3], phase.end ? model.sign : "");
  on.put("said", `note two${phase.end ? "" : " gone"}`, [row + 2, 3 + count, 1, 3], phase.end ? said : "\u00a0\n\u00a0", { title: model.explained ?? "" });
  on.put("code left", "code blue", count > 2 && !left.adds ? [row + 2, 3, 1, count] : [row + 2, 1, 1, 2 + count], left.code);
  on.put("code right", `code orange`, [row + 2, 6 + count, 1, count], right.code.replace("(", "\u200b("));
  for (let c = 0; c < count; c++) {
    const at = columns.first + c;
    const answers = [["left", leftNow(model, phase, at), 3 + c, `copy ${at}`], ["right", rightNow(model, phase, at), 6 + count + c, `column ${at}`]];
    for (const [side, value, column, point] of answers) {
      const differs = phase.end && (model.differs ?? model[side].differs)?.[at] ? " differs" : "";
      const kind = `cell answer ${side}${differs}${marks(lit, null, at, side === "left" ? at : null)}`;
      putNumber(drawing, `${side} ${c}`, kind, [row + 1, column], { value, format: phase.end ? format : shortZero(format), point });
    }
  }
}
