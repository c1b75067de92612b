// Values to colours: the scale is centred on zero, and text on a colour can be read.

import assert from "node:assert/strict";
import { test } from "node:test";

import { inkOn, tint, valueColour } from "../../embviz/picture/cells/colours.js";

const THEME = { diverging: [[0, 0, 200], [250, 250, 250], [200, 0, 0]] };

test("a value has the colour of its share of the scale", () => {
  const colour = (value, scale = 2) => valueColour(THEME, value, scale);
  assert.deepEqual([-2, 0, 2].map((value) => colour(value)), THEME.diverging);
  assert.deepEqual(colour(1), [225, 125, 125]);
  assert.deepEqual(colour(7), THEME.diverging[2], "beyond the scale: its end");
  assert.deepEqual(colour(3, 0), THEME.diverging[1], "all values are 0");
  for (const value of [NaN, Infinity, -Infinity]) assert.deepEqual(colour(value), [128, 128, 128]);
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
  assert.equal(tint(THEME, 2, 2), "background: rgb(200,0,0); color: #fff");
  assert.equal(tint.length, 3, "value and scale alone decide");
});
