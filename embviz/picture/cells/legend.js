// The legend below the picture: the scale of colours, and the columns that are drawn.

import { write } from "./paint.js";
import { css, valueColour } from "./colours.js";
import { count } from "./numbers.js";

// Colours of the legend's scale
const SHADES = 21;

// The colours from `least` to `most`, which `format` writes at the ends. Numbers that are not whole are cut to a few
// decimals, and a sum of them is not quite the sum that is drawn.
export function drawLegend({ theme, legend }, { least, most, scale, format, whole }) {
  const [low, bar, high] = legend.children;
  write(low, format(least));
  write(high, whole ? format(most) : `${format(most)}, rounded`);
  const values = Array.from({ length: SHADES }, (_, k) => least + ((most - least) * k) / (SHADES - 1));
  const stops = values.map((value, k) => `${css(valueColour(theme, value, scale))} ${(100 * k) / SHADES}% ${(100 * (k + 1)) / SHADES}%`);
  const image = `linear-gradient(90deg, ${stops.join()})`;
  if (bar.image !== image) bar.style.backgroundImage = bar.image = image;
}

// Names the columns that are drawn, with a slider through them, where not all of them are drawn.
export function drawColumns({ data, sizes, column, pan, columns, scroll }) {
  pan.hidden = sizes.count >= data.dims;
  if (pan.hidden) return;
  write(columns, `columns ${count(column)} to ${count(column + sizes.count - 1)} of ${count(data.dims)}`);
  scroll.max = data.dims - sizes.count;
  scroll.value = column;
}
