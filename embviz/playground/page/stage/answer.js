// The answer of `playground/page/stage/drawing.py`, unpacked: rows and numbers by id.

import { placesOf, shortened } from "../../../picture/cells/fit.js";
import { largest, unpacked } from "../../../picture/cells/numbers.js";

// `largest` is the largest |value|, `scale` that of the colours, `labelled` the places of the longest label, `slotOf` the place of an id
// among the distinct ones. `sent(row)`: whether a row of the table has come; `rowAt(row)`, its numbers, or
// null; `lookupOf(id)` and `matmulOf(id)`, the numbers of both answers.
export function readAnswer(data) {
  const Kind = data.bits === 64 ? Float64Array : Float32Array;
  const numbers = (text) => (text === null || text === undefined ? null : unpacked(text, Kind));
  const [table, lookup, matmul] = [data.table, data.lookup, data.matmul].map(numbers);
  const cut = (array, k) => array.subarray(k * data.columns, (k + 1) * data.columns);
  const slotOf = new Map(data.distinct.map((id, k) => [id, k]));
  const known = [table, lookup, matmul].filter(Boolean);
  const most = Math.max(...data.extremes.map(Math.abs)) || largest(known), scale = data.scale || most;
  const whole = known.every((array) => array.every((value) => Number.isInteger(value) || !Number.isFinite(value)));
  const sent = (row) => row >= data.row && row < data.row + data.labels.length;
  const lookupOf = (id) => (lookup ? cut(lookup, slotOf.get(id)) : cut(table, id - data.row));
  const matmulOf = (id) => (matmul ? cut(matmul, slotOf.get(id)) : lookupOf(id));
  const rowAt = (row) => {
    if (sent(row)) return cut(table, row - data.row);
    return lookup && slotOf.has(row) ? lookupOf(row) : null;
  };
  const labelled = data.unit ? Math.max(2, ...data.labels.map((label) => placesOf(shortened(label)))) : 0;
  return { ...data, labelled, pieces: data.unit === "token", slotOf, scale, largest: most, whole, sent, rowAt, lookupOf, matmulOf };
}

// The index of a flat token in the ids' own shape: 3 in a (2, 2) is [1, 1].
export function indexOf({ shape }, token) {
  const index = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index.unshift(token % shape[axis]);
    token = Math.floor(token / shape[axis]);
  }
  return index;
}
