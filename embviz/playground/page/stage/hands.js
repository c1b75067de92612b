// Hands on the stage: what a pointer, a finger, a wheel and the keys do. They change what is chosen, kept or
// pointed at, and draw again.

import { choose, same } from "../../../ui/elements/ask.js";
import { across, ARROWS, pointed, pointing } from "../../../picture/cells/pointing.js";
import { askMore, endPlay, isTurned, keepPlayed, selected } from "./steps.js";

// The number that is pointed at; each part is undefined where there is none.
const numberOf = ({ column, copy, weight }) => ({ column, copy, weight });

export function followPointer(ui) {
  const over = (point) => {
    const now = pointed(point);
    if (!ui.data || ui.player.step !== null || same(now, ui.over)) return;
    ui.over = now;
    ui.draw();
  };
  const press = (point) => {
    if (!ui.data) return;
    const { token, row, ...number } = pointed(point);
    if (token !== undefined) select(ui, token);
    else if (row !== undefined) keep(ui, { row: ui.kept.row === row ? undefined : row });
    else keep(ui, numberOf(same(numberOf(ui.kept), numberOf(number)) ? {} : number));
  };
  pointing(ui.ways, over, press);
  pointing(ui.strip, over, press);
  ui.play.onclick = () => { ui.kept = ui.over = {}; ui.player.press(); };
  ui.step.onclick = () => { ui.kept = ui.over = {}; ui.player.one(); };
  ui.turn.onclick = () => {
    choose(ui, { view: isTurned(ui) ? "embedding" : "linear" });
    ui.draw();
  };
  ui.scroll.oninput = () => pan(ui, ui.scroll.valueAsNumber - ui.column);
  followWheel(ui);
}

export function followKeys(ui) {
  ui.strip.onkeydown = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined || !ui.data) return;
    event.preventDefault();
    select(ui, Math.max(0, Math.min(selected(ui) + by, ui.data.tokens - 1)));
    ui.strip.querySelector(".selected")?.focus({ preventScroll: true });
  };
  ui.ways.onkeydown = (event) => moveByKey(ui, event);
}

function select(ui, token) {
  Object.assign(ui, { kept: {}, over: {} });
  endPlay(ui);
  choose(ui, { token });
  ui.draw();
  askMore(ui);
}

function keep(ui, changes) {
  keepPlayed(ui); // a step of Play shows no sum
  ui.kept = { ...ui.kept, ...changes };
  ui.over = {};
  ui.draw();
}

function pan(ui, by) {
  const { data, sizes } = ui;
  const column = Math.max(0, Math.min(ui.column + by, data.dims - sizes.count));
  choose(ui, { column });
  if (column < data.column || column + sizes.count > data.column + data.columns) askMore(ui);
  ui.draw();
}

// Arrow keys move over rows and columns; Space plays, Enter takes one step, Escape leaves.
function moveByKey(ui, event) {
  const { data, kept, model, sizes } = ui;
  const [down, right] = ARROWS[event.key] ?? [];
  const press = { " ": ui.play, Enter: ui.step }[event.key];
  if (!model || (down === undefined && !press && event.key !== "Escape")) return;
  event.preventDefault();
  if (press) press.click();
  else if (event.key === "Escape") { ui.player.stop(); ui.kept = ui.over = {}; ui.draw(); }
  else if (down) {
    const rows = model.lines.filter((line) => !line.omitted).map((line) => line.key);
    const at = rows.indexOf(kept.row ?? model.lines.find((line) => line.picked)?.key);
    keep(ui, { row: rows[Math.max(0, Math.min(at + down, rows.length - 1))] });
  } else {
    const first = ui.column - data.column, last = first + sizes.count - 1;
    const number = across(kept, right, [first, last], data.columns), at = number.copy ?? number.column;
    if (at < first || at > last) pan(ui, right);
    keep(ui, numberOf(number));
  }
}

// A wheel or two fingers that move sideways scroll table, products and answers together.
function followWheel(ui) {
  let moved = 0; // px that are less than a column
  ui.ways.addEventListener("wheel", (event) => {
    const across = event.shiftKey ? event.deltaY : event.deltaX;
    if (!ui.data || !across || ui.sizes.count >= ui.data.dims) return;
    event.preventDefault();
    moved += across;
    const columns = Math.trunc(moved / ui.sizes.cell);
    moved -= columns * ui.sizes.cell;
    if (columns) pan(ui, columns);
  }, { passive: false });
}
