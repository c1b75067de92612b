// A component between two calls of Streamlit: its state, its width, its end. No element takes part.

import assert from "node:assert/strict";
import { test } from "node:test";

import { followWidth, leaving, stateOf } from "../../embviz/ui/elements/mount.js";

const element = (...names) => ({ classList: names, isConnected: true });
// A shadow root with these elements.
const rootOf = (...elements) => ({ querySelectorAll: () => elements });

test("a component is mounted once, and has each element by its first class", () => {
  globalThis.cancelAnimationFrame = () => {};
  const [first, second, again] = [element("stage"), element("ways", "dim"), element("ways")];
  const parentElement = rootOf(first, second, again), mounted = [];
  const ui = stateOf({ parentElement }, (made) => mounted.push(made));
  assert.equal(stateOf({ parentElement }, (made) => mounted.push(made)), ui);
  assert.deepEqual(mounted, [ui]);
  assert.deepEqual([ui.root, ui.stage, ui.ways], [first, first, second]);
});

test("it ends once it has left the page, and not where it stays", async () => {
  const stopped = [], ui = stateOf({ parentElement: rootOf(element("film")) }, (made) => made.ends.push(() => stopped.push(made)));
  globalThis.cancelAnimationFrame = (frame) => stopped.push(frame);
  ui.retry = 7;
  leaving(ui)();
  await new Promise(setTimeout);
  assert.deepEqual(stopped, []);
  ui.root.isConnected = false;
  leaving(ui)();
  await new Promise(setTimeout);
  assert.deepEqual(stopped, [7, ui]);
});

test("another width draws again, the same one does not", () => {
  let resize, isOver = false;
  globalThis.ResizeObserver = class {
    constructor(heard) { resize = heard; }
    observe() {}
    disconnect() { isOver = true; }
  };
  const ui = { ends: [], drawn: 0, width: 0, draw() { this.drawn += 1; this.width = place.clientWidth; } }, place = { clientWidth: 300 };
  followWidth(ui, place);
  resize();
  assert.equal(ui.drawn, 0, "nothing has come yet");
  ui.data = {};
  resize();
  resize();
  assert.equal(ui.drawn, 1);
  place.clientWidth = 200;
  resize();
  assert.equal(ui.drawn, 2);
  ui.ends.forEach((end) => end());
  assert.ok(isOver);
});
