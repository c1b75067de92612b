// A film: panels of rows of numbers, which change from state to state.

import { chooseAnswer, following, plainText } from "../../../ui/elements/ask.js";
import { followWidth } from "../../../ui/elements/mount.js";
import { orderOf } from "../../../picture/cells/direction.js";
import { grid, keepChildren, write } from "../../../picture/cells/paint.js";
import { tint } from "../../../picture/cells/colours.js";
import { shortened } from "../../../picture/cells/fit.js";
import { bracketed, largest, numberFormat, unpacked } from "../../../picture/cells/numbers.js";
import { arrowKeys, inside, pointing, tokenKeys } from "../../../picture/cells/pointing.js";
import { drawSteps, mountSteps, stepClock } from "../clock.js";

// px of a window: a narrower one has smaller labels, and fewer rows around that of the token
const NARROW_WINDOW = 640;
const GROWN = 4; // times the largest number at the start

export default function film(given) { return following(given, mountFilm); }

function mountFilm(ui) {
  ui.lit = [0, 0];
  ui.receive = (answer) => receiveFilm(ui, answer);
  ui.draw = () => drawFilm(ui);
  const last = () => lastState(ui);
  ui.player = stepClock(last, () => ui.data.pause * last(), ui.draw);
  mountSteps(ui, ui.player, last);
  ui.strip.onclick = ({ target }) => { if (target.dataset.token) chooseToken(ui, Number(target.dataset.token)); };
  tokenKeys(ui.strip, () => ui.data.tokens.length, () => selectedIn(ui), (token) => chooseToken(ui, token));
  const light = (lit) => { ui.lit = lit; drawFilm(ui); };
  const point = (at) => { if (at) light(at.split(" ").slice(0, 2).map(Number)); };
  pointing(ui.panels, point, (at) => { point(at); if (at.endsWith(" target")) pressTarget(ui); });
  arrowKeys(ui.panels, (down, right) => {
    const groups = [...new Set(rowsIn(ui.data).map((row) => row.group))], [group, column] = ui.lit;
    light([groups[inside(groups.indexOf(group) + down, groups.length)], inside(column + right, ui.data.columns)]);
    write(ui.heard, [...ui.panels.querySelectorAll(".sum")].map((sum) => sum.textContent).join(" "));
  }, { Enter: () => { if (ui.lit[0] === rowsIn(ui.data)[0].group) pressTarget(ui); } });
  followWidth(ui, ui.panels);
}

const lastState = (ui) => ui.data.said.length - 1;
// The rows of the first panel; the other panels have rows of the same groups.
const rowsIn = ({ panels: [[, , rows]] }) => rows;

function receiveFilm(ui, data) {
  const rows = data.panels.flatMap(([, , rows]) => rows);
  for (const row of rows) row.values = unpacked(row.values);
  // Where a training diverges its last numbers would leave all others without a tint: they have the strongest one.
  data.scale = largest(rows.map((row) => row.values));
  data.strongest = Math.min(data.scale, GROWN * largest(rows.map((row) => row.values.subarray(0, data.columns))));
  Object.assign(ui, { data, lit: [rowsIn(data)[0].group, Math.min(ui.lit[1], data.columns - 1)] });
  ui.player.end();
  ui.player.step = 0;
}

// The token that is trained: as chosen here, else as the answer says.
const selectedIn = ({ chosen, data }) => chosen.token ?? data.selected;

// The key goes on at once with the next token, before the answer comes.
function chooseToken(ui, token) {
  chooseAnswer(ui, { token });
  drawFilmTokens(ui);
}

// A number of the target that is pressed becomes the next one of these, and the training begins anew.
const PRESSED = [-2, 0, 2];

function pressTarget(ui) {
  const { target } = ui.data, column = ui.lit[1];
  if (!target.length) return;
  const next = PRESSED.find((number) => number > Number(target[column])) ?? PRESSED[0];
  ui.data.target = target.with(column, String(next)); // the next press may come before the answer
  chooseAnswer(ui, { target: ui.data.target.join(" ") });
}

function drawFilmTokens(ui) {
  const { strip, data: { tokens } } = ui, selected = selectedIn(ui);
  keepChildren(strip, tokens.length, () => Object.assign(document.createElement("div"), { role: "option" }));
  write(ui.order, tokens.length ? orderOf(plainText(ui)) : "");
  tokens.forEach((label, token) => {
    const chip = strip.children[token];
    write(chip, label);
    Object.assign(chip, { tabIndex: token === selected ? 0 : -1, ariaSelected: String(token === selected) });
    chip.dataset.token = token;
  });
}

function drawFilm(ui) {
  const { data, player } = ui;
  ui.width = ui.panels.clientWidth;
  if (!ui.width || !ui.theme) return;
  drawFilmTokens(ui);
  keepChildren(ui.panels, data.panels.length, () => {
    const section = document.createElement("section");
    section.innerHTML = `<h2></h2><div class="ways" translate="no"></div><p class="sum" translate="no"></p>`;
    section.on = grid(section.children[1]);
    return section;
  });
  data.panels.forEach((panel, k) => drawPanel(ui, ui.panels.children[k], panel));
  drawSteps(ui, player, lastState(ui));
  write(ui.task, data.task);
  write(ui.verdict, data.said[player.step]);
  write(ui.longest, data.said.reduce((longest, sentence) => (sentence.length > longest.length ? sentence : longest)));
  ui.bar.style.display = lastState(ui) ? "" : "none"; // one state alone has no steps
}

function drawPanel(ui, section, [title, hue, rows, turned]) {
  const { data, player: { step }, lit: [group, column] } = ui, { on } = section, count = data.columns;
  section.className = `panel ${hue}`;
  write(section.firstChild, title);
  const numbers = rows.map((row) => row.values.subarray(step * count, (step + 1) * count));
  // In a narrow window, both routes fit on one screen: only the nearest of the rows around are drawn.
  const isNarrow = innerWidth <= NARROW_WINDOW, looked = rows.findIndex((row) => row.kind === "looked");
  const drawn = rows.map((row, k) => ({ ...row, k, now: numbers[k], isSmall: row.notes.length > 0 }))
    .filter((row) => row.kind !== "small" || looked < 0 || !isNarrow || Math.abs(row.k - looked) < 2);
  const above = data.panels.length > 2, width = section.clientWidth;
  const sizes = (turned ? sizesOfColumns : sizesOfRows)({ data, drawn, above, width, isNarrow });
  on.root.classList.toggle("turned", turned);
  const [size, format] = typeFor(sizes.room, data.scale);
  Object.assign(on.root.style, { fontSize: `${size}px`, gridTemplateColumns: sizes.columns, gridTemplateRows: sizes.rows });
  drawRows(ui, on, drawn, { turned, above, format, letters: sizes.letters });
  on.sweep();
  section.lastChild.classList.toggle("cut", data.cut !== "");
  const sentence = rows.find((row) => row.group === group)?.said ?? "";
  write(section.lastChild, sentence.replace(/\{(\w+)\}/g, (_, name) => (name === "c" ? column : inSentence(numbers[name][column]))) + data.cut);
}

// px of the type, whose characters are 0.6 as wide, and what writes numbers in cells of this width
function typeFor(room, scale) {
  const size = Math.max(9, Math.min(room / 3, 11)), most = scale < 10 ? 5 : 7; // with two decimals
  const characters = Math.min(most, Math.floor(room / 0.6 / size + 0.05));
  const format = (scale, whole) => numberFormat({ whole, scale, characters, signsZero: false });
  const written = format(scale, false);
  if (written || scale < 10) return [size, written];
  const [short, whole] = [format(9, false), format(scale, true)]; // large numbers whole, where no decimal has room
  return [size, short && whole && ((value) => (Math.abs(value) < 9.95 ? short : whole)(value))];
}

const BORDER = 2.1; // px of a cell: five characters, such as -0.12, fit beside it in most

// Rows below each other, their labels beside or above them, and the notes of small ones after them. `room` has the px
// of a number.
function sizesOfRows({ data: { columns, noted }, drawn, above, width, isNarrow }) {
  // px of a letter of a label, of one of small rows, of a note; and beside them
  const [letter, ofSmall, ofNote, space] = isNarrow ? [5.3, 6.6, 6, 2] : [6.6, 7, 7, 12];
  const longest = (widths) => Math.max(0, ...widths) + space;
  const label = above ? 0 : longest(drawn.map((row) => row.label.length * (row.isSmall ? ofSmall : letter))) + space / 2;
  const note = above || !noted ? 0 : longest(drawn.flatMap((row) => row.notes.map((text) => text.length * ofNote)));
  return { columns: `${label}px repeat(${columns}, 1fr) ${note}px`, rows: "", room: (width - label - note) / columns - BORDER };
}

// px of the drawing of columns, without its labels, and of a cell in it
const TURNED = 216, TURNED_NARROW = 150, CELL = [13, 28];

// Rows as columns beside each other, with their labels above and the notes below. A label of small ones, which have
// half the width of the others, has room for `letters`.
function sizesOfColumns({ data: { columns, noted }, drawn, width, isNarrow }) {
  const label = noted.length * (isNarrow ? 6 : 7) + 8, parts = drawn.map((row) => (row.isSmall ? 1 : 2));
  const unit = (width - label) / parts.reduce((sum, part) => sum + part);
  const height = Math.max(CELL[0], Math.min(CELL[1], (isNarrow ? TURNED_NARROW : TURNED) / columns));
  return {
    columns: `${label}px ${parts.map((part) => `${part}fr`).join(" ")}`, rows: `auto repeat(${columns}, ${height}px) auto`,
    room: 2 * unit - BORDER, letters: Math.max(1, Math.floor(unit / 7)),
  };
}

// Draws the rows; `format` writes their numbers, if there is room.
function drawRows(ui, on, drawn, { turned, above, format, letters }) {
  const { data, player: { step } } = ui, count = data.columns;
  const at = (line, column, columns = 1) => (turned ? [column, line, columns, 1] : [line, column, 1, columns]);
  const noteAt = above ? "above" : turned ? "under" : "beside";
  let line = turned ? 1 : 0; // of the grid
  const drawNoted = (place) => on.put("noted", "note of", place, data.noted);
  if (turned) {
    drawNoted([count + 2, 1]);
    for (let c = 0; c < count; c += 1) on.put(`place ${c}`, "title place", [c + 2, 1], String(c));
  }
  const firstSmall = drawn.find((row) => row.isSmall);
  for (const row of drawn) {
    line += 1;
    if (row === firstSmall && data.noted && !turned) {
      drawNoted([line, 2, 1, count + 1]);
      line += 1;
    }
    const title = !turned ? row.label : row.isSmall ? headOf(row.label, letters) : row.label.replace(" ", "\n");
    on.put(`title ${row.k}`, `title ${row.kind}${above ? " above" : turned ? " top" : ""}`, at(line, 1, above ? count + 1 : 1), title);
    if (row.isSmall) {
      const kind = `note ${noteAt}${row.kind === "looked" ? " moved" : ""}`;
      on.put(`note ${row.k}`, kind, above ? [line, 1, 1, count + 1] : at(line, count + 2), row.notes[step]);
    }
    if (above) line += 1;
    if (row.kind === "looked") on.put("frame", "frame", at(line, 2, count));
    drawNumbers(ui, on, row, { format, placeOf: (c) => at(line, c + 2) });
  }
}

// The numbers of a row, each at its place of the grid.
function drawNumbers(ui, on, row, { format, placeOf }) {
  const { data, theme, lit: [group, column] } = ui, isTarget = row.kind === "target";
  const isPressed = isTarget && data.target.length > 0;
  const kind = isTarget && !isPressed ? "" : row.kind;
  row.now.forEach((value, c) => {
    const isBlank = Number.isNaN(value);
    const text = !isBlank && format && (!row.kind || isTarget) ? format(value) : "";
    const classes = `cell ${kind}${isBlank ? " blank" : ""}${row.group === group && c === column ? " lit" : ""}`;
    const paint = isBlank ? "" : tint(theme, value, data.strongest);
    on.put(`${row.k} ${c}`, classes, placeOf(c), text, { point: `${row.group} ${c}${isPressed ? " target" : ""}`, paint });
  });
}

// A label such as 'a' 10 on two lines, each of so many letters.
function headOf(label, letters) {
  const place = label.lastIndexOf(" "), name = label.slice(0, Math.max(0, place));
  const fitting = name.length > letters ? shortened(name.slice(1, -1), letters) : name;
  return `${fitting}\n${label.slice(place + 1)}`;
}

// A zero has no sign: one-hot × Linear gives the rows that it leaves out a gradient of -0.
const inSentence = (value) => (Number.isNaN(value) ? "…" : bracketed(value || 0));
