// Values to colours and to text. All colours come from Streamlit's theme.

// The page's theme.
function readTheme(element) {
  const style = getComputedStyle(element);
  const colours = (name) => style.getPropertyValue(`--st-${name}`).split(",").map((one) => rgb(one.trim()));
  return { diverging: colours("chart-diverging-colors"), page: colours("background-color")[0] };
}

function rgb(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// A value's colour on the diverging scale, centred on zero; scale is the largest |value|.
function valueColour(theme, value, scale) {
  const stops = theme.diverging;
  if (!Number.isFinite(value)) return [128, 128, 128];
  const position = (Math.max(-1, Math.min(1, scale ? value / scale : 0)) + 1) / 2 * (stops.length - 1);
  const low = Math.min(Math.floor(position), stops.length - 2);
  return stops[low].map((c, i) => Math.round(c + (stops[low + 1][i] - c) * (position - low)));
}

const css = ([r, g, b]) => `rgb(${r},${g},${b})`;

// Black or white, whichever reads better: never below 4.58:1.
function inkOn(colour) {
  const [r, g, b] = colour.map((c) => {
    const s = c / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

// How to write numbers up to `scale`: with the decimals that fit in `characters`; null where none fit.
function numberFormat(whole, scale, characters) {
  if (whole) return characters > String(Math.trunc(scale)).length ? (v) => written(v, 0) : null;
  const size = scale > 0 ? Math.floor(Math.log10(scale)) : 0;
  const before = Math.max(1, size + 1) + 2; // sign and point
  const wanted = Math.min(8, 3 + Math.max(0, -1 - size));
  const decimals = Math.min(wanted, characters - before);
  return decimals >= Math.max(1, -size) && size < 5 ? (v) => written(v, decimals) : null;
}

// A minus sign, as Python's sentences have it: outside of code a hyphen is shorter.
const signed = (text) => text.replace(/^-/, "−");

function written(value, decimals) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "−inf";
  return Object.is(value, -0) ? `−${(0).toFixed(decimals)}` : signed(value.toFixed(decimals));
}

// One number on its own: four decimals; a very small one gets as many digits as it needs.
function precise(value) {
  if (value === undefined) return "?";
  if (!Number.isFinite(value) || Number.isInteger(value)) return written(value, 0);
  const size = Math.abs(value);
  return signed(size < 1e-3 || size >= 1e5 ? value.toExponential(3) : value.toFixed(4));
}

// Numbers that `packed` of `request/drawings/stage.py` has packed.
function unpacked(text, Kind = Float32Array) {
  return new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}

function largest(arrays) {
  let most = 0;
  for (const array of arrays) for (const value of array) {
    const size = Math.abs(value);
    if (size > most && size < Infinity) most = size;
  }
  return most;
}
