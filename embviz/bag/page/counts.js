// The counts of a row: each is typed, or pressed up and down.

import { attribute, keepChildren, write } from "../../picture/cells/paint.js";

// Largest count that can be typed
const MOST = 9999999;

// ms for which answers to earlier presses are left out, at most
const WAIT_MS = 2000;

// `tell` gets all counts that were changed, as the setting `bag_edit` has them: none gets lost.
export function drawCounts(box, data, tell) {
  const { counts, edit, least } = data;
  if (isEarlier(box.waiting, data)) return;
  box.waiting = null;
  const changed = new Map(edit);
  const change = (column, value) => {
    changed.set(column, value);
    box.waiting = { edit: editOf(changed), row: nameOf(data), until: performance.now() + WAIT_MS };
    tell(box.waiting.edit);
  };
  keepChildren(box, counts.length, newCount);
  counts.forEach((record, k) => drawCount(box.children[k], record, { least, changed, change }));
}

// Whether the data answer a press before the last one of the same row.
function isEarlier(waiting, data) {
  if (!waiting || performance.now() > waiting.until || nameOf(data) !== waiting.row) return false;
  return data.edit.length > 0 && editOf(new Map(data.edit)) !== waiting.edit;
}

const editOf = (changed) => [...changed].map((pair) => pair.join(":")).join(" ");

// The name that tells a row from others: its place, the documents, and the words.
const nameOf = ({ row, documents, counts }) => JSON.stringify([row, documents, counts.map(([, , word]) => word)]);

function newCount() {
  const place = document.createElement("div"), number = document.createElement("input");
  place.className = "count";
  Object.assign(number, { type: "number", max: MOST, step: 1, required: true });
  place.append(stepper("−", -1), number, stepper("+", 1), document.createElement("small"));
  return place;
}

// A press for pointers and fingers; the arrow keys do the same in the field.
function stepper(sign, by) {
  const button = Object.assign(document.createElement("button"), { textContent: sign, tabIndex: -1, type: "button" });
  button.dataset.by = by;
  return button;
}

function drawCount(place, [column, value, word], { least, changed, change }) {
  const [less, number, more, name] = place.children;
  const mark = () => place.classList.toggle("changed", changed.has(column));
  const take = (wished) => {
    number.value = wished;
    if (!number.reportValidity()) return; // the browser says why
    change(column, wished);
    mark();
  };
  attribute(number, "aria-label", `count of ${word}`);
  attribute(number, "min", least ?? -MOST);
  attribute(less, "aria-label", `one ${word} less`);
  attribute(more, "aria-label", `one ${word} more`);
  if (number.drawn !== `${column} ${value}` || !number.matches(":focus")) number.value = value;
  number.drawn = `${column} ${value}`;
  less.onclick = () => take(Math.max(least ?? -MOST, Math.ceil(number.valueAsNumber || 0) - 1));
  more.onclick = () => take(Math.min(MOST, Math.floor(number.valueAsNumber || 0) + 1));
  number.onchange = () => take(number.valueAsNumber);
  write(name, word);
  attribute(name, "title", word);
  mark();
}
