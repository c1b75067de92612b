// The bag of words: counts to change, and one weight with two layers over it. On the left the sum of the
// rows that nn.Embedding looks up, on the right the products of nn.Linear and its output.

import { attribute, grid, write } from "../../picture/cells/paint.js";
import { themed } from "../../picture/cells/colours.js";
import { fit, placesOf, shortened } from "../../picture/cells/fit.js";
import { count, counted, largest, written } from "../../picture/cells/numbers.js";
import { player } from "../../picture/cells/play.js";
import { across, ARROWS, pointAt, pointed, pointing } from "../../picture/cells/pointing.js";
import { addedOf, sumOf, weightOf } from "../../picture/cells/sums.js";
import { drawWays, omittedWords } from "../../picture/cells/ways.js";
import { drawHeads } from "../../picture/cells/heads.js";
import { drawShades } from "../../picture/cells/legend.js";
import { drawCounts } from "./counts.js";

// Letters of a word, at most
const LETTERS = 12;
// Letters of a label and of a count that have room in every document, so that nothing moves
const LABEL = 8, FACTOR = 2;
// ms of a step of Play
const STEP_MS = 500;
// px of a letter, letters of a term beside its count, and px of a line: the room that a sum needs
const LETTER_WIDTH = 7, TERM_LETTERS = 14, LINE_PX = 20;

// Streamlit calls it on every data or theme change, on the same DOM.
export default function bag({ data, parentElement, setTriggerValue }) {
  const ui = (parentElement.embviz ??= mountBag(parentElement.querySelector(".bag")));
  themed(ui, ui.root, () => {
    ui.data = modelOfBag(data);
    ui.lit = {};
    drawDocuments(ui.documents, data, (row) => setTriggerValue("row", row));
    drawCounts(ui.counts, data, (edit) => { ui.last = "bag_edit"; setTriggerValue("bag_edit", edit); });
    ui.note.hidden = data.note === null;
    write(ui.note, data.note ?? "");
    drawUndo(ui, data, setTriggerValue);
    write(ui.forget, data.forget ? `Use the ${data.noun}s` : `Forget the ${data.noun}s`);
    ui.forget.onclick = () => { ui.last = "forget"; setTriggerValue("forget", !data.forget); };
    ui.player.stop();
  });
  return () => setTimeout(() => { if (!parentElement.isConnected) unmountBag(ui); });
}

// Undo of what was pressed last: the counts were forgotten, or some of them changed.
function drawUndo(ui, { edit, forget, noun }, tell) {
  const takesBack = forget && (ui.last !== "bag_edit" || !edit.length);
  ui.undo.disabled = !forget && !edit.length;
  attribute(ui.undo, "title", takesBack ? `With the ${noun}s again` : `The row's own ${noun}s`);
  ui.undo.onclick = () => { ui.last = null; tell(...(takesBack ? ["forget", false] : ["bag_edit", ""])); };
}

function unmountBag(ui) {
  ui.player.end();
  cancelAnimationFrame(ui.retry);
  ui.resized.disconnect();
}

// The model that `drawWays` and `drawHeads` draw.
function modelOfBag(data) {
  const { named, shape, sums, codes, forget, noun } = data;
  const drawn = [...data.lines.flatMap(({ numbers }) => numbers), ...sums];
  const lines = data.lines.map((line) => lineOfBag(line, data));
  const longest = Math.max(FACTOR, ...lines.map(({ factor }) => String(factor).length));
  const [rows, outputs] = shape;
  return {
    lines, forget, noun, shape, scale: data.scale, origin: data.origin, verdict: data.verdict,
    names: { embedding: `nn.Embedding(${rows}, ${outputs})`, linear: `nn.Linear(${rows}, ${outputs}, bias=False)` },
    inputs: {
      left: forget ? ["input:\nindices", "ids that occur"] : ["input:\nindices, data", `ids that occur,\ntheir ${noun}s`],
      right: ["input:\nx", `${noun}s,\n0 too`],
      sum: ["products", `each row × its ${noun}`],
    },
    left: { sum: codes[0], name: forget ? `without\n${noun}s` : "weighted\nsum", adds: "added", values: sums[0], code: breakable(codes[0]), differs: data.wrong },
    right: { values: sums[1], code: breakable(codes[1]) },
    sign: data.alike ? "=" : "≠", alike: data.alike, said: data.said,
    written: largest(drawn), whole: drawn.flat().every(Number.isInteger), total: sums[0].length,
    labels: Math.max(LABEL, ...lines.map(({ label }) => placesOf(label))),
    // The place of an arrow, which is not drawn here, is that of two digits.
    digits: (named ? String(rows).length : 0) + longest, factors: longest,
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

// Code that may break after a bracket before a long name, and before a dot: not inside a word.
const breakable = (code) => code.replace(/[(](?=\w{4})|(?=[.])/g, "$&\u200b");

// The documents, or rows, one of them chosen. The focus stays where it is.
function drawDocuments(box, { documents, row }, press) {
  const focused = box.querySelector(":focus")?.dataset.key;
  box.replaceChildren(...documents.map(([key, words]) => {
    const button = Object.assign(document.createElement("button"), { ariaPressed: key === row, textContent: words, title: words, onclick: () => press(key) });
    button.dataset.key = key;
    return button;
  }));
  box.querySelector(`[data-key="${focused}"]`)?.focus();
}

function mountBag(root) {
  const [play, forget, undo, documents, counts, note, ways, legend, verdict, said] = root.children;
  const ui = { root, play, forget, undo, documents, counts, note, ways, legend, verdict, said, grid: grid(ways) };
  ui.player = player(() => ui.data.lines.length + 1, () => STEP_MS, () => drawBag(ui));
  const light = (lit) => { if (ui.player.step === null) { ui.lit = lit; drawBag(ui); } };
  const keep = (lit) => { ui.player.end(); light(lit); };
  pointing(ways, (at) => light(pointed(at)), (at) => keep(pointed(at)));
  play.onclick = () => { ui.lit = {}; ui.player.press(); };
  ways.onkeydown = (event) => {
    const [down, right] = ARROWS[event.key] ?? [];
    if (event.key === "Escape") { ui.lit = {}; ui.player.stop(); }
    if (down === undefined) return;
    event.preventDefault();
    const rows = ui.data.lines.filter(({ omitted }) => !omitted).length;
    keep(down ? { row: Math.max(0, Math.min((ui.lit.row ?? -1) + down, rows - 1)) } : across(ui.lit, right, [0, ui.count - 1], ui.count));
  };
  ui.resized = new ResizeObserver(() => { if (ui.data) drawBag(ui); });
  ui.resized.observe(root);
  return ui;
}

function drawBag(ui) {
  const { data, lit, theme, player: { step, timer } } = ui, width = ui.root.clientWidth;
  if (!width) return;
  const sizes = fit({ ...data, scale: data.written }, width);
  ui.count = sizes.count;
  const [rows, outputs] = data.shape;
  const part = sizes.count < outputs ? `; ${counted(sizes.count, "column")} drawn` : "";
  const note = `${count(rows)} × ${count(outputs)}, ${data.origin}${part}`;
  const done = step === null ? Infinity : step + 1;
  const lines = data.lines.map((line, key) => ({ ...line, key, picked: line.looked_up && key < done }));
  const shown = { ...data, lines, note };
  const phase = { id: true, row: true, copied: true, at: step, done, end: done > lines.length };
  drawWays({ on: ui.grid, model: shown, sizes, theme, phase, lit }, drawTop);
  drawKey(ui);
  drawSaid(ui, shown, width);
  write(ui.play, timer === null ? "▶ Play" : "❚❚ Pause");
  attribute(ui.ways, "aria-label", `${ui.verdict.textContent} ${ui.said.textContent}`);
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

// The scale of colours, from the largest number with a minus to the same without: that of a sum, or of the weight.
function drawKey({ data: { scale, written: drawn, whole }, theme, legend }) {
  const [low, bar, high] = legend.children;
  const decimals = whole ? 0 : 3, end = Math.max(scale, drawn);
  write(low, written(-end, decimals));
  write(high, written(end, decimals));
  drawShades(theme, bar, [-end, end], scale);
}

// Writes out the number that is pointed at. Its place is as large as the longest sum needs.
function drawSaid(ui, shown, width) {
  const { lit, said, player: { step } } = ui;
  const line = shown.lines[step ?? lit.row];
  let words = pointAt("a number to see where it comes from.");
  if (line) words = lineSentence(line, shown);
  else if (lit.weight) words = weightOf(shown, shown.lines[lit.weight[0]], [lit.weight[1], lit.weight[1]]);
  else if (lit.column !== undefined) words = sumOf(shown, lit.column);
  else if (lit.copy !== undefined) words = addedOf(shown, lit.copy);
  write(said, words);
  write(ui.verdict, line && step !== null ? "" : shown.verdict);
  const letters = (shown.lines.length + 2) * (TERM_LETTERS + shown.factors);
  said.style.minHeight = `${LINE_PX * Math.ceil((letters * LETTER_WIDTH) / width)}px`;
}

function lineSentence(line, { forget, noun }) {
  if (line.omitted) return `${omittedWords(line)}, each × ${line.each ?? line.factor}.`;
  if (!line.looked_up) return `${line.title}: nn.Embedding does not look it up, nn.Linear takes it × 0.`;
  if (!forget) return `${line.title}: the row × its ${noun}, ${line.factor}, on both sides.`;
  return `${line.title}: the row once on the left, × ${line.factor} on the right.`;
}
