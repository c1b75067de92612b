// The sentence under the stage: what happens to the token, or in the step that Play shows.

import { count } from "../../../picture/cells/numbers.js";
import { indexOf } from "./answer.js";

// What happens to the token, or to a row that is pointed at in its place.
export function story(answer, token, row, { alike }, isTurned) {
  if (!answer.tokens) return "";
  const id = answer.ids[token - answer.first];
  if (row !== undefined && row !== id) return `Row ${count(row)} picked instead: it is multiplied by 1, every other row by 0.`;
  const begin = `${whatOf(answer, token, id)}. nn.Embedding copies row ${count(id)}.`;
  if (!alike) return `${begin} nn.Linear multiplies every row and adds, and here that gives other numbers.`;
  return `${begin} ${multiplied(id, answer.rows, isTurned)}, and adds: row ${count(id)} again.`;
}

// "'c' has id 2", or of typed ids "ids[0, 1] is 2".
function whatOf(answer, token, id) {
  if (!answer.unit) return `ids[${indexOf(answer, token).join(", ")}] is ${count(id)}`;
  return `'${answer.names[answer.slotOf.get(id)][0]}' has id ${count(id)}`;
}

// Of nn.Linear's own weight, turned, a row of the table is a column.
function multiplied(id, rows, isTurned) {
  const others = rows > 1 ? ", the others by 0" : "", one = isTurned ? "column" : "row";
  return `nn.Linear multiplies every ${one}: ${one} ${count(id)} by 1${others}`;
}

// What happens in a step of Play.
export function stepSentence(answer, token, step, isTurned) {
  const id = answer.ids[token - answer.first];
  return [
    `1 of 4, look up: ${whatOf(answer, token, id)}, so row ${count(id)}.`,
    `2 of 4, copy: nn.Embedding gives row ${count(id)} as it is.`,
    `3 of 4, multiply: ${multiplied(id, answer.rows, isTurned)}.`,
  ][step];
}
