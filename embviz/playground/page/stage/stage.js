// The entry: Streamlit calls the default export on every data or theme change, on the same DOM.
//
// What is shown is a function of the answer, the selected token, what is pointed at or kept, and how
// far Play has come. Nothing of it asks the server, but for rows and columns that were not sent.

import { ask, choose, followField, fromPython, same, wanted } from "../../../ui/elements/ask.js";
import { attribute, grid, write } from "../../../picture/cells/paint.js";
import { themed, themedAgain } from "../../../picture/cells/colours.js";
import { fit } from "../../../picture/cells/fit.js";
import { count } from "../../../picture/cells/numbers.js";
import { player } from "../../../picture/cells/play.js";
import { ARROWS, pointAt, pointed, pointing } from "../../../picture/cells/pointing.js";
import { sumOf } from "../../../picture/cells/sums.js";
import { drawWays } from "../../../picture/cells/ways.js";
import { refusalLine } from "../../../ui/elements/refusal.js";
import { readAnswer } from "./answer.js";
import { drawHeads } from "../../../picture/cells/heads.js";
import { drawColumns, drawLegend } from "../../../picture/cells/legend.js";
import { modelOfToken, verdict } from "./model.js";
import { stepSentence, story } from "./sentences.js";
import { pauseOf, phaseOf, STEPS } from "./steps.js";
import { drawTokens } from "./tokens.js";
import { drawTurned, TURNED_COLUMNS, turnedRows } from "./turned.js";

// Rows of the table that are drawn at least and at most, and on a phone
const ROWS = [3, 11], SMALL_ROWS = 7;
// px of a row, and of all that stands above and below the rows in a window
const ROW_PX = 28, REST_PX = 578;
// px of a window that is low
const LOW_PX = 760;
// px between the table and nn.Linear's own weight
const BESIDE_PX = 14;
// px of a letter, and letters of a term, of whole numbers and others: the room that a sum needs
const LETTER_PX = 6.8, WHOLE_TERM = 9, TERM = 15;
// Signs that the line of blanks explains, at most
const BLANKS = 3;

export default function stage({ data, parentElement, setTriggerValue, base }) {
  const ui = (parentElement.embviz ??= mountStage(parentElement));
  ui.base = base;
  ui.report = (picked) => setTriggerValue("picked", picked);
  fromPython(ui, data);
  // Streamlit may call this while the stage is still in the page, or when it stays there.
  return () => setTimeout(() => { if (!parentElement.isConnected) unmountStage(ui); });
}

function mountStage(root) {
  const find = (name) => root.querySelector(`.${name}`);
  const ui = { root, typed: null, chosen: {}, kept: {}, over: {}, column: 0 };
  for (const name of ["stage", "strip", "play", "step", "turn", "blank", "ways", "own", "moved", "from", "said", "verdict", "legend", "pan", "columns", "scroll"]) ui[name] = find(name);
  ui.more = root.querySelectorAll(".more");
  ui.grid = grid(ui.ways);
  ui.turned = grid(ui.own);
  ui.refuse = refusalLine(ui, find("refusal"));
  ui.show = (answer) => themed(ui, ui.stage, () => receiveAnswer(ui, answer));
  ui.redraw = () => themedAgain(ui, ui.stage, () => { if (ui.data) drawStage(ui); });
  ui.player = player(() => STEPS, pauseOf, () => drawStage(ui));
  followPointer(ui);
  followKeys(ui);
  ui.leave = followField(ui);
  ui.resized = new ResizeObserver(() => { if (ui.stage.clientWidth !== ui.width && ui.data) drawStage(ui); });
  ui.resized.observe(ui.stage);
  return ui;
}

function unmountStage(ui) {
  ui.player.end();
  cancelAnimationFrame(ui.retry);
  ui.leave();
  ui.resized.disconnect();
}

function receiveAnswer(ui, answer) {
  const isOther = !ui.data || ["rows", "dims", "unit"].some((name) => ui.data[name] !== answer[name]);
  // The answer to a choice made here has another question alone: what is pointed at stays, and Play goes on.
  const picture = JSON.stringify({ ...answer, question: null });
  const isSame = picture === ui.picture && selected(ui) === ui.token;
  Object.assign(ui, { data: readAnswer(answer), picture });
  if (!isSame) {
    ui.over = {};
    ui.kept = isOther ? {} : { column: ui.kept.column }; // a kept row may be outside now
    ui.player.end();
  }
  drawStage(ui);
}

// Whether nn.Linear's weight is drawn: as chosen here, else as the page says.
const isTurned = ({ chosen, page }) => (chosen.view ?? page.view) === "linear";

const selected = ({ data, chosen, page }) => Math.max(0, Math.min(chosen.token ?? page.question.token, data.tokens - 1));

function drawStage(ui) {
  const { data, theme, stage } = ui;
  ui.width = stage.clientWidth;
  ui.token = selected(ui);
  if (!ui.width) return;
  const lit = { ...ui.kept, ...ui.over };
  if (ui.over.token !== undefined) delete lit.row; // another token has its own row
  const token = Math.min(lit.token ?? selected(ui), Math.max(0, data.tokens - 1));
  const isSent = !data.tokens || (token >= data.first && token < data.first + data.ids.length);
  const total = Math.min(data.dims, data.columns);
  const sizes = fit({ ...data, total, labels: data.labelled, digits: String(data.rows).length }, ui.width);
  const half = isTurned(ui) && !sizes.small;
  if (half) sizes.count = Math.min(sizes.count, TURNED_COLUMNS);
  ui.sizes = sizes;
  ui.column = Math.max(0, Math.min(wanted(ui).column, data.dims - sizes.count));
  const asked = { answer: data, token, row: lit.row, column: ui.column, half, sizes };
  const shown = isSent && modelOfToken({ ...asked, around: rowsDrawn(ui, sizes) });
  stage.classList.toggle("waiting", !shown);
  stage.classList.toggle("low", innerHeight < LOW_PX);
  stage.classList.toggle("large", zoomOf(stage) > 1);
  if (data.tokens) drawTokens(ui, selected(ui), lit.token);
  ui.strip.hidden = !data.tokens;
  if (!shown) return; // its answer is on the way
  ui.model = shown;
  const phase = phaseOf(ui.player.step), pointedAt = { row: lit.row, column: lit.column };
  const drawing = { on: ui.grid, model: shown, sizes, theme, phase, lit: pointedAt };
  drawWays(drawing, drawHeads);
  ui.own.hidden = !isTurned(ui);
  if (isTurned(ui)) drawOwn(ui, asked, drawing);
  else ui.turned.sweep();
  drawWords(ui, shown, token, lit);
}

// In projector mode the picture is drawn larger.
const zoomOf = (element) => element.currentCSSZoom ?? 1;

// Rows of the table for which the window has room. One more takes no more room than a line that counts it.
function rowsDrawn({ ways, data }, { small }) {
  const fits = Math.floor((innerHeight / zoomOf(ways) - REST_PX) / ROW_PX);
  const most = small ? SMALL_ROWS : Math.max(ROWS[0], Math.min(fits, ROWS[1]));
  return data.rows === most + 1 ? data.rows : most;
}

// nn.Linear's own weight: in the right half of the picture, or below it. `asked` is what the picture's model
// was made of.
function drawOwn(ui, asked, drawing) {
  const { own } = ui, { answer } = asked, { sizes, model: { lines } } = drawing;
  const { small, label, sub, count, cell, width } = sizes;
  const room = small ? width : width - label - sub - count * cell - BESIDE_PX;
  const around = Math.min(ROWS[1], turnedRows(sizes, room));
  const most = small ? TURNED_COLUMNS : Math.max(1, lines.length - 1); // as high as the table and the sign of its sum
  const columns = answer.columns <= most ? answer.columns : Math.max(1, most - 1);
  const shown = modelOfToken({ ...asked, around, sizes: { ...sizes, count: columns } });
  own.classList.toggle("under", small);
  own.style.gridArea = small ? `${lines.length + 8} / 1 / span 1 / -1` : `1 / ${3 + count} / span ${lines.length + 5} / -1`;
  if (shown) drawTurned({ ...drawing, on: ui.turned, model: shown }, room);
}

function drawWords(ui, shown, token, lit) {
  const { data } = ui;
  const { step, timer } = ui.player;
  write(ui.play, timer === null ? "▶ Play" : "❚❚ Pause");
  write(ui.moved, ui.page.moved);
  ui.play.disabled = ui.step.disabled = !data.tokens;
  write(ui.turn, isTurned(ui) ? "Show rows again" : `Show nn.Linear's weight: transposed (${count(data.dims)} × ${count(data.rows)})`);
  const isSum = step === null && lit.column !== undefined && Boolean(shown.right.values);
  write(ui.from, isSum ? sumOf(shown, lit.column) : pointAt("a number to see where it comes from."));
  ui.from.style.minHeight = `${1.35 * sumLines(ui, shown)}em`;
  write(ui.said, step === null ? story(data, token, lit.row, shown, isTurned(ui)) : stepSentence(data, selected(ui), step, isTurned(ui)));
  write(ui.verdict, step === null ? verdict(data, shown) : "");
  write(ui.blank, blanksOf(data));
  attribute(ui.ways, "aria-label", (isSum ? ui.from : ui.said).textContent);
  drawLegend(ui);
  drawColumns(ui);
}

// Lines that the longest sum takes: what is below stays where it is.
function sumLines({ data, width, from }, { lines }) {
  const letters = 2 * TERM + lines.length * (data.whole ? WHOLE_TERM : TERM);
  const room = innerHeight < LOW_PX ? from.clientWidth : width; // there it stands beside the verdict
  return Math.ceil((letters * LETTER_PX) / (room || width));
}

// Explains the signs that are drawn for characters without ink.
function blanksOf({ tokens, ids, names, slotOf }) {
  if (!tokens) return "";
  const drawn = [...new Set(ids)].map((id) => names[slotOf.get(id)]);
  const blanks = drawn.filter(([label, , standIn]) => standIn && [...label].length === 1);
  const explained = new Set(blanks.map(([label, name]) => `${label} is ${name}`));
  return [...explained].slice(0, BLANKS).join(", ");
}

// ---- pointer and keys ------------------------------------------------------------------------

function followPointer(ui) {
  const over = (point) => {
    const now = pointed(point);
    if (!ui.data || ui.player.step !== null || same(now, ui.over)) return;
    ui.over = now;
    drawStage(ui);
  };
  const press = (point) => {
    if (!ui.data) return;
    const { token, row, column } = pointed(point);
    if (token !== undefined) select(ui, token);
    else if (row !== undefined) keep(ui, { row: ui.kept.row === row ? undefined : row });
    else keep(ui, { column: ui.kept.column === column ? undefined : column });
  };
  pointing(ui.ways, over, press);
  pointing(ui.strip, over, press);
  ui.play.onclick = () => { ui.kept = ui.over = {}; ui.player.press(); };
  ui.step.onclick = () => { ui.kept = ui.over = {}; ui.player.one(); };
  ui.turn.onclick = () => {
    choose(ui, { view: isTurned(ui) ? "embedding" : "linear" });
    drawStage(ui);
  };
  ui.scroll.oninput = () => pan(ui, ui.scroll.valueAsNumber - ui.column);
  followWheel(ui);
}

function followKeys(ui) {
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
  ui.player.end();
  choose(ui, { token });
  drawStage(ui);
  more(ui);
}

function keep(ui, changes) {
  ui.player.end(); // a step of Play shows no sum
  ui.kept = { ...ui.kept, ...changes };
  ui.over = {};
  drawStage(ui);
}

// Another part of a table that was not sent whole.
function more(ui) {
  const { data } = ui;
  if (data.labels.length < data.rows || data.columns < data.dims || data.ids.length < data.tokens) ask(ui);
}

function pan(ui, by) {
  const { data, sizes } = ui;
  const column = Math.max(0, Math.min(ui.column + by, data.dims - sizes.count));
  choose(ui, { column });
  if (column < data.column || column + sizes.count > data.column + data.columns) more(ui);
  drawStage(ui);
}

// Arrow keys move over rows and columns; Space plays, Enter takes one step, Escape leaves.
function moveByKey(ui, event) {
  const { data, kept, model, sizes } = ui;
  const [down, right] = ARROWS[event.key] ?? [];
  const press = { " ": ui.play, Enter: ui.step }[event.key];
  if (!model || (down === undefined && !press && event.key !== "Escape")) return;
  event.preventDefault();
  if (press) press.click();
  else if (event.key === "Escape") { ui.player.stop(); ui.kept = ui.over = {}; drawStage(ui); }
  else if (down) {
    const rows = model.lines.filter((line) => !line.omitted).map((line) => line.key);
    const at = rows.indexOf(kept.row ?? model.lines.find((line) => line.picked)?.key);
    keep(ui, { row: rows[Math.max(0, Math.min(at + down, rows.length - 1))] });
  } else {
    const column = Math.max(0, Math.min((kept.column ?? ui.column - data.column - right) + right, data.columns - 1));
    const first = ui.column - data.column;
    if (column < first || column >= first + sizes.count) pan(ui, right);
    keep(ui, { column });
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
