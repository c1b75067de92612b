// What a picture says to do, with a pointer and with a finger.

import assert from "node:assert/strict";
import { test } from "node:test";

import { across, arrowKeys, inside, pointAt, pointed, pointing, tokenKeys } from "../../embviz/picture/cells/pointing.js";

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

// An element that keeps its listeners; `press` is a key, and says whether the page scrolls by it.
function listening(more = {}) {
  const heard = {};
  const press = (key) => {
    let scrolls = true;
    heard.keydown({ key, preventDefault: () => { scrolls = false; } });
    return scrolls;
  };
  return { heard, press, addEventListener: (name, listener) => { heard[name] = listener; }, ...more };
}

test("arrow keys move, other keys do what they are for, and no others are taken", () => {
  const seen = [], picture = listening();
  arrowKeys(picture, (...step) => seen.push(step), { Escape: () => seen.push("left") });
  const scrolls = ["ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "Escape", "Tab"].map(picture.press);
  assert.deepEqual(seen, [[1, 0], [-1, 0], [0, 1], [0, -1], "left"]);
  assert.deepEqual(scrolls, [false, false, false, false, false, true]);
});

test("keys go along a row of tokens and stay in it; the selected one has the focus", () => {
  let now = 1, focused = 0;
  const strip = listening({ querySelector: (wanted) => (wanted === "[aria-selected=true]" ? { focus: () => { focused += 1; } } : null) });
  tokenKeys(strip, () => 4, () => now, (token) => { now = token; });
  const seen = ["ArrowLeft", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowRight"].map((key) => { strip.press(key); return now; });
  assert.deepEqual(seen, [0, 0, 3, 3, 0, 1]);
  assert.equal(focused, 6);
  assert.ok(strip.press("ArrowDown"));
});

test("a place stays among those that there are", () => {
  assert.deepEqual([-1, 0, 2, 3].map((place) => inside(place, 3)), [0, 0, 2, 2]);
});

test("a pointer that leaves points at nothing, a finger points where it taps, and on", () => {
  const over = [], pressed = [], picture = listening();
  const at = (point) => ({ target: { closest: () => (point ? { dataset: { point } } : null) } });
  pointing(picture, (point) => over.push(point), (point) => pressed.push(point));
  picture.heard.pointerover(at("row 1"));
  picture.heard.pointerleave({ ...at(""), pointerType: "touch" });
  picture.heard.pointerleave({ ...at(""), pointerType: "mouse" });
  for (const point of ["row 2", ""]) picture.heard.click(at(point));
  assert.deepEqual([over, pressed], [["row 1", ""], ["row 2"]]);
  over.length = pressed.length = 0;
  const finger = { ...at("row 3"), pointerType: "touch" };
  picture.heard.pointerdown(finger);
  picture.heard.pointerover(finger); // what a swipe begins on
  assert.deepEqual(over, []);
  picture.heard.click(at("row 3"));
  assert.deepEqual([over, pressed], [["row 3"], ["row 3"]]);
});
