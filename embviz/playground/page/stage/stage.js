// The entry: Streamlit calls the default export on every data or theme change, on the same DOM.
//
// What is shown is a function of the answer, the selected token, what is pointed at or kept, and how
// far Play has come. Nothing of it asks the server, but for rows and columns that were not sent.

import { following, wanted } from "../../../ui/elements/ask.js";
import { followWidth } from "../../../ui/elements/mount.js";
import { isolate, isolated } from "../../../picture/cells/direction.js";
import { attribute, grid, write } from "../../../picture/cells/paint.js";
import { fit } from "../../../picture/cells/fit.js";
import { count } from "../../../picture/cells/numbers.js";
import { named, pointAt } from "../../../picture/cells/pointing.js";
import { sourceOf } from "../../../picture/cells/sums.js";
import { drawWays } from "../../../picture/cells/ways.js";
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
// px of a letter, and letters of a term, of whole numbers and others: the room that a sum needs
const LETTER_PX = 6.8, WHOLE_TERM = 9, TERM = 15;
// Letters of the longest sentence about a number of the weight
const SENTENCE = 125;
// What a reader asks who points at a number of the table or of the copy
const COLUMN = " A column alone means nothing.";
// Signs that the line of blanks explains, at most
const BLANKS = 3;

export default function stage(given) { return following(given, mountStage); }

// What is pointed at, `over`, and what a press has kept have a `token`, a `row` or a `number`: one of the sums, of the
// copy, or of the weight.
function mountStage(ui) {
  Object.assign(ui, { kept: {}, over: {}, column: 0, played: null, grid: grid(ui.ways), turned: grid(ui.own) });
  ui.receive = (answer) => receiveAnswer(ui, answer);
  ui.draw = () => drawStage(ui);
  ui.player = tokenPlayer(ui);
  followPointer(ui);
  followKeys(ui);
  followWidth(ui, ui.stage);
  ui.ends.push(() => ui.player.end());
}

function receiveAnswer(ui, answer) {
  const { kept } = ui, hasColumns = ui.data?.dims === answer.dims;
  // The answer to a choice made here has another question alone: what is pointed at stays, and Play goes on.
  const picture = JSON.stringify({ ...answer, question: null });
  const isSame = (picture === ui.picture || hasPlayedRows(ui, answer)) && selected(ui) === ui.token;
  Object.assign(ui, { data: readAnswer(answer), picture });
  if (isSame) return;
  ui.over = {};
  ui.kept = hasColumns && !kept.number?.weight ? { number: kept.number } : {}; // a kept row may be outside now
  endPlay(ui);
}

function drawStage(ui) {
  const { data, theme, stage } = ui;
  ui.width = stage.clientWidth;
  ui.token = selected(ui);
  if (!ui.width || !theme) return;
  const lit = { ...ui.kept, ...ui.over };
  if (ui.over.token !== undefined) delete lit.row; // another token has its own row
  const token = Math.min(lit.token ?? ui.token, Math.max(0, data.tokens - 1));
  const isSent = !data.tokens || (token >= data.first && token < data.first + data.ids.length);
  const total = Math.min(data.dims, data.columns);
  const sizes = fit({ ...data, scale: data.largest, total, labels: data.labelled, digits: String(data.rows).length }, ui.width);
  const half = isTurned(ui), around = rowsDrawn(ui, sizes);
  if (half) {
    const columns = Math.min(sizes.count, turnedColumns(data, around, sizes.small));
    Object.assign(sizes, { count: columns, cell: (sizes.cell * sizes.count) / columns }); // as wide as before
  }
  ui.sizes = sizes;
  ui.column = Math.max(0, Math.min(wanted(ui).column, data.dims - sizes.count));
  const asked = { answer: data, token, row: lit.row, column: ui.column, half, sizes };
  // At an end of the table one line less counts other rows. One row more keeps all in place.
  const shown = isSent && modelOfToken({ ...asked, around, atEnd: around + 1 });
  stage.classList.toggle("waiting", !shown);
  stage.classList.toggle("low", isLow(stage));
  stage.classList.toggle("large", zoomOf(stage) > 1);
  if (data.tokens) drawTokens(ui, lit.token);
  ui.strip.hidden = !data.tokens;
  if (!shown) return; // its answer is on the way
  ui.model = shown;
  const drawing = { on: ui.grid, model: shown, sizes, theme, phase: phaseOf(ui.player.step), lit: { row: lit.row, ...lit.number } };
  drawWays(drawing, drawHeads);
  ui.own.hidden = !half;
  if (half) drawOwn(ui, asked, drawing);
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
  const { number } = step === null ? lit : {}, source = number ? sourceOf(shown, number, data.column) : "";
  const isSum = number?.column !== undefined;
  write(ui.from, source ? `${source}${isSum ? "" : COLUMN}` : pointAt("a number to see where it comes from."));
  ui.from.style.minHeight = `${1.35 * sumLines(ui, shown)}em`;
  write(ui.said, step === null ? story(data, token, lit.row, shown) : stepSentence(data, token, step % STEPS, { alike: shown.alike, isTurned: isTurned(ui) }));
  write(ui.verdict, step === null ? verdict(data, shown) : "");
  write(ui.blank, blanksOf(data));
  attribute(ui.ways, "aria-label", named(story(data, token, undefined, shown))); // a status says what a key leads to
  drawLegend(ui, { least: data.extremes[0], most: data.extremes[1], scale: data.scale, whole: data.whole, format: ui.sizes.format });
  drawColumns(ui);
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
  const explained = new Set(blanks.map(([label, name]) => `${isolate(label)} is ${isolated(name)}`));
  return [...explained].slice(0, BLANKS).join(", ");
}
