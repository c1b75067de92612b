// The selected token, the view, and Play: for every token that was sent it has a step for each idea, look up, copy,
// multiply, add.

import { ask, choose, sameQuestion } from "../../../ui/elements/ask.js";
import { player } from "../../../picture/cells/play.js";

const EVERYTHING = { copied: true, end: true, done: Infinity };
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

// Whether nn.Linear's weight is drawn: as chosen here, else as the page says.
export const isTurned = ({ chosen, page }) => (chosen.view ?? page.view) === "linear";

// The selected token: while Play runs, the one that it has come to.
export function selected({ data, chosen, page, player: { step } }) {
  const token = step === null ? chosen.token ?? page.question.token : data.first + Math.floor(step / STEPS);
  return Math.max(0, Math.min(token, data.tokens - 1));
}

// Asks for another part of a table that was not sent whole.
export function askMore(ui) {
  const { data } = ui;
  if (data.labels.length < data.rows || data.columns < data.dims || data.ids.length < data.tokens) ask(ui);
}

// Play of all tokens. The address gets the last one, and none of those before.
export function tokenPlayer(ui) {
  return player(() => STEPS * ui.data.ids.length, pauseOf, (step) => {
    if (step === null) keepPlayed(ui);
    else ui.played = selected(ui);
    ui.draw();
    if (step !== null && step % STEPS === 0 && ui.data.labels.length < ui.data.rows) {
      ui.chosen = { ...ui.chosen, token: ui.played };
      ask(ui);
    }
  });
}

// Whether an answer has the rows that Play asked for: those of the same question at another place.
export function hasPlayedRows({ player: { step }, data, page: { question } }, answer) {
  const place = { token: 0, column: 0 };
  return step !== null && data.first === answer.first && sameQuestion({ ...answer.question, ...place }, { ...question, ...place });
}

// Ends Play without a drawing: something else is selected.
export function endPlay(ui) {
  ui.player.end();
  ui.played = null;
}

// Ends Play; its token stays selected, so that the picture, the strip and the sentence speak of one.
export function keepPlayed(ui) {
  const { played } = ui;
  endPlay(ui);
  if (played !== null && played !== ui.page.question.token) choose(ui, { token: played });
}
