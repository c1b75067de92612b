// The selected token, the view, and Play: it selects every token that was sent, one after the other.

import { ask, choose, sameQuestion } from "../../../ui/elements/ask.js";
import { player } from "../../../picture/cells/play.js";
import { pauseOf, STEPS } from "./steps.js";

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
