// What a picture shows is what Python sent: no sum of the script takes the place of an answer of PyTorch.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { fit } from "../../embviz/picture/cells/fit.js";
import { drawWays } from "../../embviz/picture/cells/ways.js";
import { readAnswer } from "../../embviz/playground/page/stage/answer.js";
import { modelOfToken, verdict } from "../../embviz/playground/page/stage/model.js";
import { chooseAnswer, fromPython } from "../../embviz/ui/elements/ask.js";

const THEME = [[0, 0, 200], [250, 250, 250], [0, 200, 0]];

// Three rows, which are taken 2, 1 and 3 times. PyTorch's answers are not their sums: a test sees which of both is drawn.
const LINES = [[1, 2], [2, 1], [4, 3]].map(([value, times], key) => ({
  key, label: "a", sub: String(key), values: [value], factor: times, products: [value * times], added: [value * times], picked: true,
}));
const BAG = {
  lines: LINES, scale: 20, written: 20, whole: true, total: 1, labels: 8, digits: 2, columns: { first: 0 }, sign: "≠", said: "",
  left: { adds: "added", values: [70], code: "" }, right: { values: [80], code: "" }, differs: [true], name: String,
};

// The texts and kinds of the cells whose keys begin so, in a phase of Play.
function cells(phase, begin) {
  const found = [], on = { put(key, kind, at, text) { if (key.startsWith(begin)) found.push([text, kind]); }, sweep() {}, root: { style: {} } };
  drawWays({ on, model: BAG, sizes: fit({ ...BAG, scale: 20 }, 1000), theme: THEME, phase, lit: {} }, () => 4);
  return found;
}

const texts = (phase, begin) => cells(phase, begin).map(([text]) => text);

test("at the end both answers are PyTorch's; Play shows the sums of the lines so far", () => {
  const end = { copied: true, end: true, done: Infinity };
  for (const [phase, left, right] of [[end, "70", "80"], [{ copied: true, done: 1 }, "2", "2"], [{ copied: true, done: 2 }, "4", "4"]]) {
    assert.deepEqual(texts(phase, "left "), [left]);
    assert.deepEqual(texts(phase, "right "), [right]);
  }
  assert.deepEqual(texts({ copied: true, done: 1 }, "p "), ["2", "", ""], "the products of the lines so far");
  const isMarked = (phase) => cells(phase, "left ").map(([, kind]) => / differs\b/.test(kind));
  assert.deepEqual([isMarked(end), isMarked({ copied: true, done: 2 })], [[true], [false]], "a sum that grows differs from nothing");
});

// Two of four rows of two numbers; the text is `a`.
const packed = (values) => Buffer.from(new Float32Array(values).buffer).toString("base64");
const SENT = {
  rows: 4, dims: 2, row: 0, column: 0, columns: 2, bits: 32, unit: "letter", tokens: 1, first: 0, shape: [1], ids: [0], distinct: [0],
  labels: ["a", "b"], names: [["a", "a", false]], table: packed([1, 2, 3, 4]), lookup: null, matmul: packed([NaN, 2]),
  extremes: [1, 4], scale: 4, omitted: [[], [null, 0]], equal: [1], differs: [[1, 0]], same: [1, 2], differing: [[0], 1], origin: "own",
};

test("rows that were not sent and have no finite number make a sum nan, as PyTorch's", () => {
  const answer = readAnswer(SENT);
  const drawn = modelOfToken({ answer, token: 0, column: 0, around: 2, half: false, sizes: { small: false, count: 2 } });
  assert.deepEqual(drawn.sums, [NaN, 2]);
  assert.equal(drawn.mismatch, -1, "the sum written here is that of PyTorch");
  assert.equal(verdict(answer, drawn), "Whole text: 1 of 2 numbers identical (1 token × 2). Tokens that differ: 0.");
});

test("a table of whole numbers has no decimals beside inf and nan", () => {
  assert.equal(readAnswer({ ...SENT, table: packed([1, Infinity, NaN, 4]) }).whole, true);
});

test("a choice that waits for a route that is busy by then is not asked for", async () => {
  const clock = mock.method(performance, "now", () => 1e6);
  let answer;
  const route = mock.method(globalThis, "fetch", () => new Promise((told) => { answer = told; }));
  const nothing = () => {}, ui = { typed: null, chosen: {}, root: { isConnected: true }, base: "http://localhost/", receive: nothing, redraw: nothing, refuse: nothing, report: nothing };
  fromPython(ui, { question: '{"token":0}', answer: "{}", field: "text", text: "ab", live: "live", most: 1e3 });
  chooseAnswer(ui, { token: 1 });
  chooseAnswer(ui, { token: 2 });
  answer(new Response("", { status: 503, headers: { "Retry-After": "9" } }));
  while (ui.asking && route.mock.callCount() === 1) await new Promise(setImmediate);
  assert.equal(route.mock.callCount(), 1);
  assert.equal(clock.mock.callCount() > 0, true);
  clearTimeout(ui.reporting);
  mock.restoreAll();
});
