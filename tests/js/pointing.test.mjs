// What a picture says to do, with a pointer and with a finger.

import assert from "node:assert/strict";
import { test } from "node:test";

import { pointAt } from "../../embviz/picture/cells/pointing.js";

test("a finger taps, a pointer points", () => {
  for (const [matches, words] of [[true, "Tap a token."], [false, "Point at a token."]]) {
    globalThis.matchMedia = () => ({ matches });
    assert.equal(pointAt("a token."), words);
  }
});
