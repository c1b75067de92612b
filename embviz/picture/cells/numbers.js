// Numbers: as they arrive from Python, and as they are written.

const GROUPED = new Intl.NumberFormat("en-US");

// Writes a whole number: 1,234.
export const count = (number) => GROUPED.format(number);

// Writes so many things: "1 row", "1,200 rows".
export const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

// Unpacks numbers that `packed` of `picture/numbers.py` has packed.
export function unpacked(text, Kind = Float32Array) {
  return new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}

// The largest finite size of the numbers in some arrays.
export function largest(arrays) {
  let most = 0;
  for (const array of arrays) for (const value of array) {
    const size = Math.abs(value);
    if (size > most && size < Infinity) most = size;
  }
  return most;
}

// A minus sign, as Python's sentences have it: outside of code a hyphen is shorter.
const withMinus = (text) => text.replace(/^-/, "−");

// A number with so many decimals. What is written as 0 has no sign, unless it is the number −0 and `signsZero`.
export function written(value, decimals, signsZero = true) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "−inf";
  const text = value.toFixed(decimals);
  if (Number(text) !== 0) return withMinus(text);
  return `${signsZero && Object.is(value, -0) ? "−" : ""}${(0).toFixed(decimals)}`;
}

// A number with two digits and an exponent.
export const exponential = (value) => (value ? withMinus(value.toExponential(1)) : written(value, 0));

// A function that writes numbers up to `scale`, with the decimals that fit in `characters`; null where
// none fit.
export function numberFormat({ whole, scale, characters, signsZero = true }) {
  if (whole) return characters > String(Math.trunc(scale)).length ? (value) => written(value, 0) : null;
  const size = scale > 0 ? Math.floor(Math.log10(scale)) : 0;
  const before = Math.max(1, size + 1) + 2; // sign and point
  const wanted = Math.min(8, 3 + Math.max(0, -1 - size));
  const decimals = Math.min(wanted, characters - before);
  return decimals >= Math.max(1, -size) && size < 5 ? (value) => written(value, decimals, signsZero) : null;
}

// One number on its own: four decimals; a very small one gets as many digits as it needs.
export function precise(value) {
  if (value === undefined) return "?";
  if (!Number.isFinite(value) || Number.isInteger(value)) return written(value, 0);
  const size = Math.abs(value);
  return withMinus(size < 1e-3 || size >= 1e5 ? value.toExponential(3) : value.toFixed(4));
}

// Writes a number as a factor or a term: a negative one stands in brackets.
export function bracketed(value) {
  const isNegative = value < 0 || Object.is(value, -0);
  return isNegative ? `(${precise(value)})` : precise(value);
}
