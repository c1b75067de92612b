// Play, Pause and single steps, with motion and without.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { player } from "../../embviz/picture/cells/play.js";

function played(isCalm, steps = 3) {
  globalThis.matchMedia = () => ({ matches: isCalm });
  const seen = [];
  return { seen, play: player(() => steps, (step) => 100 * (step + 1), (step) => seen.push(step)) };
}

test("Play shows step after step, each as long as it says, and then the end", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { seen, play } = played(false);
  play.press();
  assert.deepEqual(seen, [0]);
  mock.timers.tick(99);
  assert.deepEqual(seen, [0]);
  mock.timers.tick(1);
  mock.timers.tick(200);
  assert.deepEqual(seen, [0, 1, 2]);
  mock.timers.tick(300);
  assert.deepEqual([seen, play.step, play.timer], [[0, 1, 2, null], null, null]);
  mock.timers.reset();
});

test("a second press pauses, a third goes on; a single step ends the play", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { seen, play } = played(false);
  play.press();
  play.press();
  mock.timers.tick(1000);
  assert.deepEqual(seen, [0, 0], "the step is drawn again, with another button");
  play.press();
  play.one();
  mock.timers.tick(1000);
  assert.deepEqual(seen, [0, 0, 1, 2]);
  play.one();
  assert.deepEqual(seen.at(-1), null);
  play.press();
  play.end();
  mock.timers.tick(1000);
  assert.deepEqual(seen.slice(-2), [null, 0], "an end draws nothing");
  mock.timers.reset();
});

test("where motion is reduced, each press is one step", () => {
  const { seen, play } = played(true, 2);
  for (let k = 0; k < 3; k += 1) play.press();
  assert.deepEqual(seen, [0, 1, null]);
});
