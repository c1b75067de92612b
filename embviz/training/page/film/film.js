// A film: panels of rows of numbers, which change from state to state.

import { chooseAnswer, followField, fromPython } from "../../../ui/elements/ask.js";
import { grid, keepChildren, write } from "../../../picture/cells/paint.js";
import { themed, themedAgain, tint } from "../../../picture/cells/colours.js";
import { shortened } from "../../../picture/cells/fit.js";
import { bracketed, largest, numberFormat, unpacked } from "../../../picture/cells/numbers.js";
import { player } from "../../../picture/cells/play.js";
import { ARROWS, pointing } from "../../../picture/cells/pointing.js";
import { refusalLine } from "../../../ui/elements/refusal.js";

// px of a window: a narrower one has smaller labels, and fewer rows around that of the token
const NARROW_WINDOW = 640;
const GROWN = 4; // times the largest number at the start

export default function film({ data, parentElement, setTriggerValue, base }) {
  const ui = (parentElement.embviz ??= mountFilm(parentElement));
  ui.base = base;
  ui.report = (picked) => setTriggerValue("picked", picked);
  fromPython(ui, data);
  if (ui.page.live) ui.leave ??= followField(ui);
  return () => setTimeout(() => { if (!parentElement.isConnected) unmountFilm(ui); });
}

function mountFilm(root) {
  const ui = { root, typed: null, chosen: {}, state: 0, lit: [0, 0] };
  for (const name of ["refusal", "bar", "strip", "one", "play", "again", "count", "task", "panels", "verdict", "longest"]) ui[name] = root.querySelector(`.${name}`);
  ui.refuse = refusalLine(ui, ui.refusal);
  ui.show = (answer) => themed(ui, ui.panels, () => receiveFilm(ui, answer));
  ui.redraw = () => themedAgain(ui, ui.panels, () => { if (ui.data) drawFilm(ui); });
  ui.player = player(() => lastState(ui), () => ui.data.pause, (step) => { if (step !== null) ui.state = step + 1; drawFilm(ui); });
  ui.one.onclick = () => { ui.player.step = ui.state - 1; ui.player.one(); };
  ui.play.onclick = () => { ui.player.step = ui.state === lastState(ui) ? null : ui.state - 1; ui.player.press(); };
  ui.again.onclick = () => { ui.state = 0; ui.player.stop(); };
  ui.strip.onclick = ({ target }) => { if (target.dataset.token) chooseToken(ui, Number(target.dataset.token)); };
  ui.strip.onkeydown = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], chips = ui.strip.children;
    if (!by) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(selectedIn(ui) + by, chips.length - 1));
    chooseToken(ui, next);
    chips[next].focus();
  };
  const point = (at) => { if (at) { ui.lit = at.split(" ").slice(0, 2).map(Number); drawFilm(ui); } };
  pointing(ui.panels, point, (at) => { point(at); if (at.endsWith(" target")) pressTarget(ui); });
  ui.panels.onkeydown = (event) => {
    if (event.key === "Enter" && ui.lit[0] === ui.data.panels[0][2][0].group) pressTarget(ui);
    const [down, right] = ARROWS[event.key] ?? [];
    if (down === undefined) return;
    event.preventDefault();
    const groups = [...new Set(ui.data.panels[0][2].map((row) => row.group))];
    const inside = (place, count) => Math.max(0, Math.min(place, count - 1));
    ui.lit = [groups[inside(groups.indexOf(ui.lit[0]) + down, groups.length)], inside(ui.lit[1] + right, ui.data.columns)];
    drawFilm(ui);
  };
  ui.sizes = new ResizeObserver(() => { if (ui.data) drawFilm(ui); });
  ui.sizes.observe(ui.panels);
  return ui;
}

function unmountFilm(ui) {
  ui.player.end();
  cancelAnimationFrame(ui.retry);
  ui.sizes.disconnect();
  ui.leave?.();
}

const lastState = (ui) => ui.data.said.length - 1;

function receiveFilm(ui, data) {
  for (const [, , rows] of data.panels) for (const row of rows) row.values = unpacked(row.values);
  const rows = data.panels.flatMap(([, , rows]) => rows);
  data.scale = largest(rows.map((row) => row.values));
  // Where a training diverges its last numbers would leave all others without a tint: they have the strongest one.
  data.strongest = Math.min(data.scale, GROWN * largest(rows.map((row) => row.values.subarray(0, data.columns))));
  const lit = [data.panels[0][2][0].group, Math.min(ui.lit[1], data.columns - 1)];
  Object.assign(ui, { data, state: 0, lit });
  ui.player.stop();
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
  tokens.forEach((label, token) => {
    const chip = strip.children[token];
    write(chip, label);
    Object.assign(chip, { tabIndex: token === selected ? 0 : -1, ariaSelected: String(token === selected) });
    chip.dataset.token = token;
  });
}

function drawFilm(ui) {
  const { data, state, player: { timer } } = ui;
  if (!ui.panels.clientWidth) return;
  drawFilmTokens(ui);
  keepChildren(ui.panels, data.panels.length, () => {
    const section = document.createElement("section");
    section.innerHTML = `<h2></h2><div class="ways" translate="no"></div><p class="sum" translate="no"></p>`;
    section.on = grid(section.children[1]);
    return section;
  });
  data.panels.forEach((panel, k) => drawPanel(ui, ui.panels.children[k], panel));
  write(ui.count, `${state} of ${lastState(ui)} steps`);
  write(ui.task, data.task);
  write(ui.verdict, data.said[state]);
  write(ui.longest, data.said.reduce((longest, sentence) => (sentence.length > longest.length ? sentence : longest)));
  write(ui.play, timer === null ? "Play" : "Pause");
  ui.bar.style.display = lastState(ui) ? "" : "none"; // one state alone has no steps
  ui.one.disabled = state === lastState(ui);
  ui.again.disabled = state === 0;
}

function drawPanel(ui, section, [title, hue, rows, turned]) {
  const { data, state, lit: [group, column] } = ui, count = data.columns;
  section.className = `panel ${hue}`;
  write(section.firstChild, title);
  const numbers = rows.map((row) => row.values.subarray(state * count, (state + 1) * count));
  // In a narrow window, both routes fit on one screen: only the nearest of the rows around are drawn.
  const isNarrow = innerWidth <= NARROW_WINDOW, looked = rows.findIndex((row) => row.kind === "looked");
  const drawn = rows.map((row, k) => [row, k]).filter(([row, k]) => row.kind !== "small" || looked < 0 || !isNarrow || Math.abs(k - looked) < 2);
  section.on.root.classList.toggle("turned", turned);
  (turned ? drawAsColumns : drawRows)(ui, section, drawn, numbers);
  section.on.sweep();
  section.lastChild.classList.toggle("cut", data.cut !== "");
  const sentence = rows.find((row) => row.group === group)?.said ?? "";
  write(section.lastChild, sentence.replace(/\{(\w+)\}/g, (_, name) => (name === "c" ? column : inSentence(numbers[name][column]))) + data.cut);
}

// The numbers of row `k`, each at its place of the grid; `format` writes them, if there is room.
function drawNumbers(ui, on, { row, k, values, format }, placeOf) {
  const { data, theme, lit: [group, column] } = ui, isTarget = row.kind === "target";
  const isPressed = isTarget && data.target.length > 0;
  const kind = isTarget && !isPressed ? "" : row.kind;
  values.forEach((value, c) => {
    const isBlank = Number.isNaN(value);
    const text = !isBlank && format && (!row.kind || isTarget) ? format(value) : "";
    const classes = `cell ${kind}${isBlank ? " blank" : ""}${row.group === group && c === column ? " lit" : ""}`;
    const paint = isBlank ? "" : tint(theme, value, data.strongest);
    on.put(`${k} ${c}`, classes, placeOf(c), text, { point: `${row.group} ${c}${isPressed ? " target" : ""}`, paint });
  });
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

// Rows below each other, their labels beside or above them, and the notes of small ones after them.
function drawRows(ui, section, drawn, numbers) {
  const { data, state } = ui, { on } = section, count = data.columns, isNarrow = innerWidth <= NARROW_WINDOW;
  const above = data.panels.length > 2;
  // px of a letter of a label, of one of small rows, of a note; and beside them
  const [letter, ofSmall, ofNote, space] = isNarrow ? [5.3, 6.6, 6, 2] : [6.6, 7, 7, 12];
  const longest = (widths) => Math.max(0, ...widths) + space;
  const label = above ? 0 : longest(drawn.map(([row]) => row.label.length * (row.notes.length ? ofSmall : letter))) + space / 2;
  const note = above || !data.noted ? 0 : longest(drawn.flatMap(([row]) => row.notes.map((text) => text.length * ofNote)));
  const [size, format] = typeFor((section.clientWidth - label - note) / count - 2.1, data.scale); // five characters, such as -0.12, fit in most
  on.root.style.fontSize = `${size}px`;
  on.root.style.gridTemplateColumns = `${label}px repeat(${count}, 1fr) ${note}px`;
  on.root.style.gridTemplateRows = "";
  const firstNoted = drawn.findIndex(([row]) => row.notes.length);
  let line = 0; // of the grid
  drawn.forEach(([row, k], place) => {
    line += 1;
    if (note && place === firstNoted) {
      on.put("noted", "note of", [line, 2, 1, count + 1], data.noted);
      line += 1;
    }
    on.put(`title ${k}`, `title ${row.kind}${above ? " above" : ""}`, above ? [line, 1, 1, count + 1] : [line, 1], row.label);
    if (row.notes.length) on.put(`note ${k}`, `note ${noteKind(row, above ? "above" : "beside")}`, above ? [line, 1, 1, count + 1] : [line, count + 2], row.notes[state]);
    if (above) line += 1;
    if (row.kind === "looked") on.put("frame", "frame", [line, 2, 1, count]);
    drawNumbers(ui, on, { row, k, values: numbers[k], format }, (c) => [line, c + 2]);
  });
}

// px of the drawing of columns, without its labels, and of a cell in it
const TURNED = 216, TURNED_NARROW = 150, CELL = [13, 28];

// Rows as columns beside each other, with their labels above and the notes below.
function drawAsColumns(ui, section, drawn, numbers) {
  const { data, state } = ui, { on } = section, count = data.columns, isNarrow = innerWidth <= NARROW_WINDOW;
  const label = data.noted.length * (isNarrow ? 6 : 7) + 8, isSmall = (row) => row.notes.length > 0;
  const wide = drawn.filter(([row]) => !isSmall(row)).length, small = drawn.length - wide;
  const unit = (section.clientWidth - label) / (2 * wide + small); // a small column has half the width of the others
  const [size, format] = typeFor(2 * unit - 2.1, data.scale);
  const height = Math.max(CELL[0], Math.min(CELL[1], (isNarrow ? TURNED_NARROW : TURNED) / count));
  on.root.style.fontSize = `${size}px`;
  on.root.style.gridTemplateColumns = `${label}px ${drawn.map(([row]) => (isSmall(row) ? "1fr" : "2fr")).join(" ")}`;
  on.root.style.gridTemplateRows = `auto repeat(${count}, ${height}px) auto`;
  for (let c = 0; c < count; c += 1) on.put(`place ${c}`, "title place", [c + 2, 1], String(c));
  on.put("noted", "note of", [count + 2, 1], data.noted);
  drawn.forEach(([row, k], place) => {
    on.put(`title ${k}`, `title top ${row.kind}`, [1, place + 2], isSmall(row) ? headOf(row.label, unit / 7) : row.label.replace(" ", "\n"));
    if (row.kind === "looked") on.put("frame", "frame", [2, place + 2, count, 1]);
    if (row.notes.length) on.put(`note ${k}`, `note ${noteKind(row, "under")}`, [count + 2, place + 2], row.notes[state]);
    drawNumbers(ui, on, { row, k, values: numbers[k], format }, (c) => [c + 2, place + 2]);
  });
}

// A label such as 'a' 10 on two lines, each of so many characters.
function headOf(label, characters) {
  const place = label.lastIndexOf(" "), name = label.slice(0, Math.max(0, place)), most = Math.max(1, Math.floor(characters));
  const fitting = name.length > most ? shortened(name.slice(1, -1), most) : name;
  return `${fitting}\n${label.slice(place + 1)}`;
}

const noteKind = (row, where) => `${where}${row.kind === "looked" ? " moved" : ""}`;

// A zero has no sign: one-hot × Linear gives the rows that it leaves out a gradient of -0.
const inSentence = (value) => (Number.isNaN(value) ? "…" : bracketed(value || 0));
