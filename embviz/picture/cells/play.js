// Play and Pause: one step after the other.

// Whether the person asks the system for less motion.
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// A play of `steps()` steps, each for `pause(step)` ms; `show(step)` draws one, null the end state.
// Where motion is reduced, each press is one step.
export function player(steps, pause, show) {
  const play = { step: null, timer: null };
  play.forward = () => {
    play.step = play.step === null ? 0 : play.step + 1;
    if (play.step >= steps()) { play.stop(); return; }
    show(play.step);
    if (play.timer !== null) play.timer = setTimeout(play.forward, pause(play.step));
  };
  // Ends without a drawing: another one comes, or nothing is there to draw.
  play.end = () => { clearTimeout(play.timer); play.timer = play.step = null; };
  play.pause = () => { clearTimeout(play.timer); play.timer = null; show(play.step); };
  play.stop = () => { play.end(); show(null); };
  play.press = () => {
    if (play.timer !== null) { play.pause(); return; }
    if (!calm()) play.timer = 0;
    play.forward();
  };
  play.one = () => { clearTimeout(play.timer); play.timer = null; play.forward(); };
  return play;
}
