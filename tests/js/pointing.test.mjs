// What a picture says to do, with a pointer and with a finger.

import assert from "node:assert/strict";
import { test } from "node:test";

import { across, pointAt, pointed } from "../../embviz/picture/cells/pointing.js";

test("a finger taps, a pointer points", () => {
  for (const [matches, words] of [[true, "Tap a token."], [false, "Point at a token."]]) {
    globalThis.matchMedia = () => ({ matches });
    assert.equal(pointAt("a token."), words);
  }
});

test("keys reach every number of the answers: the copy lies left of the sums", () => {
  const seen = [], shown = [0, 2];
  let at = {};
  for (const right of [1, 1, 1, 1, -1, -1, -1, -1, -1, -1, 1, 1, 1]) seen.push(at = across(at, right, shown, 3));
  const sums = (...columns) => columns.map((column) => ({ column })), copies = (...columns) => columns.map((copy) => ({ copy }));
  assert.deepEqual(seen, [...sums(0, 1, 2, 2, 1, 0), ...copies(2, 1, 0, 0, 1, 2), ...sums(0)]);
  assert.deepEqual(across({ column: 5 }, 1, [3, 5], 9), { column: 6 }, "columns that are not drawn follow");
  assert.deepEqual(across({ column: 3 }, -1, [3, 5], 9), { column: 2 });
});

test("what is pointed at has one place, or a row and a column", () => {
  assert.deepEqual([pointed(""), pointed("column 3"), pointed("weight 2 1")], [{}, { column: 3 }, { weight: [2, 1] }]);
});
