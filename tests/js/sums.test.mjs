// The sums that pictures write out: each number tells its own.

import assert from "node:assert/strict";
import { test } from "node:test";

import { addedOf, sumOf, weightOf } from "../../embviz/picture/cells/sums.js";

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

test("a number of the weight says what it is, and what becomes of it on both ways", () => {
  const one = { right: { values: [7] } };
  const [picked, other] = [{ key: 2, factor: 1, picked: true, values: [0, 7] }, { key: 1_500, factor: 0, picked: false, values: [0, -4] }];
  assert.equal(weightOf(one, picked, [1, 1]), "weight[2, 1] = 7: nn.Embedding copies it, nn.Linear multiplies it by 1.");
  assert.equal(weightOf(one, other, [1, 65]), "weight[1,500, 65] = −4: nn.Linear multiplies it by 0; nn.Embedding does not read it.");
  assert.equal(weightOf({ right: {} }, other, [1, 1]), "weight[1,500, 1] = −4: no token looks it up yet.");
  const counted = { ...picked, factor: "3", times: "3×" };
  assert.equal(weightOf(one, counted, [1, 1]), "weight[2, 1] = 7: nn.Embedding copies it, the sum takes it × 3; nn.Linear multiplies it by 3.");
  assert.equal(weightOf({ ...one, forget: true }, counted, [1, 1]), "weight[2, 1] = 7: nn.Embedding copies it, the sum takes it × 1; nn.Linear multiplies it by 3.");
});
