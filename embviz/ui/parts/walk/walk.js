// Draws two walks, and goes from step to step. `COMPONENT` names the files before this one.

const TITLES = ["Lookup: nn.Embedding", "Matmul: one-hot × nn.Linear"];
const UNITS = ["row", "column"];
const SLIDE_MS = 350; // of the new row onto the old one
const PLAY_MS = 550; // between two steps
const LABEL_PX = 138; // before the cells of a row
const NARROW_PX = 640; // of a window
const still = matchMedia("(prefers-reduced-motion: reduce)");

export default function ({ data, parentElement, setTriggerValue }) {
  const ui = (parentElement.embviz ??= mount(parentElement));
  ui.report = (picked) => setTriggerValue("picked", picked);
  fromPython(ui, data);
  if (ui.page.live) ui.leave ??= followField(ui);
  return () => setTimeout(() => { if (!parentElement.isConnected) unmount(ui); });
}

function mount(root) {
  const ui = { root, typed: null, chosen: {}, step: 0, column: 0 };
  for (const name of ["bar", "chips", "step", "play", "again", "count", "panels", "verdict", "heard"]) {
    ui[name === "step" || name === "play" ? `${name}Button` : name] = root.querySelector(`.${name}`);
  }
  ui.refuse = refusalLine(ui, root.querySelector(".refusal"));
  ui.show = (answer, isNew) => receive(ui, unpack(answer), isNew);
  ui.stepButton.onclick = () => { stop(ui); forward(ui); };
  ui.playButton.onclick = () => (ui.playing ? stop(ui) : play(ui));
  ui.again.onclick = () => { stop(ui); halt(ui); ui.step = 0; draw(ui); };
  ui.chips.onclick = ({ target }) => { if (target.dataset.token) chooseToken(ui, Number(target.dataset.token)); };
  ui.panels.onclick = ({ target }) => { if (target.dataset.column) point(ui, target); };
  ui.panels.onpointerover = ({ target, screenX, screenY }) => {
    // Not where the rows scroll under a pointer at rest: the keyboard moves them.
    const at = `${screenX} ${screenY}`;
    if (at !== ui.pointerAt && target.dataset.column) point(ui, target);
    ui.pointerAt = at;
  };
  ui.panels.onkeydown = (event) => {
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [];
    if (down === undefined || !ui.data) return;
    event.preventDefault();
    const inside = (place, count) => Math.max(0, Math.min(count - 1, place));
    ui.row = inside(ui.row + down, ui.data.rows.length);
    ui.column = inside(ui.column + right, ui.data.columns);
    explain(ui);
    ui.heard.textContent = [...ui.panels.children].map((one) => one.sum.textContent).join("; ");
  };
  ui.sizes = new ResizeObserver(([{ contentRect }]) => { ui.width = contentRect.width; if (ui.data) draw(ui); });
  ui.sizes.observe(ui.panels);
  return ui;
}

function unmount(ui) {
  cancelAnimationFrame(ui.retry);
  stop(ui);
  ui.leave?.();
  ui.sizes.disconnect();
}

const floats = (text) => new Float32Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

function unpack(data) {
  for (const walk of data.walks) for (const name in walk) walk[name] = floats(walk[name]);
  return data;
}

function receive(ui, data, isNew) {
  cancelAnimationFrame(ui.retry);
  ui.theme = readTheme(ui.panels);
  if (ui.theme.diverging.length < 2) { // Streamlit inserts the component, and its colours are missing
    ui.retry = requestAnimationFrame(() => { if (ui.root.isConnected) receive(ui, data, isNew); });
    return;
  }
  if (isNew) {
    stop(ui);
    halt(ui);
    ui.step = 0;
    ui.row = data.place;
    ui.column = Math.min(ui.column, data.columns - 1);
  }
  ui.data = data;
  data.scale = largest(data.walks.map((walk) => walk.tables));
  drawChips(ui);
  while (ui.panels.children.length < 2) ui.panels.append(panel());
  ui.panels.querySelectorAll("h6").forEach((title, k) => { title.textContent = TITLES[k]; });
  draw(ui);
}

function panel() {
  const made = document.createElement("section");
  made.className = "panel";
  made.innerHTML = `<h6></h6><div class="sums"></div><div class="rows"></div><p class="sum"></p>`;
  made.sum = made.lastChild;
  return made;
}

function drawChips(ui) {
  const { chips, selected } = ui.data;
  fill(ui.chips, chips.length, "button");
  chips.forEach((label, k) => {
    const chip = ui.chips.children[k];
    if (chip.textContent !== label) chip.textContent = label;
    chip.dataset.token = k;
    chip.setAttribute("aria-pressed", String(k === selected));
  });
}

function fill(parent, count, name, className = "") {
  while (parent.children.length > count) parent.lastChild.remove();
  while (parent.children.length < count) parent.append(Object.assign(document.createElement(name), { className }));
}

// The step that is shown: rows before it, its gradient, and rows after it.
function draw(ui) {
  const { data, step } = ui;
  const last = data.sentences.length - 1;
  data.walks.forEach((walk, k) => drawPanel(ui, ui.panels.children[k], walk, UNITS[k]));
  ui.count.textContent = `step ${step + 1} of ${last + 1}`;
  ui.verdict.textContent = data.sentences[step];
  ui.stepButton.disabled = step === last;
  ui.again.disabled = step === 0;
  ui.playButton.textContent = ui.playing ? "Pause" : "Play";
  explain(ui);
}

function drawPanel(ui, panel, walk, unit) {
  const { data, step, theme, width } = ui;
  const wide = width > 830 ? width / 2 - 14 : width;
  const narrow = innerWidth <= NARROW_PX; // as in the style sheet: labels stand above the cells
  panel.style.setProperty("--small", narrow ? "10px" : "11px");
  const room = Math.floor(((wide - (narrow ? 0 : LABEL_PX)) / data.columns - 2) / (narrow ? 6.05 : 6.65));
  const format = numberFormat(false, data.scale, room);
  const name = data.rows[data.place];
  const lines = [[`${unit} ${name}`, "tables", step], [`− ⟨${data.lr}|learning rate⟩ × ⟨gradient|gradient⟩`, "gradients", step], [`= new ${unit}`, "tables", step + 1]];
  const [, sums, rows] = panel.children;
  fill(sums, 3, "div", "line");
  lines.forEach(([words, what, at], k) => line(ui, sums.children[k], words, valueAt(data, walk, what, at, data.place), format));
  fill(rows, data.rows.length, "div", "line");
  data.rows.forEach((label, row) => {
    const one = rows.children[row];
    line(ui, one, label, valueAt(data, walk, "tables", step, row), null, row);
    one.classList.toggle("looked", row === data.place);
    const most = walk.largest[step * data.rows.length + row];
    one.note.textContent = most === 0 ? "gradient 0" : `≤ ${precise(most)}`;
    one.note.title = `Largest |gradient| of this ${unit}`;
  });
}

const valueAt = ({ rows, columns }, walk, what, step, row) => {
  const start = (step * rows.length + row) * columns;
  return walk[what].subarray(start, start + columns);
};

function line(ui, into, words, values, format, row = ui.data.place) {
  if (!into.cells) {
    into.innerHTML = `<div class="label"><span class="note"></span><span class="name"></span></div><div class="cells"></div>`;
    [into.note, into.name] = into.firstChild.children;
    into.cells = into.lastChild;
  }
  if (into.words !== words) {
    into.words = words;
    // Two words of the subtracted line have a meaning to look up.
    into.name.replaceChildren(...words.split(/(⟨.+?⟩)/).map((piece) => {
      const [shown, name] = piece.startsWith("⟨") ? piece.slice(1, -1).split("|") : [];
      return name ? term(shown, name) : piece;
    }));
  }
  fill(into.cells, values.length, "div", "cell");
  values.forEach((value, column) => {
    const cell = into.cells.children[column];
    const colour = valueColour(ui.theme, value, ui.data.scale);
    cell.style.background = css(colour);
    cell.style.color = inkOn(colour);
    cell.textContent = format ? format(value) : "";
    Object.assign(cell.dataset, { row, column });
  });
}

// ---- the steps ----------------------------------------------------------------------------

// Slide the new row onto the old one; then it is the row that the next step starts with.
function forward(ui) {
  if (ui.step >= ui.data.sentences.length - 1) { stop(ui); return; }
  const take = () => { ui.step += 1; ui.sliding = null; draw(ui); if (ui.step >= ui.data.sentences.length - 1) stop(ui); };
  if (ui.sliding) { ui.sliding.forEach((one) => one.cancel()); take(); return; }
  if (still.matches) { take(); return; }
  ui.sliding = [...ui.panels.querySelectorAll(".sums")].map((sums) => {
    const [before, , after] = sums.children;
    const up = before.cells.offsetTop - after.cells.offsetTop;
    return after.cells.animate([{ transform: "none" }, { transform: `translateY(${up}px)` }], { duration: SLIDE_MS, easing: "ease-in-out" });
  });
  const mine = ui.sliding;
  mine[0].onfinish = () => { if (ui.sliding === mine) take(); };
}

function play(ui) {
  if (ui.step >= ui.data.sentences.length - 1) ui.step = 0;
  ui.playing = setInterval(() => forward(ui), PLAY_MS + (still.matches ? 0 : SLIDE_MS));
  draw(ui);
  forward(ui);
}

function stop(ui) {
  clearInterval(ui.playing);
  ui.playing = null;
  ui.playButton.textContent = "Play";
}

// A row that still slides would take its step on what is drawn next.
function halt(ui) {
  ui.sliding?.forEach((one) => one.cancel());
  ui.sliding = null;
}

function chooseToken(ui, token) {
  choose(ui, { token });
  ask(ui);
}

// ---- the number that is pointed at ----------------------------------------------------------

function point(ui, { dataset }) {
  [ui.row, ui.column] = [Number(dataset.row), Number(dataset.column)];
  explain(ui);
}

// Mark the number in every row that it comes from or goes to, on both sides, and write its sum.
function explain(ui) {
  const { data, row, column, step } = ui;
  for (const cell of ui.panels.querySelectorAll(".cell")) {
    cell.classList.toggle("on", Number(cell.dataset.row) === row && Number(cell.dataset.column) === column);
  }
  const cut = data.columns < data.of ? `; ${data.columns} of ${data.of} drawn` : "";
  data.walks.forEach((walk, k) => {
    const [before, gradient, after] = [["tables", step], ["gradients", step], ["tables", step + 1]]
      .map(([what, at]) => valueAt(data, walk, what, at, row)[column]);
    const sum = `${precise(before)} − ${data.lr} × ${signed(gradient)} = ${precise(after)}`;
    const at = UNITS[k] === "column" ? [column, data.ids[row]] : [data.ids[row], column];
    ui.panels.children[k].sum.textContent = `weight[${at.join(", ")}]: ${sum}${cut}`;
  });
}

// A zero without its sign: one-hot × Linear gives the rows that it leaves out a gradient of -0.
const signed = (value) => (value < 0 ? `(${precise(value)})` : precise(value || 0));
