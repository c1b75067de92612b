// Pointing by pointer, finger or arrow key. An element's `data-point` says what pointing at it means.

// Steps [down, right] of each arrow key.
export const ARROWS = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };

// `over` gets `data-point` of what the pointer is on, or "" where it left; `press` gets that of a click.
// A finger points on after it has left.
export function pointing(root, over, press) {
  const pointOf = (event) => event.target.closest?.("[data-point]")?.dataset.point ?? "";
  root.addEventListener("pointerover", (event) => over(pointOf(event)));
  root.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") over(""); });
  root.addEventListener("click", (event) => { if (pointOf(event)) press(pointOf(event)); });
}

// Tells what to do with a number or a token: `Point at a token.`, or `Tap a token.` where a finger points.
export function pointAt(words) {
  return `${matchMedia("(hover: none)").matches ? "Tap" : "Point at"} ${words}`;
}

// Reads a `data-point`: "column 3" is { column: 3 }.
export function pointed(point) {
  const [kind, at] = point.split(" ");
  return at === undefined ? {} : { [kind]: Number(at) };
}
