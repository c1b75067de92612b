// The sums that pictures write out: each number tells its own.

import assert from "node:assert/strict";
import { test } from "node:test";

import { addedOf, sumOf } from "../../embviz/picture/cells/sums.js";

// Counts 2, 0 and 1 of three words, and rows that are not drawn.
const LINES = [
  { picked: true, factor: "2", values: [1, -2] },
  { picked: false, factor: 0, values: [5, 5] },
  { picked: true, factor: "1", values: [0, 3] },
  { omitted: "4 rows", factor: "…" },
];
const BAG = { lines: LINES, noun: "count", name: (column) => `output[${column}]`, left: { sum: "rows.sum(0)", values: [6, 7] }, right: { values: [8, 9] } };

test("the left sum of a bag has the rows that are looked up, and its own total", () => {
  assert.equal(addedOf(BAG, 1), "rows.sum(0)[1] = 2 × (−2) + 1 × 3 + the looked up of 4 rows, each × its count = 7");
  assert.equal(addedOf({ ...BAG, forget: true }, 0), "rows.sum(0)[0] = 1 + 0 + the looked up of 4 rows = 6");
  assert.equal(addedOf({ ...BAG, lines: [LINES[1], { omitted: "4 rows", factor: 0 }] }, 0), "rows.sum(0)[0] = 6", "none is looked up");
  assert.match(sumOf(BAG, 0), /^output\[0\] = 2 × 1 \+ 0 × 5 \+ .* = 8$/);
});
