// Values to colours. All colours come from Streamlit's theme.

// The theme's colours from the lowest value to the highest, as lists of red, green and blue.
function readTheme(element) {
  const colours = getComputedStyle(element).getPropertyValue("--st-chart-diverging-colors");
  return colours.split(",").map((hex) => rgb(hex.trim()));
}

function rgb(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// Draws with the page's theme. While Streamlit inserts or removes a component, its colours are
// missing: then it tries again at the next frame, as long as the component is in the page.
export function themed(ui, draw) {
  cancelAnimationFrame(ui.retry);
  const theme = readTheme(ui.root);
  if (theme.length > 1) { ui.theme = theme; draw(); }
  else ui.retry = requestAnimationFrame(() => { if (ui.root.isConnected) themed(ui, draw); });
}

// Share of the colours that values up to the scale have; the rest is for larger ones
const WITHIN = 0.8;

// The place of a value among the colours, from −1 to 1. It grows with the value, beyond the scale too: sums may be
// larger than any number of a weight, and must not look equal where they differ.
function shareOf(value, scale) {
  const size = scale ? Math.abs(value) / scale : 0;
  return Math.sign(value) * (size <= 1 ? WITHIN * size : 1 - (1 - WITHIN) / size);
}

// A value's colour on the diverging scale, centred on zero; scale is a large |value|.
export function valueColour(theme, value, scale) {
  if (!Number.isFinite(value)) return [128, 128, 128];
  const position = (shareOf(value, scale) + 1) / 2 * (theme.length - 1);
  const low = Math.min(Math.floor(position), theme.length - 2);
  return theme[low].map((c, i) => Math.round(c + (theme[low + 1][i] - c) * (position - low)));
}

export const css = ([r, g, b]) => `rgb(${r},${g},${b})`;

// Black or white, whichever reads better: never below 4.58:1.
export function inkOn(colour) {
  const [r, g, b] = colour.map((c) => {
    const s = c / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

// The style of a number's cell.
export function tint(theme, value, scale) {
  const colour = valueColour(theme, value, scale);
  return `background: ${css(colour)}; color: ${inkOn(colour)}`;
}
