// The picture of one token, drawn into a grid without elements: numbers, marks, names and what each place means.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fit } from "../../embviz/picture/cells/fit.js";
import { drawHeads } from "../../embviz/picture/cells/heads.js";
import { sourceOf } from "../../embviz/picture/cells/sums.js";
import { drawWays, rightNow } from "../../embviz/picture/cells/ways.js";
import { readAnswer } from "../../embviz/playground/page/stage/answer.js";
import { modelOfToken } from "../../embviz/playground/page/stage/model.js";
import { phaseOf } from "../../embviz/playground/page/stage/steps.js";
import { drawTurned } from "../../embviz/playground/page/stage/turned.js";

const THEME = [[0, 0, 200], [250, 250, 250], [0, 200, 0]];
const packed = (values) => Buffer.from(new Float32Array(values).buffer).toString("base64");
// 40 rows of three numbers, row k has k, −k and k / 2; the text is `c`, which has id 2.
const ROWS = Array.from({ length: 40 }, (_, k) => [k, -k, k / 2]);
const SENT = {
  rows: 40, dims: 3, row: 0, column: 0, columns: 3, bits: 32, unit: "letter", tokens: 1, first: 0, shape: [1],
  ids: [2], distinct: [2], labels: ROWS.map((_, k) => String.fromCharCode(97 + k)), names: [["c", "c", false]],
  table: packed(ROWS.flat()), lookup: null, matmul: null, extremes: [-39, 39], scale: 39, omitted: [[], []],
  equal: [3], differs: null, same: [3, 3], differing: [[], 0], origin: "random",
};

// What a grid was told to show, by key.
function fakeGrid() {
  const cells = new Map(), styles = {};
  const put = (key, kind, at, text = "", more = {}) => { cells.set(key, { kind, at, text, ...more }); };
  return { cells, styles, put, sweep() {}, root: { style: { setProperty: (name, value) => { styles[name] = value; } } } };
}

function drawn({ answer = SENT, width = 1000, step = null, lit = {}, half = false, around = 5, row } = {}) {
  const data = readAnswer(answer), total = data.columns;
  const sizes = fit({ ...data, scale: data.largest, total, labels: data.labelled, digits: 2 }, width);
  const model = modelOfToken({ answer: data, token: 0, row, column: 0, around, half, sizes }), on = fakeGrid();
  drawWays({ on, model, sizes, theme: THEME, phase: phaseOf(step), lit }, drawHeads);
  return { on, model, sizes, cell: (key) => on.cells.get(key), of: (begin) => [...on.cells].filter(([key]) => key.startsWith(begin)).map(([, cell]) => cell) };
}

const texts = (cells) => cells.map(({ text }) => text);
const isLit = ({ kind }) => / lit\b/.test(kind);

test("each row has its numbers, its factor and their products; the rows left out are one line", () => {
  const { of, cell } = drawn();
  assert.deepEqual(texts(of("label ")), ["a", "b", "c", "d", "e"]);
  assert.deepEqual(texts(of("sub ")), ["0", "1", "2 →", "3", "4"]);
  assert.deepEqual(texts(of("factor ")), ["0", "0", "1", "0", "0", "0"]);
  assert.equal(cell("omitted 5").text, "35 more rows, each × 0");
  assert.deepEqual(texts(of("w 2 ")), ["2.000", "−2.000", "1.000"]);
  assert.deepEqual(texts(of("p 2 ")), ["2.000", "−2.000", "1.000"]);
  assert.deepEqual(texts(of("p 1 ")), ["0", "0", "0"]);
  for (const side of ["left ", "right "]) assert.deepEqual(texts(of(side)), ["2.000", "−2.000", "1.000"]);
  assert.deepEqual([cell("equal").text, cell("said").text], ["=", "identical:\n3 of 3"]);
});

test("the picked row alone is marked, and all of its copies have its tints", () => {
  const { of } = drawn();
  assert.deepEqual(of("w ").filter(({ kind }) => / left\b/.test(kind)).map(({ point }) => point), ["weight 2 0", "weight 2 1", "weight 2 2"]);
  assert.deepEqual(of("p ").filter(({ kind }) => / right\b/.test(kind)).length, 3);
  assert.deepEqual(of("label ").filter(({ kind }) => / picked\b/.test(kind)).map(({ text }) => text), ["c"]);
  const paints = ["w 2 ", "p 2 ", "left ", "right "].map((begin) => of(begin).map(({ paint }) => paint).join());
  assert.equal(new Set(paints).size, 1);
  assert.equal(new Set(of("w ").map(({ paint }) => paint)).size > 3, true);
  assert.deepEqual(new Set(of("p 1 ").map(({ paint }) => paint)), new Set([""]), "a product that is 0 has no tint");
});

test("what is pointed at lights all that it comes from", () => {
  const lit = (at) => drawn({ lit: at }).of("").filter(isLit).length;
  assert.equal(lit({}), 0);
  assert.equal(lit({ column: 1 }), 5 + 6 + 2, "numbers, products with the line of the others, both answers");
  assert.equal(lit({ row: 2 }), 1 + 3 + 3, "label, numbers, products");
  assert.equal(lit({ row: 1 }), 1 + 3, "its products are 0");
  assert.equal(lit({ copy: 1 }), 2, "the copy and its source");
  assert.equal(lit({ weight: [4, 0] }), 1);
});

test("Play shows the copy, then the products, then the sums", () => {
  const seen = [0, 1, 2, 3].map((step) => {
    const { of, cell } = drawn({ step });
    return [texts(of("left "))[0], texts(of("p 2 "))[0], texts(of("right "))[0], cell("equal").text];
  });
  assert.deepEqual(seen, [["", "", "", ""], ["2.000", "", "", ""], ["2.000", "2.000", "", ""], ["2.000", "2.000", "2.000", "="]]);
});

test("a sum that grows line by line has the lines so far", () => {
  const { model } = drawn();
  assert.deepEqual([0, 2, 3].map((done) => rightNow(model, { done }, 0)), [undefined, 0, 2]);
});

test("outputs that differ are marked, and the sign says so", () => {
  const { of, cell } = drawn({ answer: { ...SENT, matmul: packed([2, -2, 9]), equal: [2], differs: [[0, 0, 1]] } });
  assert.deepEqual(of("right ").map(({ kind }) => / differs\b/.test(kind)), [false, false, true]);
  assert.deepEqual([cell("equal").text, / unlike\b/.test(cell("equal").kind)], ["≠", true]);
  assert.equal(cell("said").text, "identical:\n2 of 3");
});

test("where a number comes from: a sum, the copy, the weight", () => {
  const { model } = drawn();
  assert.equal(sourceOf(model, { column: 1 }), "output[0, 1] = 0 × (−0) + 0 × (−1) + 1 × (−2) + 0 × (−3) + 0 × (−4) + 35 rows × 0 = −2");
  assert.match(sourceOf(model, { copy: 2 }), /^output\[0, 2\] = weight\[2, 2\] = 1: copied/);
  assert.match(sourceOf(model, { weight: [3, 0] }, 7), /^weight\[3, 7\] = 3: nn.Linear multiplies it by 0/);
  assert.equal(sourceOf(model, { weight: [30, 0] }), "", "a row that is not drawn");
  assert.equal(sourceOf(model, {}), "");
  assert.equal(sourceOf({ ...model, lines: model.lines.filter(({ picked }) => !picked) }, { copy: 2 }), "", "its row is not drawn");
});

test("two layers point at one table, or one where nn.Linear's own weight stands beside it", () => {
  const { of, cell } = drawn();
  assert.deepEqual(texts(of("layer ")).map((text) => text.replace(/[\u200b\u00a0]/g, "")), ["nn.Embedding(40,3)", "nn.Linear(40,3, bias=False)"]);
  assert.equal(of("arrow ").length, 2);
  assert.match(cell("bar").text, /^Two layers, two weights/);
  assert.match(cell("note").text, /^40 × 3, random$/);
  const alone = drawn({ half: true });
  assert.deepEqual([alone.of("layer ").length, alone.of("p ").length, alone.of("right ").length], [1, 0, 3]);
});

test("nn.Linear's own weight has the rows as columns, and the label of the picked one whole", () => {
  const { model, sizes } = drawn({ half: true, answer: { ...SENT, unit: "word", labels: SENT.labels.map((letter) => letter.repeat(7)) } });
  const on = fakeGrid(), texted = (begin) => [...on.cells].filter(([key]) => key.startsWith(begin)).map(([, { text }]) => text);
  drawTurned({ on, model, sizes: { ...sizes, cell: 44 }, theme: THEME, phase: phaseOf(null), lit: {} }, 420);
  assert.deepEqual(texted("factor "), ["0", "0", "1", "0", "0", "0"]);
  for (const [key, value] of [["w 0 1", 0], ["w 2 1", -2], ["w 4 1", -4], ["right 1", -2]]) assert.equal(Number(on.cells.get(key).text.replace("−", "-")) + 0, value, key);
  assert.deepEqual(texted("w 5 "), ["…", "…", "…"]);
  assert.equal(on.cells.get("label 2").text, "ccccccc");
  assert.deepEqual([on.cells.get("label 1").text, on.cells.get("label 3").text], ["", ""], "it takes its neighbours' places");
  assert.equal(on.cells.get("label 2").at[3], 3);
  assert.deepEqual(texted("dim "), ["[0]", "[1]", "[2]"]);
});
