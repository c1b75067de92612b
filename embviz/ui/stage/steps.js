// The steps of the stage's Play: the token, its id, the row, the copy, then each line of the sum.

// Steps before the first line
export const BEFORE = 4;
const EVERYTHING = { chip: true, id: true, row: true, copied: true, end: true, done: Infinity };

// The number of steps: those before, the lines, and the end.
export const stepsOf = ({ lines }) => BEFORE + lines.length + 1;

// What a step shows, as `drawWays` reads it; all of it without a step.
export function phaseOf(step, { lines }) {
  if (step === null) return EVERYTHING;
  const line = step - BEFORE;
  const done = Math.max(0, Math.min(line + 1, lines.length));
  return { chip: true, id: step >= 1, row: step >= 2, copied: step >= 3, done, at: line, end: line >= lines.length };
}

// The ms of a step. Rows before the picked one come slowly, it stays longer, the zeros after it are
// fast: 6 s in all at most.
export function pauseOf(step, { lines }) {
  const line = step - BEFORE;
  const picked = lines.findIndex((one) => one.picked);
  if (step < BEFORE) return [300, 300, 400, 700][step];
  if (line === lines.length) return 700;
  if (line === picked) return 900;
  return line < picked ? Math.min(260, 1600 / picked) : Math.min(120, 1000 / lines.length);
}
