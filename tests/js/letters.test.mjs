// Six letters learn: the step of a moment, and what a picture needs of a state.

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawSteps, mountSteps, stepAfter, stepClock } from "../../embviz/training/page/clock.js";
import { placed } from "../../embviz/training/page/letters/map.js";
import { percent, stateAt, toldAt, trainingOf } from "../../embviz/training/page/letters/states.js";

const packed = (...numbers) => Buffer.from(new Float32Array(numbers).buffer).toString("base64");

// Two letters with rows of one number, in three states.
const data = () => trainingOf(JSON.stringify({
  letters: "ab", steps: 2, begun: "Begun.", sentence: "Begun. Ended.", nearest: [[0, 1], [0, 1], [0, 1]],
  rows: packed(1, 2, 3, 4, 5, 6), places: packed(...Array(12).keys()), expected: packed(...Array(12).keys()),
}));

test("a play takes as long on a slow computer, and ends with the last step", () => {
  assert.deepEqual([0, 14, 15, 1500, 2999, 3000, 9000].map((ms) => stepAfter(ms, 0, 200, 3000)), [0, 0, 1, 100, 199, 200, 200]);
  assert.deepEqual([stepAfter(0, 150, 200, 3000), stepAfter(1500, 150, 200, 3000), stepAfter(-5, 3, 200, 3000)], [150, 200, 3]);
});

test("play, pause and one step", () => {
  const frames = [], drawn = [];
  globalThis.requestAnimationFrame = (draw) => frames.push(draw);
  globalThis.cancelAnimationFrame = () => { frames.length = 0; };
  const clock = stepClock(() => 200, () => 3000, () => drawn.push([clock.step, clock.runs]));
  const frame = (now) => frames.shift()(now);
  clock.press();
  frame(1000);
  frame(1150);
  clock.press();
  assert.deepEqual(drawn, [[0, true], [10, true], [10, false]]);
  assert.equal(frames.length, 0, "a pause asks for no frame");
  clock.press();
  frame(5000);
  frame(9000);
  assert.deepEqual([clock.step, clock.runs, frames.length], [200, false, 0]);
  clock.press();
  frame(0);
  assert.equal(clock.step, 0, "at the end it begins anew");
  clock.to(500);
  assert.deepEqual([clock.step, clock.runs], [200, false]);
});

test("where motion is reduced, Play shows the end at once; at the ends a press that leads nowhere is off, and keeps its focus", () => {
  globalThis.matchMedia = () => ({ matches: true });
  const ui = { play: {}, one: {}, again: {}, count: {}, ends: [] }, last = () => 3;
  const clock = stepClock(last, () => 300, () => drawSteps(ui, clock, last()));
  mountSteps(ui, clock, last);
  const seen = ["again", "one", "play", "one", "again"].map((name) => {
    ui[name].onclick();
    return [ui.count.textContent, ui.play.ariaDisabled === "true", ui.one.ariaDisabled === "true", ui.again.disabled];
  });
  const [begun, ended] = [["0 of 3 steps", false, false, true], ["3 of 3 steps", true, true, false]];
  assert.deepEqual(seen, [begun, ["1 of 3 steps", false, false, false], ended, ended, begun]);
  assert.deepEqual([ui.play.disabled, ui.one.disabled], [undefined, undefined], "a second press of a key goes to no other button");
  assert.equal(ui.play.textContent, "Play");
  drawSteps(ui, { step: 0, runs: false }, 1); // a training that diverges at once
  assert.equal(ui.count.textContent, "0 of 1 step");
});

test("a state has the numbers of its step", () => {
  const { row, place, expects, pair } = stateAt(data(), 1);
  assert.deepEqual([row, place, expects].map((all) => all.map((one) => [...one])), [[[3], [4]], [[4, 5], [6, 7]], [[4, 5], [6, 7]]]);
  assert.deepEqual(pair, [0, 1]);
});

test("the sentence says at first what is near, and at the end why", () => {
  assert.deepEqual([0, 1, 2].map((step) => toldAt(data(), step)), ["Begun.", "Begun. After 1 step: 'a' and 'b'.", "Begun. Ended."]);
});

test("shares are per cent, and up is more on the map", () => {
  assert.equal(percent(0.408), "41 %");
  assert.deepEqual([placed([0, 0]), placed([1, 1])], [[6, 94], [94, 6]]);
});
