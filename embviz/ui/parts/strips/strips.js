// Draws a text as letters with strips of colour, moves them, and says what a letter and a cell hold.

const CELL_PX = 12; // of a cell, in a strip that is not too long
const STRIP_PX = 132; // of a strip of one band; several bands share it and half of it again
const NARROWEST = 26; // px of a letter
const WIDEST = 56;
const SLIDE_MS = 900;
const TURN_MS = 700; // from a row's colours to those of what comes out
const MOST_TURNING = 20_000; // cells; with more, the colours change at once
const NAMES_PX = 26;
const LETTER_PX = 9; // of a character
const WORD_PX = 7.5; // of one in a longer piece

export default function ({ data, parentElement, setTriggerValue }) {
  const ui = (parentElement.embviz ??= mount(parentElement));
  ui.tell = (seed) => setTriggerValue("shuffle", seed);
  ui.report = (picked) => setTriggerValue("picked", picked);
  fromPython(ui, data);
  if (ui.page.live) ui.leave ??= followField(ui);
  return () => setTimeout(() => { if (!parentElement.isConnected) unmount(ui); });
}

function mount(root) {
  const find = (selector) => root.querySelector(selector);
  const ui = {
    root, verdict: find(".verdict"), go: find(".go"),
    back: find(".back"), board: find(".board"), said: find(".lit-words"),
    tokens: new Map(), lit: null, typed: null, chosen: {},
  };
  ui.refuse = refusalLine(ui, find(".refusal"));
  ui.show = (answer) => receive(ui, unpack(answer));
  ui.go.onclick = () => go(ui);
  ui.back.onclick = () => { ui.moved = false; arrange(ui, true); };
  ui.board.onpointermove = (event) => { if (event.pointerType === "mouse") light(ui, pointedAt(event)); };
  ui.board.onpointerleave = () => light(ui, ui.kept);
  ui.board.onclick = (event) => { ui.kept = pointedAt(event); light(ui, ui.kept); };
  ui.board.addEventListener("focusin", (event) => {
    const place = ui.order?.indexOf(event.target.of);
    if (place >= 0 && event.target.matches(":focus-visible")) light(ui, { place, cell: ui.lit?.cell ?? null });
  });
  ui.board.onkeydown = (event) => step(ui, event);
  ui.observer = new ResizeObserver(() => { if (ui.order) columns(ui); });
  ui.observer.observe(ui.board);
  return ui;
}

function unmount(ui) {
  cancelAnimationFrame(ui.retry);
  cancelAnimationFrame(ui.turning);
  ui.leave?.();
  ui.observer.disconnect();
}

// ---- what arrives ---------------------------------------------------------------------------

function unpack(data) {
  for (const shown of [data, data.then]) for (const band of shown?.bands ?? []) {
    band.values = new Float32Array(Uint8Array.from(atob(band.values), (one) => one.charCodeAt(0)).buffer);
  }
  return data;
}

function receive(ui, data) {
  cancelAnimationFrame(ui.retry);
  const theme = readTheme(ui.board);
  if (theme.diverging.length < 2) { // Streamlit inserts the component, and its colours are missing
    ui.latest = data;
    ui.retry = requestAnimationFrame(() => { if (ui.root.isConnected) receive(ui, data); });
    return;
  }
  const before = ui.theme && ui.latest;
  const same = Boolean(before) && String(before.ids) === String(data.ids);
  const seed = data.then?.seed;
  if (!before) ui.moved = Boolean(data.then?.open);
  else if (!data.then || data.then.open && data.then.seed === null) ui.moved = Boolean(data.then);
  else if (ui.wanted === seed) ui.moved = true; // the order that a press asked for
  else if (!same) ui.moved = false;
  ui.wanted = undefined;
  Object.assign(ui, { latest: data, theme });
  if (!same) ui.kept = data.lit === null ? null : { place: data.lit, cell: null };
  arrange(ui, Boolean(before) && (same || seed === null), !before || same);
}

// ---- letters and their places -----------------------------------------------------------------

const shownOf = (ui) => (ui.moved ? { ...ui.latest, ...ui.latest.then } : ui.latest);

// Put the letters into their order: they slide from where they were, and their colours turn.
function arrange(ui, slides, turns = true) {
  const data = ui.latest;
  const shown = shownOf(ui);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const still = calm || !slides;
  const were = new Map();
  if (!still) for (const one of ui.tokens.values()) if (one.isConnected) were.set(one, one.getBoundingClientRect());
  // The letter of place 3 has the name 3 wherever it goes; one of the other text alone has "+3".
  const names = ui.moved ? data.then.origin.map((from, place) => (from < 0 ? `+${place}` : from)) : data.ids.map((_, place) => place);
  ui.order = names.map((name, place) => token(ui, name, shown, place));
  ui.board.setAttribute("aria-label", shown.alt);
  columns(ui, true);
  writeWords(ui.verdict, shown.said);
  if (data.then) ui.go.textContent = data.then.go;
  ui.go.hidden = !data.then || (ui.moved && data.then.seed === null);
  ui.back.hidden = !ui.moved;
  if (data.then) ui.back.textContent = data.then.back;
  if (!still) for (const one of ui.order) slide(one, were.get(one));
  turn(ui, calm || !turns);
  light(ui, ui.kept);
}

function slide(one, was) {
  const now = one.getBoundingClientRect();
  if (!was) { one.animate([{ opacity: 0 }, { opacity: 1 }], SLIDE_MS); return; }
  const [x, y] = [was.left - now.left, was.top - now.top];
  if (x || y) one.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: SLIDE_MS, easing: "ease-in-out" });
}

function token(ui, name, shown, place) {
  let one = ui.tokens.get(name);
  if (!one) {
    one = Object.assign(document.createElement("button"), { type: "button", className: "token" });
    one.innerHTML = `<span class="label"></span><span class="id"></span>`;
    one.tabIndex = -1;
    ui.tokens.set(name, one);
  }
  const [label, id] = [shown.labels[place], shown.ids[place]];
  if (one.firstChild.textContent !== label) one.firstChild.textContent = label;
  if (one.children[1].textContent !== String(id)) one.children[1].textContent = id;
  one.setAttribute("aria-label", `${label}, id ${id}, place ${place}`);
  const dims = shown.dims;
  const bands = shown.bands.filter((band) => band.shown);
  while (one.children.length > 2 + bands.length) one.lastChild.remove();
  while (one.children.length < 2 + bands.length) {
    const strip = Object.assign(document.createElement("span"), { className: "strip" });
    strip.append(document.createElement("canvas"));
    one.append(strip);
  }
  const high = `${Math.min(dims * CELL_PX, bands.length > 1 ? 0.75 * STRIP_PX : STRIP_PX)}px`;
  bands.forEach((band, k) => {
    const strip = one.children[2 + k];
    if (strip.style.height !== high) strip.style.height = high;
    strip.target = band.values.subarray(place * dims, (place + 1) * dims);
    if (strip.now?.length !== dims) strip.now = null;
    // What comes out is first seen as the row that it comes from.
    strip.now ??= Float32Array.from(one.children[2].target);
  });
  one.of = one;
  return one;
}

// As many letters to a line as fit, and lines of equal length; the names of the strips before each.
function columns(ui, all = false) {
  const { board, order } = ui;
  const shown = shownOf(ui);
  const wide = board.clientWidth - NAMES_PX;
  const longest = Math.max(1, ...shown.labels.map((label, k) => Math.max([...label].length, 0.8 * String(shown.ids[k]).length)));
  const one = Math.min(Math.max(NARROWEST, (longest > 1 ? WORD_PX : LETTER_PX) * longest + 6), 8 * WORD_PX + 6);
  board.classList.toggle("pieces", longest > 1 && shown.labels.some((label) => [...label].length > 1));
  const most = Math.max(1, Math.floor(wide / (one + 3)));
  const lines = (shown.lines ?? [order.length]).flatMap((length) => {
    const count = Math.ceil(length / most);
    const each = Math.ceil(length / count);
    return Array.from({ length: count }, (_, k) => Math.min(each, length - k * each));
  });
  const across = Math.max(1, ...lines);
  const key = `${lines} ${one}`;
  if (!all && key === ui.lines) return;
  ui.lines = key;
  board.style.gridTemplateColumns = `${NAMES_PX}px repeat(${across}, minmax(0, ${Math.max(one, WIDEST)}px))`;
  const parts = [];
  let start = 0;
  for (const length of lines) {
    const names = gutter(shown, !parts.length);
    names.style.gridColumn = "1";
    parts.push(names, ...order.slice(start, start + length));
    start += length;
  }
  board.replaceChildren(...parts);
  order.forEach((one, place) => { one.tabIndex = place === (ui.lit?.place ?? 0) ? 0 : -1; });
}

function gutter(shown, isFirst) {
  const names = Object.assign(document.createElement("span"), { className: "names", ariaHidden: "true" });
  if (!isFirst) return names;
  names.innerHTML = `<span class="label"></span><span class="id">id</span>`;
  const bands = shown.bands.filter((band) => band.shown);
  const high = Math.min(shown.dims * CELL_PX, bands.length > 1 ? 0.75 * STRIP_PX : STRIP_PX);
  for (const band of bands) {
    const name = Object.assign(document.createElement("span"), { className: "band", textContent: high > 40 ? band.name : "" });
    name.style.height = `${high}px`;
    names.append(name);
  }
  return names;
}

// ---- colours ------------------------------------------------------------------------------------

// Each strip goes from the numbers that it shows to its own; at once if `still`.
function turn(ui, still) {
  cancelAnimationFrame(ui.turning);
  const strips = ui.order.flatMap((one) => [...one.children].slice(2));
  const from = strips.map((strip) => strip.now);
  const cells = strips.length * ui.latest.dims;
  const changes = strips.some((strip) => strip.target.some((value, k) => !Object.is(value, strip.now[k])));
  const since = performance.now();
  const frame = (time) => {
    const done = still || !changes || cells > MOST_TURNING ? 1 : Math.min(1, (time - since) / TURN_MS);
    strips.forEach((strip, k) => {
      strip.now = done >= 1 ? strip.target.slice() : strip.target.map((value, d) => from[k][d] + (value - from[k][d]) * Math.max(0, done));
      paint(ui, strip);
    });
    if (done < 1) ui.turning = requestAnimationFrame(frame);
  };
  frame(since);
}

function paint(ui, strip) {
  const canvas = strip.firstChild;
  const high = strip.now.length;
  const image = new ImageData(1, high);
  strip.now.forEach((value, k) => image.data.set([...valueColour(ui.theme, value, ui.latest.largest), 255], 4 * k));
  if (canvas.height !== high || canvas.width !== 1) Object.assign(canvas, { width: 1, height: high });
  canvas.getContext("2d").putImageData(image, 0, 0);
}

// ---- what is pointed at ---------------------------------------------------------------------------

// A place in the order, and the dimension where the pointer is on a strip; null elsewhere.
function pointedAt(event) {
  const one = event.target.closest?.(".token");
  if (!one) return null;
  const strip = event.target.closest(".strip");
  const box = strip?.getBoundingClientRect();
  const high = strip?.target.length;
  const cell = box ? Math.max(0, Math.min(high - 1, Math.floor((event.clientY - box.top) / box.height * high))) : null;
  return { one, cell };
}

// Light every place of one id, and write what it holds.
function light(ui, pointed) {
  const { board, order } = ui;
  const shown = shownOf(ui);
  let place = pointed?.one ? order.indexOf(pointed.one) : pointed?.place ?? -1;
  if (!(place in order)) place = -1;
  ui.lit = place < 0 ? null : { place, cell: pointed.cell };
  const id = shown.ids[place];
  order.forEach((one, k) => one.classList.toggle("lit", place >= 0 && shown.ids[k] === id));
  board.classList.toggle("lights", place >= 0);
  const cell = place < 0 ? null : pointed.cell;
  board.classList.toggle("cell", cell !== null);
  if (cell !== null) {
    board.style.setProperty("--from", cell / shown.dims);
    board.style.setProperty("--share", 1 / shown.dims);
  }
  if (place < 0) { ui.said.words = null; ui.said.innerHTML = HINT; return; }
  writeWords(ui.said, shown.alike[id] + (cell === null ? "" : `\n\n${sumOf(shown, place, cell)}`));
}

const HINT = `<p class="faint"><span class="mouse">Point at</span><span class="touch">Tap</span> a letter.</p>`;

// `Place 4, dimension 3: row 0.4321`, or the sum of the parts.
function sumOf(shown, place, cell) {
  const parts = shown.bands.map(({ name, values }) => `${name} ${precise(values[place * shown.dims + cell])}`);
  const sum = parts.length > 1 ? `${parts.slice(0, -1).join(" + ")} = ${parts.at(-1)}` : parts[0];
  return `Place ${place}, dimension ${cell}: ${sum}`;
}

function step(ui, event) {
  const [right, down] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key] ?? [];
  if (event.key === "Escape") { ui.kept = null; light(ui, null); }
  if (right === undefined) return;
  event.preventDefault();
  const at = Math.max(0, ui.order.indexOf(event.target));
  const place = Math.max(0, Math.min(ui.order.length - 1, at + right));
  const { dims } = ui.latest;
  const cell = down ? Math.max(0, Math.min(dims - 1, (ui.lit?.cell ?? -down) + down)) : ui.lit?.cell ?? null;
  ui.order.forEach((one, k) => { one.tabIndex = k === place ? 0 : -1; });
  ui.order[place].focus();
  ui.kept = { place, cell };
  light(ui, ui.kept);
}

// ---- the button -------------------------------------------------------------------------------

// The first press moves to the order that is there; each further one asks for the next order.
function go(ui) {
  const { then } = ui.latest;
  if (!ui.moved) { ui.moved = true; arrange(ui, true); return; }
  ui.wanted = then.seed === then.last ? 0 : then.seed + 1;
  ui.tell(ui.wanted); // the address follows
  ui.chosen = { shuffle: ui.wanted };
  ask(ui);
}
