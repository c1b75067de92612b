// One weight with two ways out of it: on the left a copy, on the right products and their sum.
//
// `model` has `lines` of the weight, each with `key`, `label`, `sub`, `values`, `factor`, `products`,
// `picked`, or `omitted`, what the rows are that are not drawn, such as "3 rows", and `each`, what each is
// multiplied by where that is no one number; `left` and `right` with `name`, `values` and `code`; `sign` and
// `said` between them, and `explained`, a tooltip; `columns`, those drawn of all that are there; `half`, if the
// right side of the lines is left free. `phase` says how far Play has come, `lit` what is pointed at.
// `left.adds` is the name of the lines' numbers that the left answer is the sum of, if it is one;
// `left.differs` marks its numbers alone. Equal numbers have equal tints: a row is marked by its outline.

import { put, sweep } from "./board.js";
import { tint } from "./colours.js";
import { totalOf } from "./sums.js";

// A number that is exactly 0 has no decimals: it adds nothing.
const shownZero = (value, format) => (value === 0 ? "0" : format(value));

// Of a number that is not there, or not yet, neither is written nor painted anything.
export const textOf = (value, format) => (value === undefined ? "" : format(value));
export const paintOf = (value, theme, scale) => (value === undefined ? "" : tint(theme, value, scale));

// A number of the left answer in this phase; undefined before it is there.
function leftNow({ left, lines }, phase, column) {
  if (!phase.copied || !left.values) return undefined;
  if (left.adds && !phase.end) return totalOf(lines, phase.done, column, left.adds);
  return left.values[column];
}

// The same of the right answer: a sum that grows line by line.
export function rightNow({ right, lines }, phase, column) {
  if (phase.end) return right.values?.[column];
  if (phase.unsummed) return undefined;
  return phase.done ? totalOf(lines, phase.done, column) : undefined;
}

// Rows that are not drawn, in words.
export const omittedWords = ({ omitted }) => `${omitted} more`;

// `drawTop` draws the heads, and gives the number of rows that they take.
export function drawWays(on, model, sizes, theme, phase, lit, drawTop) {
  const { width, label, sub, middle, cell, count } = sizes;
  const px = (...all) => all.map((one) => `${one}px`).join(" ");
  const rest = model.half ? width - label - sub - middle[0] - middle[1] - middle[2] - 2 * count * cell : 0;
  on.root.style.gridTemplateColumns = `${px(label, sub)} repeat(${count}, ${cell}px) ${px(...middle)} repeat(${count}, ${cell}px) ${rest}px`;
  const top = drawTop(on, model, sizes);
  model.lines.forEach((line, k) => drawLine(on, model, line, k, top + k + 1, sizes, theme, phase, lit));
  drawAnswers(on, model, top + model.lines.length + 1, sizes, theme, phase, lit);
  sweep(on);
}

export const marks = (lit, key, column) => ([[lit.row, key], [lit.column, column]].some(([one, other]) => one !== undefined && one === other) ? " lit" : "");

function drawLine(on, model, line, k, row, sizes, theme, phase, lit) {
  const { key, picked, omitted } = line, { count, format, label, labelIn, small } = sizes;
  const first = model.columns.first;
  const now = phase.at === k ? " now" : "";
  const shows = { chip: picked && phase.id, row: picked && phase.row };
  const point = omitted ? "" : `row ${key}`;
  if (omitted) {
    const each = small ? "" : `, each × ${line.each ?? line.factor}`;
    put(on, `omitted ${k}`, `omitted${now}`, [row, 3, 1, count], omittedWords(line) + each);
  } else {
    put(on, `label ${k}`, `label${shows.chip && line.label ? " picked" : ""}${marks(lit, key)}`, [row, 1], labelIn(label, line.label), { point, title: line.title });
    put(on, `sub ${k}`, `sub${shows.chip ? " picked" : ""}`, [row, 2], line.sub + (shows.chip && model.arrow ? " →" : ""), { point });
  }
  for (let c = 0; c < count && !omitted; c++) {
    const at = first + c, value = line.values?.[at];
    const kind = `cell${shows.row ? " left" : ""}${now}${marks(lit, key, at)}`;
    put(on, `w ${k} ${c}`, kind, [row, 3 + c], textOf(value, format), { point: `column ${at}`, paint: paintOf(value, theme, model.scale) });
  }
  if (!model.half) drawProducts(on, model, line, k, row, sizes, theme, phase, lit);
}

function drawProducts(on, model, line, k, row, { count, format }, theme, phase, lit) {
  const { key, picked, omitted } = line;
  const now = phase.at === k ? " now" : "", done = k < phase.done;
  put(on, `times ${k}`, "sign", [row, 3 + count], "×");
  put(on, `factor ${k}`, `factor${line.factor === 0 ? "" : " one"}${now}`, [row, 4 + count], String(line.factor), { point: omitted ? "" : `row ${key}` });
  put(on, `is ${k}`, "sign", [row, 5 + count], "=");
  const plain = !picked && line.factor === 0;
  const shortZero = (value) => shownZero(value, format);
  for (let c = 0; c < count; c++) {
    const at = model.columns.first + c;
    const product = done ? line.products?.[at] : undefined;
    const kind = `cell ${plain ? "zero" : "right"}${done ? "" : " gone"}${marks(lit, plain ? null : key, at)}`;
    const paint = plain ? "" : paintOf(product, theme, model.scale);
    put(on, `p ${k} ${c}`, kind, [row, 6 + count + c], textOf(product, plain ? shortZero : format), { point: `column ${at}`, paint });
  }
}

function drawAnswers(on, model, row, { count, format, small }, theme, phase, lit) {
  const { left, right, columns, said } = model;
  const writes = phase.end ? format : (value) => shownZero(value, format);
  if (!model.half) {
    put(on, "plus", "plus", [row, 5 + count], "+");
    put(on, "rule", "rule", [row, 6 + count, 1, count]);
  }
  if (left.adds) {
    put(on, "plus left", "plus blue", [row, 2], "+");
    put(on, "rule left", "rule left", [row, 3, 1, count]);
  }
  put(on, "copied", "name", [row + 1, 1, 1, 2], left.name ?? "");
  put(on, "equal", `equal${phase.end ? "" : " gone"}${model.alike ? "" : " unlike"}`, [row + 1, 3 + count, 1, 3], phase.end ? model.sign : "");
  put(on, "said", `note two${phase.end ? "" : " gone"}`, [row + 2, 3 + count, 1, 3], phase.end ? said : "\u00a0\n\u00a0", { title: model.explained ?? "" });
  put(on, "code left", "code blue", count > 2 && !left.adds ? [row + 2, 3, 1, count] : [row + 2, 1, 1, 2 + count], left.code);
  put(on, "code right", `code orange`, [row + 2, 6 + count, 1, count], right.code);
  for (let c = 0; c < count; c++) {
    const at = columns.first + c;
    const point = `column ${at}`;
    for (const [side, value, column] of [["left", leftNow(model, phase, at), 3 + c], ["right", rightNow(model, phase, at), 6 + count + c]]) {
      const differs = phase.end && (model.differs ?? model[side].differs)?.[at] ? " differs" : "";
      const paint = paintOf(value, theme, model.scale);
      put(on, `${side} ${c}`, `cell answer ${side}${differs}${marks(lit, null, at)}`, [row + 1, column], textOf(value, writes), { point, paint });
    }
  }
}
