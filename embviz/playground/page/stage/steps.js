// The steps of the stage's Play, one for each idea: look up, copy, multiply. The end adds.

const EVERYTHING = { id: true, row: true, copied: true, end: true, done: Infinity };
const NOTHING = { ...EVERYTHING, copied: false, end: false, done: 0, unsummed: true };
// What each step shows, as `drawWays` reads it
const PHASES = [NOTHING, { ...NOTHING, copied: true }, { ...NOTHING, copied: true, done: Infinity }];
// ms of each step
const PAUSES = [1400, 1400, 2200];

export const STEPS = PHASES.length;

// What a step shows; all of it without a step.
export const phaseOf = (step) => (step === null ? EVERYTHING : PHASES[step]);

// The ms of a step.
export const pauseOf = (step) => PAUSES[step];
