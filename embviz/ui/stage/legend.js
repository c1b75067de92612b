// Bars of colour: the legend's scale, and the whole row of which a part is drawn.

import { write } from "../parts/cells/board.js";
import { css, valueColour } from "../parts/cells/colours.js";
import { count } from "../parts/cells/numbers.js";

// Colours of the legend's scale
const SHADES = 21;

// The scale from the table's least number to its largest.
export function drawLegend({ data, theme, sizes, legend }) {
  const [least, most] = data.extremes;
  const [low, bar, high] = legend.children;
  write(low, sizes.format(least));
  write(high, sizes.format(most));
  const values = Array.from({ length: SHADES }, (_, k) => least + ((most - least) * k) / (SHADES - 1));
  drawBar(theme, bar, values, data.scale);
}

// The columns that are not drawn: a thin bar of the whole row, and a mark on what is drawn.
export function drawHeat({ data, theme, sizes, column, pan, columns, heat, mark }, token) {
  pan.hidden = sizes.count >= data.dims;
  if (pan.hidden) return;
  write(columns, `columns ${column}–${column + sizes.count - 1}, ${count(data.dims - sizes.count)} more`);
  const row = data.tokens ? data.ids[token - data.first] : 0;
  drawBar(theme, heat, data.bar ?? [...(data.rowAt(row) ?? [])], data.scale);
  mark.style.left = `${(100 * column) / data.dims}%`;
  mark.style.width = `${(100 * sizes.count) / data.dims}%`;
}

function drawBar(theme, element, values, scale) {
  const stops = values.map((value, k) => `${css(valueColour(theme, value, scale))} ${(100 * k) / values.length}% ${(100 * (k + 1)) / values.length}%`);
  const image = `linear-gradient(90deg, ${stops.join()})`;
  if (element.image !== image) element.style.backgroundImage = element.image = image;
}
