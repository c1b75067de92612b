// Values to colours: the scale is centred on zero, and text on a colour can be read.

import assert from "node:assert/strict";
import { test } from "node:test";

import { inkOn, tint, valueColour } from "../../embviz/picture/cells/colours.js";

const THEME = [[0, 0, 200], [250, 250, 250], [200, 0, 0]];

test("a value has the colour of its share of the scale", () => {
  const colour = (value, scale = 2) => valueColour(THEME, value, scale);
  assert.deepEqual(colour(0), THEME[1]);
  assert.deepEqual([-2, 2].map((value) => colour(value)), [[50, 50, 210], [210, 50, 50]]);
  assert.deepEqual(colour(1), [230, 150, 150]);
  assert.deepEqual(colour(3, 0), THEME[1], "all values are 0");
  for (const value of [NaN, Infinity, -Infinity]) assert.deepEqual(colour(value), [128, 128, 128]);
});

test("sums beyond the scale differ in tint", () => {
  const reds = [0.1, 0.3, 0.356, 0.744, 0.879, 3].map((value) => valueColour(THEME, value, 0.3)[1]);
  assert.ok(reds.every((red, k) => !k || red < reds[k - 1]), String(reds));
  const blues = [-0.3, -0.356, -0.744, -0.879, -3].map((value) => valueColour(THEME, value, 0.3)[1]);
  assert.deepEqual(blues, [reds[1], ...reds.slice(2)], "negative ones alike");
});

test("ink is black or white, and reaches 4.5:1 on every grey and every pure colour", () => {
  const light = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const colours = [[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]].flatMap((parts) => Array.from({ length: 256 }, (_, k) => parts.map((part) => part * k)));
  for (const colour of colours) {
    const ink = { "#000": 0, "#fff": 1 }[inkOn(colour)], paper = luminance(colour);
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    assert.ok(contrast > 4.5, `${colour}: ${contrast}`);
  }
});

test("equal numbers have equal tints, whatever their row", () => {
  assert.equal(tint(THEME, 2, 2), "background: rgb(210,50,50); color: #fff");
  assert.equal(tint.length, 3, "value and scale alone decide");
});
