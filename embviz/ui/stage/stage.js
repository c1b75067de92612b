// The entry: Streamlit calls the default export on every data or theme change, on the same DOM.
//
// What is shown is a function of the record, the selected token, what is pointed at or kept, and how
// far Play has come. Nothing of it asks the server, but for rows and columns that were not sent.

const BEFORE = 4; // steps of Play before the first row: chip, id, row, copy
const WRITTEN = 4; // columns of a sum that Play writes out; of more it says what happens
const EVERYTHING = { chip: true, id: true, row: true, copied: true, end: true, done: Infinity };

export default function stage({ data, parentElement, setTriggerValue }) {
  const ui = (parentElement.embviz ??= mount(parentElement));
  ui.report = (picked) => setTriggerValue("picked", picked);
  const view = data.view === "linear";
  if (ui.view !== view && !ui.reporting) ui.turned = ui.view = view;
  fromPython(ui, data);
  // Streamlit may call this while the stage is still in the page, or when it stays there.
  return () => setTimeout(() => { if (!parentElement.isConnected) unmount(ui); });
}

function mount(root) {
  const find = (name) => root.querySelector(`.${name}`);
  const ui = { root, typed: null, chosen: {}, kept: {}, over: {}, column: 0, turned: false };
  for (const name of ["stage", "strip", "play", "step", "turn", "blank", "ways", "said", "whole", "legend", "pan", "heat", "columns", "mark"]) ui[name] = find(name);
  ui.more = root.querySelectorAll(".more");
  ui.board = board(ui.ways);
  ui.refuse = refusalLine(ui, find("refusal"));
  ui.show = (record, isNew) => themed(ui, ui.stage, () => receive(ui, record, isNew));
  ui.player = player(() => BEFORE + ui.drawn.lines.length + 1, (step) => pause(ui, step), () => draw(ui));
  listen(ui);
  ui.leave = followField(ui);
  ui.resized = new ResizeObserver(() => { if (ui.stage.clientWidth !== ui.width && ui.data) draw(ui); });
  ui.resized.observe(ui.stage);
  return ui;
}

function unmount(ui) {
  ui.player.stop = () => {};
  clearTimeout(ui.player.timer);
  cancelAnimationFrame(ui.retry);
  ui.leave();
  ui.resized.disconnect();
}

function receive(ui, record, isNew) {
  if (isNew) {
    const isOther = !ui.data || ["rows", "dims", "unit"].some((name) => ui.data[name] !== record[name]);
    const picture = JSON.stringify({ ...record, question: null }), isSame = picture === ui.picture;
    Object.assign(ui, { data: read(record), picture, column: wanted(ui).column });
    if (isSame && selected(ui) === ui.token) { draw(ui); return; } // the answer to what was chosen here
    ui.over = {};
    ui.kept = isOther ? {} : { column: ui.kept.column }; // a kept row may be outside now
    clearTimeout(ui.player.timer);
    ui.player.timer = ui.player.step = null;
  }
  draw(ui);
}

const selected = ({ data, chosen, page }) => Math.max(0, Math.min(chosen.token ?? page.question.token, data.tokens - 1));

function draw(ui) {
  const { data, theme, stage } = ui;
  ui.width = stage.clientWidth;
  ui.token = selected(ui);
  if (!ui.width) return;
  const lit = { ...ui.kept, ...ui.over };
  if (ui.over.token !== undefined) delete lit.row; // another token has its own row
  const token = Math.min(lit.token ?? selected(ui), Math.max(0, data.tokens - 1));
  const isSent = !data.tokens || (token >= data.first && token < data.first + data.ids.length);
  const digits = String(data.rows).length;
  const { labelled: labels } = data;
  const sizes = fit({ ...data, total: Math.min(data.dims, data.columns), labels, digits }, ui.width);
  if (ui.turned) sizes.count = Math.min(data.dims, data.columns, 11);
  ui.sizes = sizes;
  ui.column = Math.max(0, Math.min(ui.column, data.dims - sizes.count));
  const shown = isSent && model(ui, token, lit.row, sizes);
  stage.classList.toggle("waiting", !shown);
  if (data.tokens) drawStrip(ui, selected(ui), ui.player.step === 0 ? token : lit.token);
  ui.strip.hidden = !data.tokens;
  if (!shown) return; // its answer is on the way
  ui.drawn = shown;
  const column = lit.column === undefined ? undefined : lit.column;
  drawWays(ui.board, shown, sizes, theme, phaseOf(ui, shown), { row: lit.row, column });
  drawWords(ui, shown, token, lit);
}

// ---- words -----------------------------------------------------------------------------------

function drawWords(ui, shown, token, lit) {
  const { data, theme } = ui;
  const { step, timer } = ui.player;
  write(ui.play, timer === null ? "▶ Play" : "❚❚ Pause");
  ui.play.disabled = ui.step.disabled = !data.tokens;
  ui.turn.ariaPressed = String(ui.turned);
  write(ui.said, step !== null ? playing(ui, shown, step) : lit.column !== undefined && shown.right.values ? sumOf(shown, lit.column) : story(data, token, lit, shown));
  write(ui.whole, step === null ? verdict(data, shown) : "");
  const blanks = new Set(data.tokens ? data.ids.map((id) => data.names[data.slotOf.get(id)]).filter(([label, , standIn]) => standIn && [...label].length === 1).map(([label, name]) => `${label} is ${name}`) : []);
  write(ui.blank, [...blanks].slice(0, 3).join(", "));
  attribute(ui.ways, "aria-label", ui.said.textContent);
  const [low, bar, high] = ui.legend.children;
  write(low, ui.sizes.format(data.extremes[0]));
  write(high, ui.sizes.format(data.extremes[1]));
  gradient(theme, bar, Array.from({ length: 21 }, (_, k) => data.extremes[0] + ((data.extremes[1] - data.extremes[0]) * k) / 20), data.scale);
  drawPan(ui, shown, token);
}

function gradient(theme, element, values, scale) {
  const stops = values.map((value, k) => `${css(valueColour(theme, value, scale))} ${(100 * k) / values.length}% ${(100 * (k + 1)) / values.length}%`);
  const image = `linear-gradient(90deg, ${stops.join()})`;
  if (element.image !== image) element.style.backgroundImage = element.image = image;
}

// The columns that are not drawn: a thin bar of the whole row, and a mark on what is drawn.
function drawPan(ui, shown, token) {
  const { data, sizes } = ui;
  ui.pan.hidden = sizes.count >= data.dims;
  if (ui.pan.hidden) return;
  write(ui.columns, `columns ${ui.column}–${ui.column + sizes.count - 1}, ${count(data.dims - sizes.count)} more`);
  const row = data.tokens ? data.ids[token - data.first] : 0;
  gradient(ui.theme, ui.heat, data.bar ?? [...(data.rowAt(row) ?? [])], data.scale);
  ui.mark.style.left = `${(100 * ui.column) / data.dims}%`;
  ui.mark.style.width = `${(100 * sizes.count) / data.dims}%`;
}

function story(data, token, { row }, { alike, turned }) {
  if (!data.tokens) return "";
  const id = data.ids[token - data.first], unit = turned ? "column" : "row";
  if (row !== undefined && row !== id) return `${turned ? "Column" : "Row"} ${count(row)} picked instead: it is multiplied by 1, every other ${unit} by 0.`;
  const what = data.unit ? `'${data.names[data.slotOf.get(id)][0]}' has id ${count(id)}` : `ids[${indexOf(data, token).join(", ")}] is ${count(id)}`;
  const one = turned ? `Row ${count(id)} of nn.Embedding is column ${count(id)} of nn.Linear's weight` : `Lookup copies row ${count(id)}`;
  if (!alike) return `${what}. ${one}. Matmul adds up all products, and here that gives other numbers.`;
  return `${what}. ${one}. Matmul keeps that ${unit} (× 1), makes the others 0 (× 0) and adds up: ${unit} ${count(id)} again.`;
}

// ---- play ------------------------------------------------------------------------------------

function phaseOf({ player: { step } }, { lines }) {
  if (step === null) return EVERYTHING;
  const line = step - BEFORE;
  return { chip: true, id: step >= 1, row: step >= 2, copied: step >= 3, done: Math.max(0, Math.min(line + 1, lines.length)), at: line, end: line >= lines.length };
}

// Rows before the picked one slowly, it for longer, the zeros after it fast: 6 s in all at most.
function pause({ drawn: { lines } }, step) {
  const line = step - BEFORE, picked = lines.findIndex((one) => one.picked);
  if (step < BEFORE) return [300, 300, 400, 700][step];
  if (line === lines.length) return 700;
  return line < picked ? Math.min(260, 1600 / picked) : line === picked ? 900 : Math.min(120, 1000 / lines.length);
}

function playing(ui, { lines, columns, left }, step) {
  const { data, sizes } = ui;
  const id = count(data.ids[selected(ui) - data.first]);
  const token = data.unit ? `'${data.names[data.slotOf.get(data.ids[selected(ui) - data.first])][0]}'` : "The token";
  if (step < 2) return `${token} has id ${id}.`;
  if (step === 2) return `Lookup reads row ${id} of weight.`;
  if (step === 3) return "lookup: 1 row read.";
  const line = lines[step - BEFORE];
  if (!line) return `matmul: ${count(data.rows)} rows multiplied and added.`;
  const some = (values) => Array.from({ length: sizes.count }, (_, c) => shownZero(values(columns.first + c), sizes.format)).join(" ");
  const done = step - BEFORE + 1;
  const what = line.fold ?? `${ui.turned ? "column" : "row"} ${line.label || line.sub}`;
  if (sizes.count > WRITTEN && !line.products?.some((value) => Number.isNaN(value))) {
    return line.picked ? `${what} × 1: the total is this row now` : `${what} × 0: nothing is added`;
  }
  return `${what} × ${line.factor} = ${some((c) => line.products?.[c] ?? NaN)}, total ${some((c) => totalOf(lines, done, c))}`;
}

// ---- pointer and keys ------------------------------------------------------------------------

function listen(ui) {
  const over = (point) => {
    const now = pointed(point);
    if (!ui.data || ui.player.step !== null || same(now, ui.over)) return;
    ui.over = now;
    draw(ui);
  };
  const press = (point) => {
    if (!ui.data || ui.dragged) return;
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
    ui.turned = !ui.turned;
    choose(ui, { view: ui.turned ? "linear" : "embedding" });
    draw(ui);
  };
  const [earlier, later] = ui.pan.querySelectorAll("button");
  earlier.onclick = () => pan(ui, -ui.sizes.count);
  later.onclick = () => pan(ui, ui.sizes.count);
  ui.strip.onkeydown = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined || !ui.data) return;
    event.preventDefault();
    select(ui, Math.max(0, Math.min(selected(ui) + by, ui.data.tokens - 1)));
    ui.strip.querySelector(".selected")?.focus({ preventScroll: true });
  };
  ui.ways.onkeydown = (event) => moveByKey(ui, event);
  drag(ui);
}

function select(ui, token) {
  Object.assign(ui, { kept: {}, over: {} });
  if (ui.player.step !== null) { clearTimeout(ui.player.timer); ui.player.timer = ui.player.step = null; }
  choose(ui, { token });
  draw(ui);
  more(ui);
}

function keep(ui, changes) {
  ui.kept = { ...ui.kept, ...changes };
  ui.over = {};
  draw(ui);
}

// Another part of a table that was not sent whole.
function more(ui) {
  const { data } = ui;
  if (data.labels.length < data.rows || data.columns < data.dims || data.ids.length < data.tokens) ask(ui);
}

function pan(ui, by) {
  const { data, sizes } = ui;
  ui.column = Math.max(0, Math.min(ui.column + by, data.dims - sizes.count));
  choose(ui, { column: ui.column });
  if (ui.column < data.column || ui.column + sizes.count > data.column + data.columns) more(ui);
  draw(ui);
}

// Arrow keys move over rows and columns; Space plays, Enter takes one step, Escape leaves.
function moveByKey(ui, event) {
  const { data, kept, drawn, sizes } = ui;
  const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [];
  const press = { " ": ui.play, Enter: ui.step }[event.key];
  if (!data || (down === undefined && !press && event.key !== "Escape")) return;
  event.preventDefault();
  if (press) press.click();
  else if (event.key === "Escape") { ui.player.stop(); ui.kept = ui.over = {}; draw(ui); }
  else if (down) {
    const rows = drawn.lines.filter((line) => !line.fold).map((line) => line.key);
    const at = rows.indexOf(kept.row ?? drawn.lines.find((line) => line.picked)?.key);
    keep(ui, { row: rows[Math.max(0, Math.min(at + down, rows.length - 1))] });
  } else {
    const column = Math.max(0, Math.min((kept.column ?? ui.column - data.column - right) + right, data.columns - 1));
    const first = ui.column - data.column;
    if (column < first || column >= first + sizes.count) pan(ui, right);
    keep(ui, { column });
  }
}

// Table, products and answers move sideways together.
function drag(ui) {
  let from = null;
  ui.ways.onpointerdown = (event) => { from = ui.data ? { x: event.clientX, column: ui.column } : null; ui.dragged = false; };
  ui.ways.onpointermove = (event) => {
    if (!from || !event.buttons || ui.sizes.count >= ui.data.dims) return;
    const to = from.column + Math.round((from.x - event.clientX) / ui.sizes.cell);
    if (to === ui.column) return;
    ui.dragged = true;
    pan(ui, to - ui.column);
  };
  ui.ways.onpointerup = ui.ways.onpointercancel = () => { from = null; };
}
