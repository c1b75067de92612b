// A map of the letters' rows: near points are near rows. The two nearest are outlined and joined.

import { attribute } from "../../../picture/cells/paint.js";

// Units of the drawing, which is 100 wide: around the points, and from a point to the middle of its letter
const EDGE = 6, RADIUS = 4.2;

// A place from 0 to 1 as units of the drawing; up is more.
export const placed = ([x, y]) => [EDGE + x * (100 - 2 * EDGE), 100 - EDGE - y * (100 - 2 * EDGE)];

export function drawRowMap({ map, data, state, selected }) {
  if (!map.firstChild) buildMap(map, data);
  const places = state.place.map(placed), [first, second] = state.pair;
  const [joint, ...points] = map.children;
  const ends = { x1: places[first][0], y1: places[first][1], x2: places[second][0], y2: places[second][1] };
  for (const [name, value] of Object.entries(ends)) attribute(joint, name, value.toFixed(2));
  points.forEach((point, letter) => {
    attribute(point, "transform", `translate(${places[letter].map((unit) => unit.toFixed(2)).join(" ")})`);
    attribute(point, "class", `point${state.pair.includes(letter) ? " near" : ""}${letter === selected ? " picked" : ""}`);
  });
  attribute(map, "aria-label", `Map of the rows. Nearest: ${data.letters[first]} and ${data.letters[second]}`);
}

function buildMap(map, { letters }) {
  const points = [...letters].map((letter, k) => `<g class="point" data-point="${k}"><circle r="${RADIUS}"/><text dy="0.34em">${letter}</text></g>`);
  map.innerHTML = `<line class="joint"/>${points.join("")}`;
}
