// The answer of the server, unpacked, and the model that is drawn of it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { modelOfToken, verdict } from "../../embviz/playground/page/stage/model.js";
import { indexOf, readAnswer } from "../../embviz/playground/page/stage/answer.js";
import { stepSentence, story } from "../../embviz/playground/page/stage/sentences.js";
import { turnedColumns, turnedRows } from "../../embviz/playground/page/stage/turned.js";
import { copyOf, sumOf } from "../../embviz/picture/cells/sums.js";
import { pauseOf, phaseOf, STEPS } from "../../embviz/playground/page/stage/steps.js";

const packed = (values, Kind = Float32Array) => Buffer.from(new Kind(values).buffer).toString("base64");

// Six rows of two numbers, row k has k and −k; the text is `bad`.
const SENT = {
  rows: 6, dims: 2, row: 0, column: 0, columns: 2, bits: 32, unit: "letter", tokens: 3, first: 0, shape: [3],
  ids: [1, 0, 3], distinct: [0, 1, 3], labels: ["a", "b", "c", "d", "e", "f"],
  names: [["a", "a", false], ["b", "b", false], ["d", "d", false]],
  table: packed([0, 0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5]), lookup: null, matmul: null,
  extremes: [-5, 5], scale: 5, omitted: [[], []], equal: [2, 2, 2], differs: null, same: [6, 6], differing: [[], 0], origin: "random (seed 7)",
};
const SIZES = { small: false, count: 2 };
const model = (answer, changes = {}) => modelOfToken({ answer, token: 0, row: undefined, column: 0, around: 11, half: false, sizes: SIZES, ...changes });

test("rows and answers are found by their id", () => {
  const answer = readAnswer(SENT);
  assert.deepEqual([...answer.rowAt(4)], [4, -4]);
  assert.deepEqual([...answer.lookupOf(3)], [3, -3]);
  assert.deepEqual([...answer.matmulOf(3)], [3, -3]);
  assert.equal(answer.rowAt(6), null, "a row that was not sent");
  assert.equal(answer.whole, true);
  assert.equal(answer.scale, 5);
  assert.equal(answer.labelled, 2);
});

test("a part of a large table has the answers' rows too, in 64 bits", () => {
  const numbers = packed([0.5, -0.5, 1e-3, 2, 7, 8], Float64Array);
  const answer = readAnswer({ ...SENT, bits: 64, rows: 1000, row: 10, labels: ["k"], table: packed([9, 9], Float64Array), lookup: numbers, matmul: numbers, extremes: [0, 0], scale: 0 });
  assert.deepEqual([...answer.rowAt(10)], [9, 9]);
  assert.deepEqual([...answer.rowAt(3)], [7, 8], "of an id of the text");
  assert.equal(answer.rowAt(500), null);
  const pale = readAnswer({ ...SENT, scale: 2 });
  assert.deepEqual([pale.scale, pale.largest], [2, 5], "the colours have a scale of their own");
  assert.equal(answer.scale, 9, "the largest of what came, where the extremes are 0");
  assert.equal(answer.whole, false);
});

test("a flat token has an index in the ids' own shape", () => {
  assert.deepEqual(indexOf({ shape: [2, 2] }, 3), [1, 1]);
  assert.deepEqual(indexOf({ shape: [3] }, 2), [2]);
  assert.deepEqual(indexOf({ shape: [] }, 0), []);
});

test("the model keeps the picked row and multiplies the others by 0", () => {
  const drawn = model(readAnswer(SENT));
  assert.deepEqual(drawn.lines.map(({ factor }) => factor), [0, 1, 0, 0, 0, 0]);
  assert.deepEqual(drawn.sums, [1, -1]);
  assert.equal(drawn.sign, "=");
  assert.equal(drawn.name(1), "output[0, 1]");
  assert.equal(model(readAnswer({ ...SENT, shape: [], tokens: 1, ids: [1] })).name(1), "output[1]");
  assert.equal(story(readAnswer(SENT), 0, undefined, drawn), "'b' has id 1. Models such as GPT compute with numbers: row 1 is all that they see of this token.");
  assert.match(story(readAnswer(SENT), 0, undefined, { alike: false }), /adds, and here that gives other bits.$/);
  assert.deepEqual(drawn.names, { embedding: "nn.Embedding(6, 2)", linear: "nn.Linear(6, 2, bias=False)", input: "letter, id" });
  assert.equal(drawn.note, "6 × 2, random (seed 7)");
  assert.match(story(readAnswer(SENT), 0, 4, drawn), /^Row 4 picked instead/);
});

test("no token makes the picture lower: at an end of the table one row more is drawn", () => {
  const answer = readAnswer({ ...SENT, tokens: 4, ids: [1, 0, 3, 5], distinct: [0, 1, 3, 5], names: [...SENT.names, ["f", "f", false]], equal: [2, 2, 2, 2] });
  const lines = [0, 1, 2, 3].map((token) => model(answer, { token, around: 2, atEnd: 3 }).lines.map(({ key }) => key));
  assert.deepEqual(lines, [[0, 1, 2, "below"], [0, 1, 2, "below"], ["above", 2, 3, "below"], ["above", 3, 4, 5]]);
});

test("rows that do not fit are one line; what was not sent is no picture", () => {
  const small = model(readAnswer(SENT), { around: 4 });
  assert.deepEqual(small.lines.map(({ omitted }) => omitted), [undefined, undefined, undefined, undefined, "2 rows"]);
  const three = model(readAnswer(SENT), { token: 2, around: 4 });
  assert.deepEqual(three.lines.map(({ omitted }) => omitted), ["1 row", undefined, undefined, undefined, undefined, "1 row"]);
  assert.equal(model(readAnswer({ ...SENT, row: 3, labels: ["d", "e", "f"], table: packed([3, -3, 4, -4, 5, -5]) })), null);
});

test("the verdict counts numbers, and says where both ways differ", () => {
  const answer = readAnswer(SENT);
  assert.equal(verdict(answer, model(answer)), "Whole text: 6 of 6 numbers identical (3 tokens × 2).");
  const differs = readAnswer({ ...SENT, same: [5, 6], differing: [[2], 3] });
  assert.equal(verdict(differs, model(differs)), "Whole text: 5 of 6 numbers identical (3 tokens × 2). Tokens that differ: 2 and 2 more.");
  const empty = readAnswer({ ...SENT, tokens: 0, ids: [], distinct: [] });
  assert.equal(verdict(empty, model(empty)), "No tokens yet. Type some above.");
});

test("Play has a step for each idea: look up, copy, multiply, add; then the next token's", () => {
  const answer = readAnswer(SENT), steps = [0, 1, 2, 3];
  const seen = steps.map(phaseOf);
  assert.equal(STEPS, 4);
  assert.deepEqual(seen.map(({ copied }) => copied), [false, true, true, true]);
  assert.deepEqual(seen.map(({ done }) => done), [0, 0, Infinity, Infinity]);
  assert.deepEqual(seen.map(({ end }) => end), [false, false, false, true]);
  assert.equal(phaseOf(3), phaseOf(null), "the last step is the whole picture");
  assert.deepEqual(steps.map((step) => phaseOf(step + 8)), seen);
  assert.ok(steps.every((step) => pauseOf(step) > pauseOf(step + 4) && pauseOf(step + 4) === pauseOf(step + 8)));
  const sentences = steps.map((step) => stepSentence(answer, 0, step, { alike: true }));
  assert.equal(sentences[0], "1 of 4, look up: 'b' has id 1, so row 1.");
  assert.match(sentences[1], /^2 of 4, copy: /);
  assert.equal(sentences[2], "3 of 4, multiply: nn.Linear multiplies every row: row 1 by 1, the others by 0.");
  assert.equal(sentences[3], "4 of 4, add: the sum of all these products is row 1 again.");
  assert.match(stepSentence(answer, 0, 3, { alike: false }), /^4 of 4, add: .* other bits here.$/);
});

test("a number of the copy says where it was copied from, one of the sums what it adds", () => {
  const drawn = model(readAnswer(SENT)), picked = drawn.lines.find((line) => line.picked);
  assert.equal(copyOf(drawn, picked, [1, 1]), "output[0, 1] = weight[1, 1] = −1: copied, nothing is multiplied or added.");
  assert.equal(sumOf(drawn, 1), "output[0, 1] = 0 × 0 + 1 × (−1) + 0 × (−2) + 0 × (−3) + 0 × (−4) + 0 × (−5) = −1");
});

test("nn.Linear's own weight has as many columns as fit", () => {
  assert.equal(turnedRows({ small: false, formatted: 44 }, 546), 8);
  assert.equal(turnedRows({ small: true, formatted: 40 }, 60), 1, "one at least");
});

test("nn.Linear's own weight is not higher than the rows beside it", () => {
  assert.equal(turnedColumns({ rows: 6, dims: 3 }, 6, false), 3);
  assert.equal(turnedColumns({ rows: 6, dims: 10 }, 6, false), 4, "and a line that counts the others");
  assert.equal(turnedColumns({ rows: 2801, dims: 384 }, 11, false), 10);
  assert.equal(turnedColumns({ rows: 1, dims: 9 }, 1, false), 1, "one at least");
  assert.equal(turnedColumns({ rows: 100, dims: 11 }, 7, true), 11, "below the table there is room");
});
