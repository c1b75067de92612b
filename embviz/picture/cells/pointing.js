// Pointing by pointer, finger or arrow key. An element's `data-point` says what pointing at it means.

// Steps [down, right] of each arrow key.
const ARROWS = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };
// Steps along a row of tokens.
const ALONG = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

export const inside = (place, count) => Math.max(0, Math.min(place, count - 1));

// Keys on a picture: `move(down, right)` gets the step of an arrow key, `others` have what another key does.
export function arrowKeys(picture, move, others = {}) {
  picture.addEventListener("keydown", (event) => {
    const step = ARROWS[event.key], other = others[event.key];
    if (!step && !other) return;
    event.preventDefault();
    if (step) move(...step);
    else other();
  });
}

// Keys on a row of tokens: `select(place)` gets the place that a key leads to. The element of the selected one, which
// `select` draws, takes the focus.
export function tokenKeys(strip, total, current, select) {
  strip.addEventListener("keydown", (event) => {
    const by = ALONG[event.key];
    if (!by) return;
    event.preventDefault();
    select(inside(current() + by, total()));
    strip.querySelector("[aria-selected=true]")?.focus({ preventScroll: true });
  });
}

// `over` gets `data-point` of what the pointer is on, or "" where it left; `press` gets that of a click.
// A finger points where it taps, and on after it has left; a swipe, which scrolls the page, points at nothing.
export function pointing(root, over, press) {
  const pointOf = (event) => event.target.closest?.("[data-point]")?.dataset.point ?? "";
  let isFinger = false;
  root.addEventListener("pointerdown", (event) => { isFinger = event.pointerType === "touch"; });
  root.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") over(pointOf(event)); });
  root.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") over(""); });
  root.addEventListener("click", (event) => {
    const point = pointOf(event);
    if (isFinger) over(point);
    if (point) press(point);
  });
}

// Tells what to do with a number or a token: `Point at a token.`, or `Tap a token.` where a finger points.
export function pointAt(words) {
  return `${matchMedia("(hover: none)").matches ? "Tap" : "Point at"} ${words}`;
}

// The name of a picture on which arrow keys move. It stays while they do: readers would say a new one beside the status
// that says where a key has led.
export const named = (words) => `${words} Use the arrow keys.`.trim();

// The number that Left or Right leads to: `column` of the sums, or beside their first one `copy` of the left answer.
// `at` is the number that is lit; `shown`, the first and last column that are drawn; `all`, the number of columns.
export function across(at, right, [first, last], all) {
  if (at.copy !== undefined) return at.copy + right > last ? { column: first } : { copy: Math.max(0, at.copy + right) };
  const column = (at.column ?? first - right) + right;
  return column < 0 && right < 0 ? { copy: last } : { column: Math.min(column, all - 1) };
}

// Reads a `data-point`: "column 3" is { column: 3 }, and "weight 2 1" is { weight: [2, 1] }.
export function pointed(point) {
  const [kind, ...at] = point.split(" ");
  if (!at.length) return {};
  return { [kind]: at.length === 1 ? Number(at[0]) : at.map(Number) };
}
