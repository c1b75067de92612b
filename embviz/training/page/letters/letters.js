// Six letters learn: the rows before and while they move, what the model guesses, and a map of the rows.

import { attribute, grid, write } from "../../../picture/cells/paint.js";
import { themed, tint } from "../../../picture/cells/colours.js";
import { counted, written } from "../../../picture/cells/numbers.js";
import { calm } from "../../../picture/cells/play.js";
import { arrowKeys, inside, pointing } from "../../../picture/cells/pointing.js";
import { leaving, stateOf } from "../../../ui/elements/mount.js";
import { drawSteps, mountSteps, stepClock } from "../clock.js";
import { percent, stateAt, toldAt, trainingOf } from "./states.js";
import { drawRowMap } from "./map.js";

// ms of the whole training, and ms in which one sees the rows before it
const WHOLE_MS = 3000, BEFORE_MS = 900;
const DECIMALS = 1; // so a number has two digits

export default function sixLetters(given) {
  const ui = stateOf(given, mountLetters);
  themed(ui, () => receiveTraining(ui, given.data.answer));
  return leaving(ui);
}

function mountLetters(ui) {
  ui.tables = { before: grid(ui.before), now: grid(ui.now), next: grid(ui.next) };
  const last = () => ui.data.steps;
  ui.clock = stepClock(last, () => WHOLE_MS, () => drawTraining(ui));
  mountSteps(ui, ui.clock, last);
  ui.at.oninput = () => ui.clock.to(Number(ui.at.value));
  const select = (letter) => { ui.selected = letter; drawTraining(ui); };
  const point = (letter) => { if (letter !== "") select(Number(letter)); };
  pointing(ui.pictures, point, point);
  arrowKeys(ui.pictures, (down) => {
    select(inside(ui.selected + down, ui.data.count));
    write(ui.heard, ui.next.getAttribute("aria-label"));
  });
}

// Another training plays once; with the same one Streamlit has another theme, or has drawn the page again.
function receiveTraining(ui, answer) {
  if (ui.answer === answer) { drawTraining(ui); return; }
  ui.answer = answer;
  ui.data = trainingOf(answer);
  ui.selected = ui.data.selected;
  ui.start = stateAt(ui.data, 0);
  ui.at.max = ui.data.steps;
  write(ui.longest, ui.data.sentence);
  write(ui.spread, `shows ${percent(ui.data.spread)} of the spread`);
  ui.clock.to(calm() ? ui.data.steps : 0);
  if (!calm()) ui.clock.start(BEFORE_MS);
}

function drawTraining(ui) {
  const { data, clock: { step, runs } } = ui;
  ui.state = stateAt(data, step);
  drawSteps(ui, ui.clock, data.steps);
  ui.at.value = step;
  write(ui.verdict, runs ? data.begun : toldAt(data, step)); // no reader says a sentence for each picture
  drawBefore(ui);
  drawNow(ui);
  drawNext(ui);
  drawRowMap(ui);
}

const HEAD = 2; // lines of a table above its rows

// A table's head and note, its letters and rows, frames of its two nearest rows, over so many columns, and a line that
// joins them. Its columns are: the line, the letters, the numbers, and more.
function drawLetterRows(on, ui, state, [head, note, columns]) {
  const { data, theme, selected } = ui;
  on.put("head", "head", [1, 3, 1, data.columns], head);
  on.put("state", "note", [2, 3, 1, data.columns], note);
  state.row.forEach((row, letter) => {
    const line = letter + HEAD + 1, point = String(letter);
    on.put(`label ${letter}`, `label${letter === selected ? " picked" : ""}`, [line, 2], data.letters[letter], { point });
    row.forEach((value, c) => on.put(`cell ${letter} ${c}`, "cell", [line, 3 + c], written(value, DECIMALS, false), { point, paint: tint(theme, value, data.scale) }));
  });
  for (const [k, letter] of state.pair.entries()) on.put(`frame ${k}`, "frame", [letter + HEAD + 1, 2, 1, columns]);
  const [first, second] = state.pair;
  on.put("joint", "joint", [first + HEAD + 1, 1, second - first + 1]);
}

function drawBefore(ui) {
  const { tables: { before }, data: { columns }, start } = ui;
  drawLetterRows(before, ui, start, ["Before", "random", 1 + columns]);
  before.sweep();
}

// The model: the rows as they are now, the layer that reads them, and the shares of each next letter.
function drawNow(ui) {
  const { tables: { now }, data, state, selected, clock: { step } } = ui, { columns, count } = data;
  const linear = 4 + columns, shares = linear + 2;
  drawLetterRows(now, ui, state, [`nn.Embedding(${count}, ${columns})`, `after ${counted(step, "step")}`, shares + count - 2]);
  now.put("linear", "linear", [HEAD + 1, linear, count], `nn.Linear\n(${columns}, ${count})`);
  now.put("shares", "head guess", [1, linear, 1, count + 2], "chance of each next letter");
  for (const [next, letter] of [...data.letters].entries()) now.put(`next ${next}`, "next-letter", [HEAD, shares + next], letter);
  state.expects.forEach((expects, letter) => {
    const line = letter + HEAD + 1, arrow = letter === selected ? "arrow picked" : "arrow";
    now.put(`read ${letter}`, arrow, [line, linear - 1], "→");
    now.put(`scored ${letter}`, arrow, [line, linear + 1], "→");
    expects.forEach((share, next) => {
      const inWords = data.words[letter][next], paint = heights(data, share, inWords);
      now.put(`share ${letter} ${next}`, inWords ? "share" : "share never", [line, shares + next], "", { point: String(letter), paint });
    });
  });
  now.sweep();
}

// The heights of a bar and of a line: what the model expects, and what the words have.
function heights({ most }, expected, inWords) {
  const height = (share) => `${((100 * share) / most).toFixed(1)}%`;
  return `--expected: ${height(expected)}; --words: ${height(inWords)}`;
}

// What follows the selected letter: in the words, and as the model expects it.
function drawNext(ui) {
  const { tables: { next: on }, data: { letters, words }, state, selected } = ui;
  const lines = [["words", "━ in the words", words[selected]], ["model", "■ model expects", state.expects[selected]]];
  on.put("title", "title", [1, 1], `after ${letters[selected]}`);
  for (const [k, letter] of [...letters].entries()) on.put(`letter ${k}`, "next-letter", [1, 2 + k], letter);
  lines.forEach(([name, label, shares], line) => {
    on.put(name, `kind ${name}`, [line + 2, 1], label);
    for (const [k, share] of shares.entries()) on.put(`${name} ${k}`, `level ${name}`, [line + 2, 2 + k], percent(share), { paint: `--share: ${(100 * share).toFixed(1)}%` });
  });
  on.sweep();
  const [inWords, expected] = lines.map(([, , shares]) => [...letters].map((letter, k) => `${letter} ${percent(shares[k])}`).join(", "));
  attribute(on.root, "aria-label", `After ${letters[selected]}: in the words ${inWords}; the model expects ${expected}`);
}
