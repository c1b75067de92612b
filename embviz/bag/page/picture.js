// The bag of words: counts to change, and one weight with two layers over it. On the left the sum of the
// rows that nn.Embedding looks up, on the right the products of nn.Linear and its output.

import { attribute, grid, write } from "../../picture/cells/paint.js";
import { themed } from "../../picture/cells/colours.js";
import { isolate } from "../../picture/cells/direction.js";
import { fit, placesOf, shortened } from "../../picture/cells/fit.js";
import { count, counted, largest, written } from "../../picture/cells/numbers.js";
import { player } from "../../picture/cells/play.js";
import { across, arrowKeys, inside, named, pointAt, pointed, pointing } from "../../picture/cells/pointing.js";
import { sourceOf } from "../../picture/cells/sums.js";
import { drawWays, omittedWords } from "../../picture/cells/ways.js";
import { drawHeads, layersOver } from "../../picture/cells/heads.js";
import { drawLegend } from "../../picture/cells/legend.js";
import { followWidth, leaving, stateOf } from "../../ui/elements/mount.js";
import { drawCounts } from "./counts.js";

// Letters of a word, at most
const LETTERS = 12;
// Letters of a label and of a count that have room in every document, so that nothing moves
const LABEL = 8, FACTOR = 2;
// ms of a step of Play
const STEP_MS = 500;
// px of a letter, letters of a term beside its count, and px of a line: the room that a sum needs
const LETTER_WIDTH = 7, TERM_LETTERS = 14, LINE_PX = 20;

export default function bag(given) {
  const ui = stateOf(given, mountBag), { data, setTriggerValue: tell } = given;
  ui.data = modelOfBag(data);
  ui.lit = {};
  ui.player.end();
  drawDocuments(ui.documents, data, (row) => tell("row", row));
  const press = (name, value) => { ui.last = name; tell(name, value); };
  drawCounts(ui.counts, data, (edit) => press("bag_edit", edit));
  ui.note.hidden = data.note === null;
  write(ui.note, data.note ?? "");
  write(ui.forget, data.forget ? `Use the ${data.noun}s` : `Forget the ${data.noun}s`);
  ui.forget.onclick = () => press("forget", !data.forget);
  // Undo of what was pressed last: the counts were forgotten, or some of them changed.
  const takesBack = data.forget && (ui.last !== "bag_edit" || !data.edit.length);
  ui.undo.disabled = !data.forget && !data.edit.length;
  attribute(ui.undo, "title", takesBack ? `With the ${data.noun}s again` : `The row's own ${data.noun}s`);
  ui.undo.onclick = () => press(...(takesBack ? ["forget", false] : ["bag_edit", ""]));
  themed(ui, ui.draw);
  if (ui.last) write(ui.heard, sumsHeard(ui.data, ui.columns)); // a press here changed them
  return leaving(ui);
}

// The model that `drawWays` and `drawHeads` draw.
function modelOfBag(data) {
  const { named, shape, sums, codes, forget, noun } = data;
  const drawn = [...data.lines.flatMap(({ numbers }) => numbers), ...sums];
  const lines = data.lines.map((line) => lineOfBag(line, data));
  const longest = Math.max(FACTOR, ...lines.map(({ factor }) => String(factor).length));
  return {
    lines, forget, noun, shape, scale: data.scale, origin: data.origin, verdict: data.verdict,
    names: layersOver(...shape),
    inputs: {
      left: forget ? ["input:\nindices", "ids that occur"] : ["input:\nindices, data", `ids that occur,\ntheir ${noun}s`],
      right: ["input:\nx", `${noun}s,\n0 too`],
      sum: ["products", `each row × its ${noun}`],
    },
    sums,
    left: { sum: codes[0], name: forget ? `without\n${noun}s` : "weighted\nsum", adds: "added", values: sums[0], code: breakable(codes[0]), differs: data.wrong },
    right: { values: sums[1], code: breakable(codes[1]) },
    sign: data.alike ? "=" : "≠", alike: data.alike, said: data.said,
    written: largest(drawn), whole: drawn.flat().every(Number.isInteger), total: sums[0].length,
    labels: Math.max(LABEL, ...lines.map(({ label }) => placesOf(label))),
    // The place of an arrow, which is not drawn here, is that of two digits.
    digits: (named ? String(shape[0]).length : 0) + longest, factors: longest,
    arrow: false, columns: { first: 0 }, name: (column) => `output[${column}]`,
  };
}

// A row of the weight. `times` is what the left sum takes it times, as long as no count is forgotten.
function lineOfBag(line, { noun }) {
  const [values, products, added] = line.numbers;
  const isZero = line.factor === "0";
  return {
    ...line, values, products, added, label: shortened(line.title ?? "", LETTERS),
    factor: isZero ? 0 : line.factor, each: line.omitted && !isZero ? `its ${noun}` : undefined, times: line.looked_up ? `${line.factor}×` : "",
  };
}

// Both sums, for readers who do not see them change.
function sumsHeard({ sums, alike, whole }, columns) {
  const [left, right] = sums.map((sum) => [...sum].slice(0, columns).map((value) => written(value, whole ? 0 : 3)).join(", "));
  return alike ? `Both sums: ${left}` : `nn.Embedding: ${left}; nn.Linear: ${right}`;
}

// Code that may break after a bracket before a long name, and before a dot: not inside a word.
const breakable = (code) => code.replace(/[(](?=\w{4})|(?=[.])/g, "$&\u200b");

// The documents, or rows, one of them chosen. The focus stays with its document: others come and go beside it.
function drawDocuments(box, { documents, row }, press) {
  const focused = box.querySelector(":focus")?.dataset.key;
  box.replaceChildren(...documents.map(([key, words]) => {
    const button = Object.assign(document.createElement("button"), { ariaPressed: key === row, textContent: words, title: words, dir: "auto", onclick: () => press(key) });
    button.dataset.key = key;
    return button;
  }));
  box.querySelector(`[data-key="${focused}"]`)?.focus();
}

function mountBag(ui) {
  ui.grid = grid(ui.ways);
  ui.draw = () => drawBag(ui);
  ui.player = player(() => ui.data.lines.length + 1, () => STEP_MS, ui.draw);
  const light = (lit) => { if (ui.player.step === null) { ui.lit = lit; drawBag(ui); } };
  const keep = (lit) => { ui.player.end(); light(lit); };
  pointing(ui.ways, (at) => light(pointed(at)), (at) => keep(pointed(at)));
  ui.play.onclick = () => { ui.lit = {}; ui.player.press(); };
  arrowKeys(ui.ways, (down, right) => {
    const rows = ui.data.lines.filter(({ omitted }) => !omitted).length;
    keep(down ? { row: inside((ui.lit.row ?? -1) + down, rows) } : across(ui.lit, right, [0, ui.columns - 1], ui.columns));
  }, { Escape: () => { ui.lit = {}; ui.player.stop(); } });
  followWidth(ui, ui.bag);
  ui.ends.push(() => ui.player.end());
}

function drawBag(ui) {
  const { data, lit, theme, player: { step, timer } } = ui, width = ui.bag.clientWidth;
  ui.width = width;
  if (!width || !theme) return;
  const sizes = fit({ ...data, scale: data.written }, width);
  ui.columns = sizes.count;
  const [rows, outputs] = data.shape;
  const part = sizes.count < outputs ? `; ${counted(sizes.count, "column")} drawn` : "";
  const note = `${count(rows)} × ${count(outputs)}, ${data.origin}${part}`;
  const done = step === null ? Infinity : step + 1;
  const lines = data.lines.map((line, key) => ({ ...line, key, picked: line.looked_up && key < done }));
  const shown = { ...data, lines, note };
  const phase = { copied: true, at: step, done, end: done > lines.length };
  drawWays({ on: ui.grid, model: shown, sizes, theme, phase, lit }, drawTop);
  const most = Math.max(data.scale, data.written); // of a sum, or of the weight
  drawLegend(ui, { least: -most, most, scale: data.scale, whole: data.whole, format: (value) => written(value, data.whole ? 0 : 3) });
  drawSaid(ui, shown, width);
  write(ui.play, timer === null ? "▶ Play" : "❚❚ Pause");
  attribute(ui.ways, "aria-label", named(data.verdict)); // a status says what a key leads to
}

// Both layers over the weight, and beside each row that is looked up what the sum takes it times.
function drawTop(drawing) {
  const { on, model } = drawing, top = drawHeads(drawing);
  model.lines.forEach((line, k) => {
    if (!line.picked) return;
    const isForgotten = model.forget && line.factor !== "1";
    on.put(`data ${k}`, `data${isForgotten ? " forgotten" : ""}`, [top + k + 1, 2], model.forget ? "1×" : line.times);
  });
  return top;
}

// Writes out the number that is pointed at. Its place is as large as the longest sum needs.
function drawSaid(ui, shown, width) {
  const { lit, said, player: { step } } = ui;
  const line = shown.lines[step ?? lit.row];
  const words = line ? lineSentence(line, shown) : sourceOf(shown, lit);
  write(said, words || pointAt("a number to see where it comes from."));
  write(ui.verdict, line && step !== null ? "" : shown.verdict);
  const letters = (shown.lines.length + 2) * (TERM_LETTERS + shown.factors);
  said.style.minHeight = `${LINE_PX * Math.ceil((letters * LETTER_WIDTH) / width)}px`;
}

function lineSentence(line, { forget, noun }) {
  if (line.omitted) return `${omittedWords(line)}, each × ${line.each ?? line.factor}.`;
  const word = isolate(line.title);
  if (!line.looked_up) return `${word}: nn.Embedding does not look it up, nn.Linear takes it × 0.`;
  if (!forget) return `${word}: the row × its ${noun}, ${line.factor}, on both sides.`;
  return `${word}: the row once on the left, × ${line.factor} on the right.`;
}
