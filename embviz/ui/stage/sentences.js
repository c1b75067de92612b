// The sentence under the stage: what happens to the token, or in the step that Play shows.

import { count } from "../parts/cells/numbers.js";
import { totalOf } from "../parts/cells/sums.js";
import { omittedWords, shownZero } from "../parts/cells/ways.js";
import { indexOf } from "./answer.js";
import { BEFORE } from "./steps.js";

// Columns of a sum that Play writes out; of more it says what happens
const WRITTEN = 4;

// What happens to the token, or to a row that is pointed at in its place.
export function story(answer, token, row, { alike, turned }) {
  if (!answer.tokens) return "";
  const id = answer.ids[token - answer.first];
  const unit = turned ? "column" : "row";
  if (row !== undefined && row !== id) return `${turned ? "Column" : "Row"} ${count(row)} picked instead: it is multiplied by 1, every other ${unit} by 0.`;
  const what = answer.unit ? `'${labelOf(answer, id)}' has id ${count(id)}` : `ids[${indexOf(answer, token).join(", ")}] is ${count(id)}`;
  const one = turned ? `Row ${count(id)} of nn.Embedding is column ${count(id)} of nn.Linear's weight` : `Lookup copies row ${count(id)}`;
  if (!alike) return `${what}. ${one}. Matmul adds up all products, and here that gives other numbers.`;
  return `${what}. ${one}. Matmul keeps that ${unit} (× 1), makes the others 0 (× 0) and adds up: ${unit} ${count(id)} again.`;
}

const labelOf = (answer, id) => answer.names[answer.slotOf.get(id)][0];

// What happens in a step of Play; `format` writes a number.
export function stepSentence(answer, token, step, { lines, columns, turned }, format) {
  const id = answer.ids[token - answer.first];
  if (step < 2) return `${answer.unit ? `'${labelOf(answer, id)}'` : "The token"} has id ${count(id)}.`;
  if (step === 2) return `Lookup reads row ${count(id)} of weight.`;
  if (step === 3) return "lookup: 1 row read.";
  const line = lines[step - BEFORE];
  if (!line) return `matmul: ${count(answer.rows)} rows multiplied and added.`;
  const what = line.omitted ? omittedWords(line) : `${turned ? "column" : "row"} ${line.label || line.sub}`;
  const isPlain = !line.products?.some((value) => Number.isNaN(value));
  if (columns.count > WRITTEN && isPlain) {
    return line.picked ? `${what} × 1: the total is this row now` : `${what} × 0: nothing is added`;
  }
  const done = step - BEFORE + 1;
  const some = (valueAt) => Array.from({ length: columns.count }, (_, c) => shownZero(valueAt(columns.first + c), format)).join(" ");
  return `${what} × ${line.factor} = ${some((c) => line.products?.[c] ?? NaN)}, total ${some((c) => totalOf(lines, done, c))}`;
}
