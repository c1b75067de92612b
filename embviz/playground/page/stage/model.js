// The model of one token that `picture/cells/ways.js` draws: lines, columns and words. It knows no element.

import { shortened } from "../../../picture/cells/fit.js";
import { layersOver } from "../../../picture/cells/heads.js";
import { count, counted, precise } from "../../../picture/cells/numbers.js";
import { totalOf } from "../../../picture/cells/sums.js";
import { indexOf } from "./answer.js";

// The model of one token, or of a row that is pointed at; null where rows of it were not sent.
//
// `column` is the first one that is wanted, `around` the rows that are drawn, and `atEnd` those at an end of the
// table; `half`, if the right side shows nn.Linear's own weight.
export function modelOfToken({ answer, token, row, column, around, atEnd = around, half, sizes }) {
  const id = answer.tokens ? answer.ids[token - answer.first] : -1;
  const picked = row ?? id;
  const [start, drawn] = rowsAround(Math.max(id, 0), answer.rows, around, atEnd);
  const lines = [
    ...omitted(answer, 0, start, answer.omitted[0], "above"),
    ...Array.from({ length: drawn }, (_, k) => lineOf(answer, start + k, picked)),
    ...omitted(answer, start + drawn, answer.rows, answer.omitted[1], "below"),
  ];
  if (lines.some(({ values }) => values === null)) return null;
  const first = Math.max(0, Math.min(column - answer.column, answer.columns - sizes.count));
  const columns = { first, count: sizes.count };
  return { ...answersOf(answer, id, picked, lines), lines, columns, half, scale: answer.scale, arrow: true, ...namesOf(answer, token) };
}

// The first row that is drawn, and how many are: fewer where lines on both sides count the others.
function rowsAround(id, rows, around, atEnd) {
  if (rows <= around) return [0, rows];
  const start = id - Math.floor(around / 2);
  if (start <= 0) return [0, atEnd];
  return start + around < rows ? [start, around] : [rows - atEnd, atEnd];
}

const plus = (sum, value) => (sum === undefined ? value : sum + value);

// Rows that are not drawn, as one line: their sum is what each adds, times 0.
function omitted(answer, from, to, outside, key) {
  if (from >= to) return [];
  const products = Array.from({ length: answer.columns }, (_, column) => {
    let sum = outside.length ? outside[column] ?? NaN : undefined;
    for (let row = Math.max(from, answer.row); row < to && answer.sent(row); row++) sum = plus(sum, 0 * answer.rowAt(row)[column]);
    return sum ?? 0;
  });
  const rows = to - from;
  return [{ key, omitted: `${count(rows)} ${rows === 1 ? "row" : "rows"}`, factor: 0, products }];
}

function lineOf(answer, row, picked) {
  const values = answer.rowAt(row);
  const factor = row === picked ? 1 : 0;
  const label = answer.labels[row - answer.row] ?? answer.names[answer.slotOf.get(row)]?.[0] ?? "";
  return {
    key: row, values, factor, picked: row === picked, label: answer.unit ? shortened(label) : "", sub: String(row),
    title: `row ${count(row)} of weight`, products: values && Array.from(values, (value) => factor * value),
  };
}

// Names below both answers
const COPIED = "copied: embedding(id)", SUMMED = "summed: linear(one_hot)";

// Both answers. For a row that no token has picked, the right one is the sum that is written here.
function answersOf(answer, id, picked, lines) {
  if (picked < 0) return { left: { code: COPIED }, right: { code: SUMMED }, sign: "", said: "no token yet" };
  const own = picked === id;
  const left = own ? answer.lookupOf(id) : answer.rowAt(picked);
  const sums = Array.from({ length: answer.columns }, (_, column) => totalOf(lines, lines.length, column));
  const right = own ? answer.matmulOf(id) : sums;
  const slot = answer.slotOf.get(id);
  const all = own ? answer.dims : answer.columns;
  const equal = own ? answer.equal[slot] : sums.filter((sum, k) => Object.is(sum, left?.[k])).length;
  return {
    left: { values: left, code: COPIED },
    right: { values: right, code: SUMMED },
    sign: equal === all ? "=" : "≠", alike: equal === all,
    said: `identical:\n${count(equal)} of ${count(all)}`,
    differs: own ? answer.differs?.[slot] : undefined,
    mismatch: own ? sums.findIndex((sum, k) => !Object.is(sum, right[k])) : -1, sums,
  };
}

function namesOf(answer, token) {
  const index = answer.tokens ? indexOf(answer, token) : [];
  const { rows, dims, origin, unit } = answer;
  return {
    names: { ...layersOver(rows, dims), input: unit ? `${unit}, id` : "id" },
    dims,
    explained: "Identical, bit for bit: no bit of a number differs, not even the sign of a zero.",
    note: `${count(rows)} × ${count(dims)}, ${origin}`,
    turnedName: `linear.weight: the same table transposed, ${count(dims)} × ${count(rows)}`,
    name: (column) => `output[${[...index, answer.column + column].join(", ")}]`,
  };
}

// The verdict on the whole text, in one line.
export function verdict(answer, { mismatch, sums, right }) {
  if (!answer.tokens) return `No ${answer.unit ? "tokens" : "ids"} yet. Type some above.`;
  const [equal, values] = answer.same;
  const [places, total] = answer.differing;
  const text = answer.unit ? "Whole text" : "All ids";
  const size = `(${counted(answer.tokens, "token")} × ${count(answer.dims)})`;
  const more = total > places.length ? ` and ${count(total - places.length)} more` : "";
  const where = total ? ` Tokens that differ: ${places.map(count).join(", ")}${more}.` : "";
  const note = mismatch >= 0 ? ` In column ${answer.column + mismatch} the sum written here is ${precise(sums[mismatch])}, torch's is ${precise(right.values[mismatch])}.` : "";
  return `${text}: ${count(equal)} of ${counted(values, "number")} identical ${size}.${where}${note}`;
}
