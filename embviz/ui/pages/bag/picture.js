// The bag of words: a row of counts to press, and a weight with two sums out of it: on the left its
// rows add up without their counts, on the right with them.

import { attribute, board, write } from "../../parts/cells/board.js";
import { themed } from "../../parts/cells/colours.js";
import { fit } from "../../parts/cells/fit.js";
import { placesOf, shortened } from "../../parts/cells/labels.js";
import { largest, precise } from "../../parts/cells/numbers.js";
import { player } from "../../parts/cells/play.js";
import { ARROWS, pointed, pointing } from "../../parts/cells/pointing.js";
import { sumOf } from "../../parts/cells/sums.js";
import { drawWays, omittedWords } from "../../parts/cells/ways.js";

// Letters of a word, at most
const LETTERS = 12;
// px of a line
const LINE = 28;
// ms of a step of Play
const STEP_MS = 500;

// Streamlit calls it on every data or theme change, on the same DOM.
export default function bag({ data, parentElement, setTriggerValue }) {
  const ui = (parentElement.embviz ??= mountBag(parentElement.querySelector(".bag")));
  themed(ui, ui.root, () => {
    ui.data = modelOfBag(data);
    ui.lit = {};
    const documents = data.documents.map(([row, words]) => [row, words, "", row === data.row]);
    drawButtons(ui.documents, documents, (row) => setTriggerValue("row", row));
    drawCounts(ui, data, new Map(data.edit), setTriggerValue);
    ui.player.stop();
  });
  return () => setTimeout(() => { if (!parentElement.isConnected) unmountBag(ui); });
}

function unmountBag(ui) {
  ui.player.end();
  cancelAnimationFrame(ui.retry);
  ui.resized.disconnect();
}

// What `drawWays` draws.
function modelOfBag({ lines, most, named, shape, sums, codes, wrong, verdict }) {
  const drawn = [...lines.flatMap(({ numbers }) => numbers), ...sums];
  const equal = wrong.filter((one) => !one).length, alike = equal === wrong.length;
  const longest = (which) => Math.max(1, ...lines.map(({ [which]: words = "" }) => words.length));
  return {
    lines: lines.map((line) => ({ ...line, label: shortened(line.title ?? "", LETTERS), values: line.numbers[0], products: line.numbers[1] })),
    heads: [["lookup", named ? "word, id" : "column", "blue"], ["weight", "", ""], ["count", "", "orange"], ["matmul", "each row × its count, then add", "orange"]],
    left: { name: "without\ncounts", adds: true, values: sums[0], code: breakable(codes[0]), differs: wrong },
    right: { values: sums[1], code: breakable(codes[1]) },
    sign: alike ? "=" : "≠", alike, said: `${equal} of ${wrong.length}\nequal`, verdict,
    most, shape, scale: largest(drawn), whole: drawn.flat().every(Number.isInteger), total: sums[0].length,
    labels: Math.max(8, ...lines.map(({ title = "" }) => placesOf(shortened(title, LETTERS)))), digits: named ? String(shape[0]).length : 0, factors: longest("factor"),
    arrow: true, columns: { first: 0 }, name: (column) => `output[${column}]`,
  };
}

// Code that may break after a bracket before a long name, and before a dot: not inside a word.
const breakable = (code) => code.replace(/[(](?=\w{4})|(?=[.])/g, "$&\u200b");

// A press makes a count one more, and 0 after 3. All that were pressed are sent: none gets lost.
function drawCounts(ui, data, edit, tell) {
  const shown = data.counts.map(([column, count, word]) => [column, edit.get(column) ?? count, word, edit.has(column)]);
  drawButtons(ui.counts, shown, (column, count) => {
    edit.set(column, count >= 3 ? 0 : Math.max(0, Math.trunc(count)) + 1);
    drawCounts(ui, data, edit, tell);
    tell("bag_edit", [...edit].map((pair) => pair.join(":")).join(" "));
  });
  write(ui.note, data.note);
}

// A row of buttons: key, words, a note below them, whether it is chosen. The focus stays on its key.
function drawButtons(box, all, press) {
  const focused = box.querySelector(":focus")?.dataset.key;
  box.replaceChildren(...all.map(([key, words, note, chosen]) => {
    const button = Object.assign(document.createElement("button"), { ariaPressed: chosen, onclick: () => press(key, Number(words)) });
    button.dataset.key = key;
    button.append(words, Object.assign(document.createElement("small"), { textContent: note }));
    return button;
  }));
  box.querySelector(`[data-key="${focused}"]`)?.focus();
}

function mountBag(root) {
  const [play, documents, row, ways, verdict, said] = root.children;
  const [counts, note] = row.children;
  const ui = { root, play, documents, counts, note, ways, said, verdict, board: board(ways) };
  ui.player = player(() => ui.data.lines.length + 1, () => STEP_MS, () => drawBag(ui));
  const light = (lit) => { if (ui.player.step === null) { ui.lit = lit; drawBag(ui); } };
  const point = (at) => light(pointed(at));
  pointing(ways, point, point);
  play.onclick = () => { ui.lit = {}; ui.player.press(); };
  ways.onkeydown = (event) => {
    const [down, right] = ARROWS[event.key] ?? [];
    if (event.key === "Escape") { ui.lit = {}; ui.player.stop(); }
    if (down === undefined) return;
    event.preventDefault();
    const [name, count] = down ? ["row", ui.data.lines.filter(({ omitted }) => !omitted).length] : ["column", ui.count];
    light({ [name]: Math.max(0, Math.min((ui.lit[name] ?? -1) + down + right, count - 1)) });
  };
  ui.resized = new ResizeObserver(() => { if (ui.data) drawBag(ui); });
  ui.resized.observe(root);
  return ui;
}

function drawBag(ui) {
  const { data, lit, player: { step, timer } } = ui;
  if (!ui.root.clientWidth) return;
  const sizes = fit(data, ui.root.clientWidth);
  ui.count = sizes.count;
  data.heads[1][1] = data.shape.join(" × ") + (sizes.count < data.shape[1] ? `, ${sizes.count} drawn` : "");
  const done = step === null ? Infinity : step + 1;
  const lines = data.lines.map((line, key) => ({ ...line, key, picked: key < done }));
  const shown = { ...data, lines };
  drawWays(ui.board, shown, sizes, ui.theme, { id: true, row: true, copied: true, at: step, done, end: done > lines.length }, lit);
  // Another row, or a count of 0, has fewer lines: their place is kept, and nothing below moves.
  ui.ways.style.paddingBottom = `${LINE * (data.most - lines.length)}px`;
  const line = lines[step ?? lit.row], column = lit.column ?? 0;
  write(ui.play, timer === null ? "▶ Play" : "❚❚ Pause");
  write(ui.said, line ? lineSentence(line) : `${sumOf(shown, column)}; without counts: ${precise(data.left.values[column])}`);
  write(ui.verdict, step === null ? data.verdict : "");
  attribute(ui.ways, "aria-label", ui.said.textContent);
}

function lineSentence(line) {
  const what = line.omitted ? omittedWords(line) : line.title;
  return `${what}: 1 × on the left, ${line.factor} × on the right.`;
}
