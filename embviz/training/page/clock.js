// Steps that are played, taken, and begun anew. A play goes by the clock: it takes the same time on a slow computer,
// with fewer pictures.

import { write } from "../../picture/cells/paint.js";
import { calm } from "../../picture/cells/play.js";

// The step that is shown so many ms after the play began at the step `from`; `whole` is the ms of all steps.
export function stepAfter(ms, from, last, whole) {
  return Math.min(last, from + Math.floor((Math.max(0, ms) / whole) * last));
}

// A play of `last()` steps in `whole()` ms. `show()` draws `play.step`.
export function stepClock(last, whole, show) {
  const play = { step: 0, runs: false };
  let frame = null;
  const go = (from, begun) => (now) => {
    const before = play.step;
    play.step = stepAfter(now - begun, from, last(), whole());
    play.runs = play.step < last();
    frame = play.runs ? requestAnimationFrame(go(from, begun)) : null;
    if (play.step !== before || !play.runs) show();
  };
  play.end = () => { cancelAnimationFrame(frame); frame = null; play.runs = false; };
  play.to = (step) => { play.end(); play.step = Math.max(0, Math.min(step, last())); show(); };
  play.stop = () => { if (play.runs) play.to(play.step); };
  // The first step may wait for so many ms.
  play.start = (wait = 0) => {
    play.end();
    if (play.step === last()) play.step = 0;
    play.runs = true;
    frame = requestAnimationFrame((now) => go(play.step, now + wait)(now));
    show();
  };
  play.press = () => (play.runs ? play.stop() : play.start());
  return play;
}

// The buttons of a clock. Where motion is reduced, Play shows the end at once.
export function mountSteps(ui, clock, last) {
  ui.play.onclick = () => (calm() ? clock.to(last()) : clock.press());
  ui.one.onclick = () => clock.to(clock.step + 1);
  ui.again.onclick = () => clock.to(0);
  ui.ends.push(clock.end);
}

// At the end Play and Step do nothing, and keep the focus that a key has brought there: a disabled button would lose it to
// *Start over*, which the next press of the same key would press.
export function drawSteps(ui, { step, runs }, last) {
  write(ui.play, runs ? "Pause" : "Play");
  write(ui.count, `${step} of ${last} ${last === 1 ? "step" : "steps"}`);
  for (const [button, isOff] of [[ui.play, calm() && step === last], [ui.one, step === last]]) button.ariaDisabled = String(isOff);
  ui.again.disabled = step === 0;
}
