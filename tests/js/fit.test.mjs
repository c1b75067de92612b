// Columns that fit into a width, and sums written out.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fit, placesOf, shortened } from "../../embviz/picture/cells/fit.js";
import { sumOf, totalOf } from "../../embviz/picture/cells/sums.js";

const TABLE = { whole: false, scale: 3, total: 10, labels: 2, digits: 3 };
const WIDTHS = [1, 100, 320, 390, 639, 640, 800, 1000, 1440, 4000];
const taken = ({ label, sub, middle, cell, count }) => label + sub + middle[0] + middle[1] + middle[2] + 2 * count * cell;

test("as many columns as fit: one at least, no more than there are, never wider than the page", () => {
  for (const total of [1, 10, 1000]) for (const width of WIDTHS) {
    const sizes = fit({ ...TABLE, total }, width);
    assert.ok(sizes.count >= 1 && sizes.count <= total);
    assert.ok(sizes.cell <= Math.max(84, 132 / sizes.count));
    if (width >= 320) assert.ok(taken(sizes) <= width + 1e-6, `${taken(sizes)} of ${width} px`);
    assert.equal(sizes.small, width < 640);
  }
  const counts = WIDTHS.map((width) => fit({ ...TABLE, total: 1000 }, width).count);
  assert.deepEqual(counts, counts, "more in more room");
  assert.ok(counts.at(-1) > counts[0]);
});

test("labels become narrower before a column is lost, and no narrower than two letters need", () => {
  const long = { ...TABLE, labels: 12, digits: 4 };
  const at = (width) => fit(long, width);
  assert.equal(at(1440).label, 114);
  assert.deepEqual([at(1088), at(1050)].map(({ count }) => count), [10, 10]);
  assert.ok(at(1088).label < 114 && at(1050).label >= 36);
  assert.ok(at(1000).count < 10);
});

test("numbers of a cell fit into it, whatever their size", () => {
  for (const scale of [0, 1e-9, 1e-4, 0.5, 3, 99, 12345, 1e5, 1e30]) for (const whole of [false, true]) {
    const { format, cell, small } = fit({ ...TABLE, whole, scale }, 1440);
    const letter = small ? 6.7 : 7.6;
    const value = whole ? -Math.trunc(scale) : -scale;
    if (scale < 1e21) assert.ok(format(value).length * letter <= cell, `${format(value)} in ${cell} px`);
  }
  assert.equal(fit(TABLE, 1440).format(-1.23456), "−1.235");
  assert.equal(fit({ ...TABLE, whole: true }, 1440).format(-2), "−2");
  assert.equal(fit(TABLE, 1440).formatIn(24)(-1.23456), "−1.2e+0", "too narrow for decimals");
});

test("labels are shortened to what fits; an East Asian character takes two places", () => {
  assert.equal(placesOf("ab"), 2);
  assert.equal(placesOf("日🙂a"), 5);
  assert.equal(shortened("embedding", 9), "embedding");
  assert.equal(shortened("embeddings", 9), "embeddin…");
  assert.equal(fit(TABLE, 1440).labelIn(36, "embedding"), "e…");
});

test("a sum names its terms; omitted rows are one of them", () => {
  const lines = [
    { omitted: "3 rows", factor: 0, products: [0] },
    { factor: 1, values: [-0.5], products: [-0.5] },
    { factor: 2, values: [0.25], products: [0.5] },
    { factor: 0 },
  ];
  const name = (column) => `output[${column}]`;
  assert.equal(sumOf({ lines, right: { values: [0] }, name }, 0), "output[0] = 3 rows × 0 + 1 × (−0.5000) + 2 × 0.2500 + 0 × ? = 0");
  assert.equal(sumOf({ lines: [], right: {}, name }, 1), "output[1] = ?");
  assert.deepEqual([0, 1, 2, 3].map((done) => totalOf(lines, done, 0)), [0, 0, -0.5, 0]);
  assert.ok(Object.is(totalOf([{ products: [-0] }], 1, 0), -0), "a sum of −0 alone is −0");
});
