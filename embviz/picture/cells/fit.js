// What fits into a width: the columns of a weight with two ways out of it, and labels.

import { exponential, numberFormat } from "./numbers.js";

// px of a cell at most, and of a table at least: the name of a layer stands above it
const WIDEST = 84, TABLE = 132;
// px of a picture: a narrower one has smaller type
const NARROW = 640;

// The places that a label takes in a face of fixed width: a Chinese character or an emoji takes two.
export const placesOf = (label) => [...label].reduce((sum, character) => sum + (character >= "\u2e80" ? 2 : 1), 0);

// A label of at most so many characters; the last one then says that there are more.
export const shortened = (label, most = 8) => ([...label].length > most ? `${[...label].slice(0, most - 1).join("")}…` : label);

// The sizes of the drawing, in px; `count` columns fit, of width `cell`; `format` writes their numbers, which need
// `formatted` px.
//
// Labels become narrower before a column is lost. `labels` are the places of the longest one, `digits` those
// of the largest id, `factors` those of the longest factor. `formatIn(px)` and `labelIn(px, text)` do the same for a cell of another width.
export function fit({ whole, scale, total, labels, digits, factors = 1 }, width) {
  const small = width < NARROW;
  // px of a digit, of a label's letter, around a label, and between the digits of two cells
  const [letter, ofLabel, padding, gap] = small ? [6.7, 6.7, 8, 5] : [7.6, 8.5, 12, 6];
  const least = small ? 26 : 36;
  const sub = letter * digits + (small ? 17 : 24);
  const middle = small ? [12, 22, 12] : [18, 28, 22];
  middle[1] = Math.max(middle[1], letter * factors + 10);
  const rest = width - sub - middle[0] - middle[1] - middle[2];
  const number = charactersOf(whole, scale) * letter + gap;
  const wished = Math.max(least, ofLabel * labels + padding);
  const left = rest - 2 * total * number;
  const label = left >= least ? Math.min(wished, left) : wished;
  const room = (rest - label) / 2;
  const count = Math.max(1, Math.min(total, Math.floor(room / number + 1e-9)));
  const cell = Math.min(Math.max(WIDEST, TABLE / count), room / count);
  const formatIn = (px) => numberFormat({ whole, scale, characters: Math.floor((px - gap) / letter) }) ?? exponential;
  const labelIn = (px, text) => shortened(text, Math.max(1, Math.floor((px - padding) / ofLabel + 1e-9)));
  return { small, width, formatted: number, label, sub, middle, cell, count, format: formatIn(cell), formatIn, labelIn };
}

// The characters that a number up to `scale` needs.
function charactersOf(whole, scale) {
  if (whole) return String(Math.trunc(scale)).length + 1;
  const size = scale > 0 ? Math.floor(Math.log10(scale)) : 0;
  if (size >= 5 || size < -3) return 8;
  return Math.max(1, size + 1) + Math.max(4, 3 - size);
}
