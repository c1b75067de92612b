// One weight with two ways out of it: on the left a copy, on the right products and their sum.
//
// `model` has `lines` of the weight, each with `key`, `label`, `sub`, `values`, `factor`, `products`,
// `picked`, or `omitted`, what the rows are that are not drawn, such as "3 rows"; `heads`, `left` and `right`
// with `name`, `values` and `code`; `sign` and `said` between them; `columns`, those drawn of all that are
// there; `turned`, for the transposed drawing. `phase` says how far Play has come, `lit` what is pointed at.
// `left.adds` if the left answer is a sum too; `left.differs` marks its numbers alone.

import { put, sweep } from "./board.js";
import { tint } from "./colours.js";
import { totalOf } from "./sums.js";

// px of `one_hot` beside the transposed drawing
const NAME = 60;
// px of rows that are not drawn, or of a sign, in it at most
const OMITTED = 30;

// A number that is exactly 0 has no decimals: it adds nothing.
export const shownZero = (value, format) => (value === 0 ? "0" : format(value));

// Of a number that is not there, or not yet, neither is written nor painted anything.
const textOf = (value, format) => (value === undefined ? "" : format(value));
const paintOf = (value, theme, scale, isFaint) => (value === undefined ? "" : tint(theme, value, scale, isFaint));

// A number of the left answer in this phase; undefined before it is there.
function leftNow({ left, lines }, phase, column) {
  if (!phase.copied || !left.values) return undefined;
  if (left.adds && !phase.end) return totalOf(lines, phase.done, column, "values");
  return left.values[column];
}

// The same of the right answer: a sum that grows line by line.
function rightNow({ right, lines }, phase, column) {
  if (phase.end) return right.values?.[column];
  return phase.done ? totalOf(lines, phase.done, column) : undefined;
}

// Rows that are not drawn, in words.
export const omittedWords = ({ omitted }) => `${omitted} more`;

export function drawWays(on, model, sizes, theme, phase, lit) {
  const { label, sub, middle, cell, count } = sizes;
  const px = (...all) => all.map((one) => `${one}px`).join(" ");
  if (model.turned) drawTurned(on, model, sizes, theme, phase, lit);
  else {
    on.root.style.gridTemplateColumns = `${px(label, sub)} repeat(${count}, ${cell}px) ${px(...middle)} repeat(${count}, ${cell}px)`;
    drawHeads(on, model, count);
    model.lines.forEach((line, k) => drawLine(on, model, line, k, sizes, theme, phase, lit));
    drawAnswers(on, model, model.lines.length + 3, sizes, theme, phase, lit);
  }
  sweep(on);
}

function drawHeads(on, { heads }, count) {
  const places = [[1, 2], [3, count], [3 + count, 3], [6 + count, count]];
  places.forEach(([column, columns], k) => {
    if (!heads[k]) return;
    const [name, note, colour] = heads[k];
    put(on, `head ${k}`, `head ${colour}`, [1, column, 1, columns], name);
    put(on, `note ${k}`, "note", [2, column, 1, columns], note);
  });
}

const marks = (lit, key, column) => ([[lit.row, key], [lit.column, column]].some(([one, other]) => one !== undefined && one === other) ? " lit" : "");

function drawLine(on, model, line, k, { count, format }, theme, phase, lit) {
  const { key, picked, omitted } = line;
  const row = k + 3;
  const first = model.columns.first;
  const now = phase.at === k ? " now" : "";
  const shows = { chip: picked && phase.id, row: picked && phase.row };
  const point = omitted ? "" : `row ${key}`;
  if (omitted) put(on, `omitted ${k}`, `omitted${now}`, [row, 3, 1, count], omittedWords(line));
  else {
    put(on, `label ${k}`, `label${shows.chip && line.label ? " picked" : ""}${marks(lit, key)}`, [row, 1], line.label, { point, title: line.title });
    put(on, `sub ${k}`, `sub${shows.chip ? " picked" : ""}`, [row, 2], line.sub + (shows.chip && model.arrow ? " →" : ""), { point });
  }
  put(on, `times ${k}`, "sign", [row, 3 + count], "×");
  put(on, `factor ${k}`, `factor${line.factor === 0 ? "" : " one"}${now}`, [row, 4 + count], String(line.factor), { point });
  put(on, `is ${k}`, "sign", [row, 5 + count], "=");
  const done = k < phase.done;
  const shortZero = (value) => shownZero(value, format);
  for (let c = 0; c < count; c++) {
    const at = first + c;
    const place = `column ${at}`;
    if (!omitted) {
      const value = line.values?.[at];
      const paint = paintOf(value, theme, model.scale, !picked);
      put(on, `w ${k} ${c}`, `cell${shows.row ? " left" : ""}${now}${marks(lit, key, at)}`, [row, 3 + c], textOf(value, format), { point: place, paint });
    }
    const product = done ? line.products?.[at] : undefined;
    const plain = !picked && line.factor === 0;
    const paint = plain ? "" : paintOf(product, theme, model.scale);
    const text = textOf(product, plain ? shortZero : format);
    put(on, `p ${k} ${c}`, `cell ${plain ? "zero" : "right"}${done ? "" : " gone"}${marks(lit, plain ? null : key, at)}`, [row, 6 + count + c], text, { point: place, paint });
  }
}

function drawAnswers(on, model, row, { count, format, small }, theme, phase, lit) {
  const { left, right, columns, said } = model;
  const writes = phase.end ? format : (value) => shownZero(value, format);
  put(on, "plus", "plus", [row, 5 + count], "+");
  put(on, "rule", "rule", [row, 6 + count, 1, count]);
  if (left.adds) {
    put(on, "plus left", "plus blue", [row, 2], "+");
    put(on, "rule left", "rule left", [row, 3, 1, count]);
  }
  put(on, "copied", "name", [row + 1, 1, 1, 2], left.name);
  put(on, "equal", `equal${phase.end ? "" : " gone"}${model.alike ? "" : " unlike"}`, [row + 1, 3 + count, 1, 3], phase.end ? model.sign : "");
  put(on, "said", `note two${phase.end ? "" : " gone"}`, [row + 2, 3 + count, 1, 3], phase.end ? said : "\u00a0\n\u00a0");
  put(on, "code left", "code blue", count > 2 ? [row + 2, 3, 1, count] : [row + 2, 1, 1, 2 + count], left.code);
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

// The same as nn.Linear stores it: a column for each row of the weight, the one-hot above them.
function drawTurned(on, model, { width, label, cell, count, formatIn, labelIn }, theme, phase, lit) {
  const { lines, columns } = model;
  const n = lines.length;
  const narrow = Math.min(cell, OMITTED);
  const omissions = lines.filter(({ omitted }) => omitted).length, room = width - NAME - narrow * (omissions + 1);
  const answer = Math.min(cell, room / (n - omissions + 1)), format = formatIn(answer);
  const wide = Math.min(Math.max(cell, label), (room - answer) / (n - omissions));
  on.root.style.gridTemplateColumns = `auto ${lines.map((line) => `${line.omitted ? narrow : wide}px`).join(" ")} ${narrow}px ${answer}px`;
  const [name] = model.heads[2];
  put(on, "head 0", "head", [1, 2, 1, n], model.turnedName);
  put(on, "head 1", "head orange", [1, n + 3], "output");
  put(on, "name", "name orange", [4, 1], name);
  lines.forEach((line, k) => {
    const { key, picked, omitted } = line;
    const now = phase.at === k ? " now" : "", point = omitted ? "" : `row ${key}`;
    const at = k + 2;
    put(on, `label ${k}`, `label top${picked && phase.id ? " picked" : ""}${marks(lit, key)}`, [2, at], omitted ? "…" : labelIn(wide, line.label), { point, title: omitted ? omittedWords(line) : line.title });
    put(on, `sub ${k}`, "sub top", [3, at], omitted ? "" : line.sub, { point });
    put(on, `factor ${k}`, `factor${line.factor === 0 ? "" : " one"}${now}`, [4, at], String(line.factor), { point });
    for (let c = 0; c < count; c++) {
      const column = columns.first + c, value = line.values?.[column];
      if (omitted) { put(on, `w ${k} ${c}`, "omitted", [5 + c, at], "…"); continue; }
      const paint = paintOf(value, theme, model.scale, !picked);
      put(on, `w ${k} ${c}`, `cell${picked && phase.row ? " right" : ""}${now}${marks(lit, key, column)}`, [5 + c, at], textOf(value, format), { point: `column ${column}`, paint });
    }
  });
  for (let c = 0; c < count; c++) {
    const column = columns.first + c;
    const total = rightNow(model, phase, column), paint = paintOf(total, theme, model.scale);
    put(on, `dim ${c}`, "sub", [5 + c, 1], `[${column}]`);
    put(on, `is ${c}`, "sign", [5 + c, n + 2], "=");
    put(on, `right ${c}`, `cell answer right${marks(lit, null, column)}`, [5 + c, n + 3], textOf(total, format), { point: `column ${column}`, paint });
  }
  put(on, "code right", "code orange", [5 + count, 1, 1, n + 3], model.turnedCode);
}
