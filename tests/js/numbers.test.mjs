// Numbers as texts: signs, decimals that fit, and what is not finite.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bracketed, exponential, largest, numberFormat, precise, unpacked, written } from "../../embviz/picture/cells/numbers.js";

test("a zero keeps its sign, unless it is told to have none", () => {
  assert.deepEqual([-0, 0, -0.001, -1.5].map((value) => written(value, 2)), ["−0.00", "0.00", "0.00", "−1.50"]);
  assert.deepEqual([-0, 0, -0.001, -1.5].map((value) => written(value, 2, false)), ["0.00", "0.00", "0.00", "−1.50"]);
  assert.deepEqual([NaN, Infinity, -Infinity].map((value) => written(value, 2)), ["nan", "inf", "−inf"]);
});

test("a format has the decimals that fit, and is null where none does", () => {
  const text = (value, options) => numberFormat({ whole: false, ...options })?.(value);
  assert.equal(text(-1.23456, { scale: 2, characters: 8 }), "−1.235");
  assert.equal(text(-1.23456, { scale: 2, characters: 5 }), "−1.23");
  assert.equal(text(-1.23456, { scale: 2, characters: 4 }), "−1.2");
  assert.equal(text(-1.23456, { scale: 2, characters: 3 }), undefined);
  assert.equal(text(0.00123, { scale: 0.004, characters: 9 }), "0.00123");
  assert.equal(text(1, { scale: 1e6, characters: 20 }), undefined, "too large for decimals");
  assert.equal(numberFormat({ whole: true, scale: 12, characters: 3 })(-7), "−7");
  assert.equal(numberFormat({ whole: true, scale: 123, characters: 3 }), null, "no place for a sign");
});

test("one number on its own has the digits that it needs", () => {
  assert.deepEqual([0.25, -2, 0.0001234, -123456.5, NaN, -0].map(precise), ["0.2500", "−2", "1.234e-4", "−1.235e+5", "nan", "−0"]);
  assert.equal(precise(undefined), "?", "it was not sent");
  assert.equal(exponential(-0.00012), "−1.2e-4");
});

test("a negative term stands in brackets", () => {
  assert.deepEqual([-0.5, -0, -Infinity, -1e-9].map(bracketed), ["(−0.5000)", "(−0)", "(−inf)", "(−1.000e-9)"]);
  assert.deepEqual([0.5, 0, NaN, undefined].map(bracketed), ["0.5000", "0", "nan", "?"]);
});

test("numbers arrive as base64, and the largest is found among the finite ones", () => {
  const values = new Float32Array([1.5, -2.25, NaN, -Infinity]);
  const sent = Buffer.from(values.buffer).toString("base64");
  assert.deepEqual(unpacked(sent), values);
  assert.equal(largest([values, [1]]), 2.25);
  assert.equal(largest([]), 0);
});
