// Hands on the stage: what a pointer, a finger, a wheel and the keys do. They change what is chosen, kept or
// pointed at, and draw again.

import { choose, same } from "../../../ui/elements/ask.js";
import { across, arrowKeys, inside, pointed, pointing, tokenKeys } from "../../../picture/cells/pointing.js";
import { askMore, endPlay, isTurned, keepPlayed, selected } from "./steps.js";

// What a `data-point` means here: a token, a row, or a number.
function partOf(point) {
  const at = pointed(point);
  return !point || "token" in at || "row" in at ? at : { number: at };
}

export function followPointer(ui) {
  const over = (point) => {
    const now = partOf(point);
    if (!ui.data || ui.player.step !== null || same(now, ui.over)) return;
    ui.over = now;
    ui.draw();
  };
  const press = (point) => {
    const [[kind, value]] = Object.entries(partOf(point));
    if (kind === "token") select(ui, value);
    else keep(ui, { [kind]: same(ui.kept[kind], value) ? undefined : value });
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

// Arrow keys move over tokens, rows and columns; Space plays, Enter takes one step, Escape leaves.
export function followKeys(ui) {
  tokenKeys(ui.strip, () => ui.data.tokens, () => selected(ui), (token) => select(ui, token));
  arrowKeys(ui.ways, (down, right) => (down ? moveDown(ui, down) : moveRight(ui, right)), {
    " ": () => ui.play.click(),
    Enter: () => ui.step.click(),
    Escape: () => { ui.kept = ui.over = {}; ui.player.stop(); },
  });
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

function moveDown(ui, by) {
  const lines = ui.model.lines.filter(({ omitted }) => !omitted), rows = lines.map(({ key }) => key);
  const at = rows.indexOf(ui.kept.row ?? lines.find(({ picked }) => picked)?.key);
  keep(ui, { row: rows[inside(at + by, rows.length)] });
}

function moveRight(ui, by) {
  const { data, kept, sizes } = ui, first = ui.column - data.column, last = first + sizes.count - 1;
  const number = across(kept.number ?? {}, by, [first, last], data.columns), at = number.copy ?? number.column;
  if (at < first || at > last) pan(ui, by);
  keep(ui, { number });
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
