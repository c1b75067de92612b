// The steps of the stage's Play, for each token one an idea: look up, copy, multiply, add.

const EVERYTHING = { id: true, row: true, copied: true, end: true, done: Infinity };
const NOTHING = { ...EVERYTHING, copied: false, end: false, done: 0, unsummed: true };
// Phases of the picture, one for each step, as `drawWays` reads them
const PHASES = [NOTHING, { ...NOTHING, copied: true }, { ...NOTHING, copied: true, done: Infinity }, EVERYTHING];
// ms of each step of the first token; those of the others are half as long
const PAUSES = [1400, 1400, 2200, 2200];

export const STEPS = PHASES.length;

// The phase that a step shows; without a step, everything.
export const phaseOf = (step) => (step === null ? EVERYTHING : PHASES[step % STEPS]);

// The ms of a step.
export const pauseOf = (step) => PAUSES[step % STEPS] / (step < STEPS ? 1 : 2);
