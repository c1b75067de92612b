// The entry: Streamlit calls the default export on every data or theme change, on the same DOM.
//
// What is shown is a function of the answer, the selected token, what is pointed at or kept, and how
// far Play has come. Nothing of it asks the server, but for rows and columns that were not sent.

import { followField, fromPython, wanted } from "../../../ui/elements/ask.js";
import { attribute, grid, write } from "../../../picture/cells/paint.js";
import { themed, themedAgain } from "../../../picture/cells/colours.js";
import { fit } from "../../../picture/cells/fit.js";
import { count } from "../../../picture/cells/numbers.js";
import { pointAt } from "../../../picture/cells/pointing.js";
import { copyOf, sumOf, weightOf } from "../../../picture/cells/sums.js";
import { drawWays } from "../../../picture/cells/ways.js";
import { refusalLine } from "../../../ui/elements/refusal.js";
import { readAnswer } from "./answer.js";
import { drawHeads } from "../../../picture/cells/heads.js";
import { drawColumns, drawLegend } from "../../../picture/cells/legend.js";
import { modelOfToken, verdict } from "./model.js";
import { stepSentence, story } from "./sentences.js";
import { followKeys, followPointer } from "./hands.js";
import { endPlay, hasPlayedRows, isTurned, phaseOf, selected, STEPS, tokenPlayer } from "./steps.js";
import { drawTokens } from "./tokens.js";
import { drawTurned, turnedColumns, turnedRows } from "./turned.js";

// Rows of the table that are drawn at least and at most, and on a phone
const ROWS = [3, 11], SMALL_ROWS = 7;
// Rows of a table that is always drawn whole: three rows and two lines that count the others take hardly less room
const WHOLE = 6;
// px of a row, and of all that stands above and below the rows in a window
const ROW_PX = 28, REST_PX = 578;
// px of a window that is low for the picture
const LOW_PX = 760;
// px between the table and nn.Linear's own weight
const BESIDE_PX = 14;
// What a number that is pointed at is: one of the sums, of the copy, or of the weight
const NUMBER_KINDS = ["column", "copy", "weight"];
// px of a letter, and letters of a term, of whole numbers and others: the room that a sum needs
const LETTER_PX = 6.8, WHOLE_TERM = 9, TERM = 15;
// Letters of the longest sentence about a number of the weight
const SENTENCE = 125;
// What a reader asks who points at a number of a column
const COLUMN = "A column alone means nothing.";
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
  const ui = { root, typed: null, chosen: {}, kept: {}, over: {}, column: 0, played: null };
  for (const name of ["stage", "strip", "play", "step", "turn", "blank", "ways", "own", "moved", "from", "said", "verdict", "legend", "pan", "columns", "scroll"]) ui[name] = find(name);
  ui.more = root.querySelectorAll(".more");
  ui.grid = grid(ui.ways);
  ui.turned = grid(ui.own);
  ui.refuse = refusalLine(ui, find("refusal"));
  ui.show = (answer) => themed(ui, ui.stage, () => receiveAnswer(ui, answer));
  ui.redraw = () => themedAgain(ui, ui.stage, () => { if (ui.data) drawStage(ui); });
  ui.draw = () => drawStage(ui);
  ui.player = tokenPlayer(ui);
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
  const isSame = (picture === ui.picture || hasPlayedRows(ui, answer)) && selected(ui) === ui.token;
  Object.assign(ui, { data: readAnswer(answer), picture });
  if (!isSame) {
    ui.over = {};
    ui.kept = isOther ? {} : { column: ui.kept.column, copy: ui.kept.copy }; // a kept row may be outside now
    endPlay(ui);
  }
  drawStage(ui);
}

function drawStage(ui) {
  const { data, theme, stage } = ui;
  ui.width = stage.clientWidth;
  ui.token = selected(ui);
  if (!ui.width) return;
  const lit = { ...ui.kept, ...ui.over };
  if (ui.over.token !== undefined) delete lit.row; // another token has its own row
  if (NUMBER_KINDS.some((name) => ui.over[name] !== undefined)) for (const name of NUMBER_KINDS) lit[name] = ui.over[name];
  const token = Math.min(lit.token ?? selected(ui), Math.max(0, data.tokens - 1));
  const isSent = !data.tokens || (token >= data.first && token < data.first + data.ids.length);
  const total = Math.min(data.dims, data.columns);
  const sizes = fit({ ...data, scale: data.largest, total, labels: data.labelled, digits: String(data.rows).length }, ui.width);
  const half = isTurned(ui);
  const around = rowsDrawn(ui, sizes);
  if (isTurned(ui)) {
    const columns = Math.min(sizes.count, turnedColumns(data, around, sizes.small));
    Object.assign(sizes, { count: columns, cell: (sizes.cell * sizes.count) / columns }); // as wide as before
  }
  ui.sizes = sizes;
  ui.column = Math.max(0, Math.min(wanted(ui).column, data.dims - sizes.count));
  const asked = { answer: data, token, row: lit.row, column: ui.column, half, sizes };
  const shown = isSent && modelOfToken({ ...asked, around });
  stage.classList.toggle("waiting", !shown);
  stage.classList.toggle("low", isLow(stage));
  stage.classList.toggle("large", zoomOf(stage) > 1);
  if (data.tokens) drawTokens(ui, selected(ui), lit.token);
  ui.strip.hidden = !data.tokens;
  if (!shown) return; // its answer is on the way
  ui.model = shown;
  const phase = phaseOf(ui.player.step), pointedAt = { row: lit.row, column: lit.column, copy: lit.copy, weight: lit.weight };
  const drawing = { on: ui.grid, model: shown, sizes, theme, phase, lit: pointedAt };
  drawWays(drawing, drawHeads);
  ui.own.hidden = !isTurned(ui);
  if (isTurned(ui)) drawOwn(ui, asked, drawing);
  else ui.turned.sweep();
  drawWords(ui, shown, token, lit);
}

// In projector mode the picture is drawn larger.
const zoomOf = (element) => element.currentCSSZoom ?? 1;
const isLow = (element) => innerHeight / zoomOf(element) < LOW_PX;

// Rows of the table for which the window has room. One more takes no more room than a line that counts it.
function rowsDrawn({ ways, data }, { small }) {
  const fits = Math.floor((innerHeight / zoomOf(ways) - REST_PX) / ROW_PX);
  const most = small ? SMALL_ROWS : Math.max(ROWS[0], Math.min(fits, ROWS[1]));
  return data.rows <= Math.max(most + 1, WHOLE) ? data.rows : most;
}

// nn.Linear's own weight: in the right half of the picture, or below it. `asked` is what the picture's model
// was made of.
function drawOwn(ui, asked, drawing) {
  const { own } = ui, { sizes, model: { lines } } = drawing;
  const { small, label, sub, count, cell, width } = sizes;
  const room = small ? width : width - label - sub - count * cell - BESIDE_PX;
  const around = Math.min(ROWS[1], turnedRows(sizes, room));
  const shown = modelOfToken({ ...asked, around });
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
  const source = step === null ? sourceOf(shown, lit, data.column) : "";
  write(ui.from, source || pointAt("a number to see where it comes from."));
  ui.from.style.minHeight = `${1.35 * sumLines(ui, shown)}em`;
  write(ui.said, step === null ? story(data, token, lit.row, shown) : stepSentence(data, token, step % STEPS, { alike: shown.alike, isTurned: isTurned(ui) }));
  write(ui.verdict, step === null ? verdict(data, shown) : "");
  write(ui.blank, blanksOf(data));
  attribute(ui.ways, "aria-label", (source ? ui.from : ui.said).textContent);
  drawLegend(ui);
  drawColumns(ui);
}

// Where the number that is pointed at comes from; "" where there is none.
function sourceOf(shown, { column, copy, weight }, first) {
  const line = weight && shown.lines.find(({ key }) => key === weight[0]);
  if (line) return `${weightOf(shown, line, [weight[1], first + weight[1]])} ${COLUMN}`;
  if (!shown.right.values) return "";
  if (copy !== undefined) return `${copyOf(shown, shown.lines.find(({ picked }) => picked), [copy, first + copy])} ${COLUMN}`;
  return column === undefined ? "" : sumOf(shown, column);
}

// Lines that the longest sum or sentence takes: what is below stays where it is.
function sumLines({ data, width, from }, { lines }) {
  const letters = Math.max(SENTENCE, 2 * TERM + lines.length * (data.whole ? WHOLE_TERM : TERM));
  const room = isLow(from) ? from.clientWidth : width; // there it stands beside the verdict
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
