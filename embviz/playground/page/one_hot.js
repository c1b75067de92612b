// A one_hot row to press, and the output of both layers for it.

import { attribute, keepChildren, write } from "../../picture/cells/paint.js";
import { themed, tint } from "../../picture/cells/colours.js";
import { leaving, stateOf } from "../../ui/elements/mount.js";
import { exponential, largest, numberFormat, precise, unpacked } from "../../picture/cells/numbers.js";

// Each press takes the next one.
const NEXT_FACTOR = { 0: 1, 1: 0.5, 0.5: 0 };
// Characters of a number
const NUMBER_CHARACTERS = 7;

export default function oneHot(given) {
  const ui = stateOf(given, (made) => { made.hotAgain.onclick = () => made.tell(""); });
  ui.tell = (pressed) => given.setTriggerValue("picked", { one_hot: pressed });
  themed(ui, () => drawOneHot(ui, given.data));
  return leaving(ui);
}

function drawOneHot(ui, data) {
  ui.factors = new Map(data.cells.map(([id, , factor]) => [id, factor]));
  drawHotCells(ui, data);
  write(ui.hotMore, data.more);
  write(ui.hotSaid, data.said);
  write(ui.hotVerdict, data.verdict);
  const [lookup, matmul] = data.numbers.map((packed) => unpacked(packed, data.wide ? Float64Array : Float32Array));
  const scale = Math.max(data.scale, largest([lookup, matmul])), whole = [...lookup, ...matmul].every(Number.isInteger);
  const format = numberFormat({ whole, scale, characters: NUMBER_CHARACTERS }) ?? exponential;
  const drawing = { theme: ui.theme, scale: data.scale, same: data.same, format };
  drawHotNumbers(ui.hotLookup, "left", lookup, drawing);
  drawHotNumbers(ui.hotMatmul, "right", matmul, drawing);
}

// All factors are sent with each press: none of several presses gets lost. An empty text stands for
// the row as it begins.
function pressCell(ui, data, id) {
  ui.factors.set(id, NEXT_FACTOR[ui.factors.get(id)]);
  drawHotCells(ui, data);
  const positive = [...ui.factors].filter(([, factor]) => factor > 0);
  const isFirst = positive.length === 1 && ui.factors.get(data.selected) === 1;
  const pressed = positive.length ? positive : [[data.selected, 0]];
  ui.tell(isFirst ? "" : pressed.map((pair) => pair.join(":")).join(" "));
}

// A press changes what stands in its button, and keeps the button with its focus.
function drawHotCells(ui, data) {
  keepChildren(ui.hotRow, data.cells.length, hotButton);
  data.cells.forEach((_, k) => drawHotCell(ui, data, ui.hotRow.children[k], k));
}

// Whether rows are left out before a cell.
const isAfterGap = ({ cells }, k) => (k ? cells[k - 1][0] + 1 : 0) < cells[k][0];

function hotButton() {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...["small", "span", "b"].map((name) => document.createElement(name)));
  return button;
}

function drawHotCell(ui, data, button, k) {
  const [id, label] = data.cells[k];
  const factor = ui.factors.get(id), [above, token, value] = button.children;
  write(above, String(id));
  write(token, label);
  write(value, String(factor));
  button.className = `${isAfterGap(data, k) ? "gap" : ""} ${factor ? "some" : ""} ${factor === 1 ? "one" : ""}`;
  attribute(button, "aria-label", `id ${id}${label && `, ${label}`}: ${factor}`);
  button.title = label;
  button.onclick = () => pressCell(ui, data, id);
}

// Draws as many of the first numbers as fit on a line: the style hides the others.
function drawHotNumbers(box, side, values, { theme, scale, same, format }) {
  keepChildren(box, values.length, () => document.createElement("div"));
  values.forEach((value, k) => {
    const cell = box.children[k];
    cell.className = `cell ${side}${side === "left" || same[k] ? "" : " differs"}`;
    cell.style.cssText = tint(theme, value, scale);
    cell.title = precise(value);
    write(cell, format(value));
  });
  attribute(box, "aria-label", [...values].map(precise).join(", "));
}
