// The steps of the stage's Play, one for each idea: look up, copy, multiply. The end adds.

const EVERYTHING = { id: true, row: true, copied: true, end: true, done: Infinity };
const NOTHING = { ...EVERYTHING, copied: false, end: false, done: 0, unsummed: true };
// Phases of the picture, one for each step, as `drawWays` reads them
const PHASES = [NOTHING, { ...NOTHING, copied: true }, { ...NOTHING, copied: true, done: Infinity }];
// ms of each step
const PAUSES = [1400, 1400, 2200];

export const STEPS = PHASES.length;

// The phase that a step shows; without a step, everything.
export const phaseOf = (step) => (step === null ? EVERYTHING : PHASES[step]);

// The ms of a step.
export const pauseOf = (step) => PAUSES[step];
