// The sentences under the stage: one tells what happens to the token, one what a step of Play does.

import { isolate } from "../../../picture/cells/direction.js";
import { count } from "../../../picture/cells/numbers.js";
import { indexOf } from "./answer.js";

// Tells what the row of the token is for, or what a row that is pointed at in its place does.
export function story(answer, token, row, { alike }) {
  if (!answer.tokens) return "";
  const id = answer.ids[token - answer.first];
  if (row !== undefined && row !== id) return `Row ${count(row)} picked instead: it is multiplied by 1, every other row by 0.`;
  const begin = `${whatOf(answer, token, id)}.`;
  if (!alike) return `${begin} nn.Embedding copies row ${count(id)}. nn.Linear multiplies every row and adds, and here that gives other bits.`;
  return `${begin} Models such as GPT compute with numbers: row ${count(id)} is all that they see of this token.`;
}

// Tells a token's id: "'c' has id 2", or for typed ids "ids[0, 1] is 2".
function whatOf(answer, token, id) {
  if (!answer.unit) return `ids[${indexOf(answer, token).join(", ")}] is ${count(id)}`;
  return `'${isolate(answer.names[answer.slotOf.get(id)][0])}' has id ${count(id)}`;
}

// The sentence about the product. A row of the table is a column of nn.Linear's own weight.
function multiplied(id, rows, isTurned) {
  const others = rows > 1 ? ", the others by 0" : "", line = isTurned ? "column" : "row";
  return `nn.Linear multiplies every ${line}: ${line} ${count(id)} by 1${others}`;
}

// Tells what a step of Play does; the last one gives the answer that is drawn.
export function stepSentence(answer, token, step, { alike, isTurned }) {
  const id = answer.ids[token - answer.first];
  return [
    `1 of 4, look up: ${whatOf(answer, token, id)}, so row ${count(id)}.`,
    `2 of 4, copy: nn.Embedding gives row ${count(id)} as it is.`,
    `3 of 4, multiply: ${multiplied(id, answer.rows, isTurned)}.`,
    `4 of 4, add: the sum of all these products ${alike ? `is row ${count(id)} again` : "has other bits here"}.`,
  ][step];
}
