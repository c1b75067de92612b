// What `ui/parts/cells/ways.js` draws of one token: its lines, columns and words. It knows no element.

import { shortened } from "../parts/cells/labels.js";
import { count, precise } from "../parts/cells/numbers.js";
import { totalOf } from "../parts/cells/sums.js";
import { indexOf } from "./record.js";

// The model of one token, or of a row that is pointed at; null where rows of it were not sent.
//
// `record` is the answer; `column`, the first one that is wanted; `turned`, for the transposed drawing.
export function modelOfToken({ record, token, row, column, turned, sizes }) {
  const id = record.tokens ? record.ids[token - record.first] : -1;
  const picked = row ?? id;
  const around = Math.min(record.rows, rowsDrawn(sizes.small, turned));
  const start = Math.max(0, Math.min(Math.max(id, 0) - Math.floor(around / 2), record.rows - around));
  const lines = [
    ...folded(record, 0, start, record.folded[0], "above"),
    ...Array.from({ length: around }, (_, k) => lineOf(record, start + k, picked)),
    ...folded(record, start + around, record.rows, record.folded[1], "below"),
  ];
  if (lines.some(({ values }) => values === null)) return null;
  const first = Math.max(0, Math.min(column - record.column, record.columns - sizes.count));
  const columns = { first, count: sizes.count, total: record.dims };
  return { ...answersOf(record, id, picked, lines), lines, columns, turned, scale: record.scale, arrow: true, ...namesOf(record, token) };
}

function rowsDrawn(small, turned) {
  if (!small) return 11;
  return turned ? 4 : 7;
}

const plus = (one, other) => (one === undefined ? other : one + other);

// Rows that are not drawn, as one line: their sum is what each adds, times 0.
function folded(record, from, to, outside, key) {
  if (from >= to) return [];
  const products = Array.from({ length: record.columns }, (_, column) => {
    let sum = outside.length ? outside[column] ?? NaN : undefined;
    for (let row = Math.max(from, record.row); row < to && record.sent(row); row++) sum = plus(sum, 0 * record.rowAt(row)[column]);
    return sum ?? 0;
  });
  const rows = to - from;
  return [{ key, fold: `${count(rows)} ${rows === 1 ? "row" : "rows"}`, factor: 0, products }];
}

function lineOf(record, row, picked) {
  const values = record.rowAt(row);
  const factor = row === picked ? 1 : 0;
  const label = record.labels[row - record.row] ?? record.names[record.slotOf.get(row)]?.[0] ?? "";
  return {
    key: row, values, factor, picked: row === picked, label: record.unit ? shortened(label) : "", sub: String(row),
    title: `row ${count(row)} of weight`, products: values && Array.from(values, (value) => factor * value),
  };
}

// Both answers. Of a row that no token has picked, the sum is the one that is written here.
function answersOf(record, id, picked, lines) {
  if (picked < 0) return { left: { name: "", code: "embedding(ids)" }, right: { code: "one_hot @ weight" }, sign: "", said: "no token yet" };
  const own = picked === id;
  const left = own ? record.lookupOf(id) : record.rowAt(picked);
  const sums = Array.from({ length: record.columns }, (_, column) => totalOf(lines, lines.length, column));
  const right = own ? record.matmulOf(id) : sums;
  const slot = record.slotOf.get(id);
  const all = own ? record.dims : record.columns;
  const equal = own ? record.equal[slot] : sums.filter((sum, k) => Object.is(sum, left?.[k])).length;
  return {
    left: { name: "copied", values: left, code: "embedding(ids)" },
    right: { values: right, code: "added up: one_hot @ weight" },
    sign: equal === all ? "=" : "≠", alike: equal === all,
    said: `${equal === all ? "identical" : "the same"}\n${count(equal)} of ${count(all)}`,
    differs: own ? record.differs?.[slot] : undefined,
    odd: own ? sums.findIndex((sum, k) => !Object.is(sum, right[k])) : -1, sums,
  };
}

function namesOf(record, token) {
  const index = record.tokens ? indexOf(record, token) : [];
  const size = `${count(record.rows)} × ${count(record.dims)}`;
  return {
    heads: [["lookup", record.unit ? `${record.unit}, id` : "id", "blue"], ["weight", size, ""], ["one_hot", "as a column", "orange"], ["matmul", "each row × its 0 or 1, then add", "orange"]],
    turnedName: `linear.weight  ${count(record.dims)} × ${count(record.rows)}`, turnedCode: "one_hot @ linear.weight.T",
    name: (column) => `output[${[...index, record.column + column].join(", ")}]`,
  };
}

// The verdict on the whole text, in one line.
export function verdict(record, { odd, sums, right }) {
  if (!record.tokens) return `No ${record.unit ? "tokens" : "ids"} yet. Type some above.`;
  const [equal, values] = record.same;
  const [places, total] = record.differing;
  const text = record.unit ? "Whole text" : "All ids";
  const size = `(${count(record.tokens)} ${record.tokens === 1 ? "token" : "tokens"} × ${count(record.dims)})`;
  const more = total > places.length ? ` and ${count(total - places.length)} more` : "";
  const where = total ? ` Tokens that differ: ${places.map(count).join(", ")}${more}.` : "";
  const note = odd >= 0 ? ` In column ${record.column + odd} the sum written here is ${precise(sums[odd])}, torch's is ${precise(right.values[odd])}.` : "";
  return `${text}: ${count(equal)} of ${count(values)} numbers identical, bit for bit ${size}.${where}${note}`;
}
