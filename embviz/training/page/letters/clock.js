// Plays a number of steps by the clock: it takes the same time on a slow computer, with fewer pictures.

// The step that is shown so many ms after the play began at the step `from`; `whole` is the ms of all steps.
export function stepAfter(ms, from, last, whole) {
  return Math.min(last, from + Math.floor((Math.max(0, ms) / whole) * last));
}

// A play of `last()` steps in `whole` ms. `show()` draws `play.step`.
export function stepClock(last, whole, show) {
  const play = { step: 0, runs: false };
  let frame = null;
  const go = (from, begun) => (now) => {
    play.step = stepAfter(now - begun, from, last(), whole);
    play.runs = play.step < last();
    frame = play.runs ? requestAnimationFrame(go(from, begun)) : null;
    show();
  };
  play.end = () => { cancelAnimationFrame(frame); frame = null; play.runs = false; };
  play.to = (step) => { play.end(); play.step = Math.max(0, Math.min(step, last())); show(); };
  play.start = () => {
    play.end();
    const from = play.step === last() ? 0 : play.step;
    play.runs = true;
    frame = requestAnimationFrame((now) => go(from, now)(now));
  };
  play.press = () => { if (play.runs) play.to(play.step); else play.start(); };
  return play;
}
