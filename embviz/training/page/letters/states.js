// The states of a training: what a picture of one step needs, out of the numbers of all steps.

import { counted, unpacked } from "../../../picture/cells/numbers.js";

const SIDE = 2; // numbers of a place on the map

// The record of `drawing.py` with its numbers unpacked.
export function trainingOf(text) {
  const data = JSON.parse(text);
  for (const name of ["rows", "places", "expected"]) data[name] = unpacked(data[name]);
  return { ...data, count: data.letters.length, columns: data.rows.length / (data.steps + 1) / data.letters.length };
}

// A training as it was after a step: for each letter its `row`, its `place`, and the shares that the model `expects`;
// and `pair`, the two nearest rows.
export function stateAt({ rows, places, expected, nearest, count, columns }, step) {
  const of = (numbers, width) => Array.from({ length: count }, (_, letter) => {
    const first = (step * count + letter) * width;
    return numbers.subarray(first, first + width);
  });
  return { row: of(rows, columns), place: of(places, SIDE), expects: of(expected, count), pair: nearest[step] };
}

// The sentence in a state: at first the nearest rows, at the end also what the last ones have in common.
export function toldAt({ begun, sentence, letters, nearest, steps }, step) {
  if (step === steps) return sentence;
  if (step === 0) return begun;
  const [first, second] = nearest[step];
  return `${begun} After ${counted(step, "step")}: '${letters[first]}' and '${letters[second]}'.`;
}

export const percent = (share) => `${Math.round(100 * share)} %`;
