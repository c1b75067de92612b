// A film: panels of rows of numbers, which change from state to state.

import { chooseAnswer, followField, fromPython } from "../ask.js";
import { board, keepChildren, put, sweep, write } from "../cells/board.js";
import { themed, themedAgain, tint } from "../cells/colours.js";
import { bracketed, largest, numberFormat, unpacked } from "../cells/numbers.js";
import { player } from "../cells/play.js";
import { ARROWS, pointing } from "../cells/pointing.js";
import { refusalLine } from "../refusal.js";

// px of a window: a narrower one has labels above their strips, and so have more than two panels
const NARROW_WINDOW = 640;

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
  for (const name of ["refusal", "bar", "strip", "one", "play", "again", "count", "panels", "verdict"]) ui[name] = root.querySelector(`.${name}`);
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
  const point = (at) => { if (at) { ui.lit = at.split(" ").map(Number); drawFilm(ui); } };
  pointing(ui.panels, point, point);
  ui.panels.onkeydown = (event) => {
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
  data.scale = largest(data.panels.flatMap(([, , rows]) => rows.map((row) => row.values)));
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
    section.on = board(section.children[1]);
    return section;
  });
  data.panels.forEach((panel, k) => drawPanel(ui, ui.panels.children[k], panel));
  write(ui.count, `${state} of ${lastState(ui)} steps`);
  write(ui.verdict, data.said[state]);
  write(ui.play, timer === null ? "Play" : "Pause");
  ui.bar.style.display = lastState(ui) ? "" : "none"; // one state alone has no steps
  ui.one.disabled = state === lastState(ui);
  ui.again.disabled = state === 0;
}

function drawPanel(ui, section, [title, hue, rows]) {
  const { data, state, theme, lit: [group, column] } = ui;
  const above = innerWidth <= NARROW_WINDOW || data.panels.length > 2, count = data.columns;
  const label = above ? 0 : 7 * Math.max(...rows.map((one) => [one.label, ...one.notes.slice(-1)].join("  ").length)) + 12;
  const room = (section.clientWidth - label) / count - 2.1; // px in a cell; five characters, such as -0.12, fit in most
  const size = Math.max(9, Math.min(room / 3, 11)); // px of the type, whose characters are 0.6 as wide
  const format = numberFormat({ whole: false, scale: data.scale, characters: Math.floor(room / 0.6 / size + 0.05), signsZero: false });
  section.className = `panel ${hue}`;
  write(section.firstChild, title);
  section.on.root.style.fontSize = `${size}px`;
  section.on.root.style.gridTemplateColumns = `${label}px repeat(${count}, 1fr)`;
  const shown = rows.map((one) => one.values.subarray(state * count, (state + 1) * count));
  rows.forEach((one, k) => {
    const at = above ? [2 * k + 1, 1, 1, count + 1] : [k + 1, 1];
    put(section.on, `title ${k}`, `title ${one.kind}${above ? " above" : ""}`, at, one.label);
    put(section.on, `note ${k}`, `note${above ? " above" : ""}`, at, one.notes[state] ?? "");
    if (one.kind === "looked") put(section.on, "frame", "frame", [at[0] + above, 2, 1, count]);
    shown[k].forEach((value, c) => {
      const blank = Number.isNaN(value), lit = one.group === group && c === column ? " lit" : "";
      put(section.on, `${k} ${c}`, `cell ${one.kind}${blank ? " blank" : ""}${lit}`, [at[0] + above, c + 2],
        blank || one.kind || !format ? "" : format(value), { point: `${one.group} ${c}`, paint: blank ? "" : tint(theme, value, data.scale) });
    });
  });
  sweep(section.on);
  const said = rows.find((one) => one.group === group)?.said ?? "";
  write(section.lastChild, said.replace(/\{(\w+)\}/g, (_, name) => (name === "c" ? column : inSentence(shown[name][column]))) + data.cut);
}

// A zero has no sign: one-hot × Linear gives the rows that it leaves out a gradient of -0.
const inSentence = (value) => (Number.isNaN(value) ? "…" : bracketed(value || 0));
