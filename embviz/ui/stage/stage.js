// The entry: Streamlit calls the default export on every data or theme change, on the same DOM.

const PLAY_MS = 650;
const LINK_MS = 200; // pause before the address follows
const ASK_MS = 250; // pause before a window is requested
const HINT = "Point at an output cell, or reach it with Tab and the arrow keys, to see its sum. W is Embedding.weight.";

export default function ({ data, parentElement, setStateValue }) {
  const ui = (parentElement.embviz ??= mount(parentElement));
  ui.ask = (window) => setStateValue("window", window);
  receive(ui, unpack(data));
  return () => { if (!parentElement.isConnected) unmount(ui); };
}

function mount(root) {
  const find = (selector) => root.querySelector(selector);
  const ui = {
    root, section: find(".stage"), answer: find(".answer"), shapes: find(".shapes"),
    roundTrip: find(".round-trip"), nothing: find(".nothing"), body: find(".body"),
    stripNames: find(".strip-names").children, strip: find(".strip"), play: find(".play"),
    slider: find(".slider"), where: find(".where"), pan: find(".pan"), panText: find(".pan-text"),
    earlier: find(".earlier"), later: find(".later"), legend: find(".legend"),
    picture: find(".picture"), sum: find(".sum"), counts: find(".counts"),
    outputs: find(".outputs"), scroller: find(".scroller"), columns: find(".columns"),
    rows: find(".rows"), heads: root.querySelectorAll(".head code"),
    views: root.querySelectorAll("input[name=view]"), stripRange: [0, 0], pool: new Map(),
  };
  const query = new URLSearchParams(window.location.search);
  const link = (window.embvizLink ??= new Map());
  for (const name of ["token", "view"]) if (query.has(name)) link.set(name, query.get(name));
  const token = Number(link.get("token") ?? 0);
  ui.state = {
    selected: Number.isInteger(token) && token > 0 ? token : 0,
    view: link.get("view") === "embedding" ? "embedding" : "linear",
    cell: { token: 0, route: "lookup", dim: 0 },
  };
  for (const radio of ui.views) radio.checked = radio.value === ui.state.view;
  listen(ui);
  window.embvizReset = () => reset(ui);
  return ui;
}

function unmount(ui) {
  stop(ui);
  cancelAnimationFrame(ui.retry);
  clearTimeout(ui.asking);
  ui.resized.disconnect();
}

// ---- data in ------------------------------------------------------------------------------

function receive(ui, data) {
  // Streamlit may call while it inserts or removes the stage, when the theme's colours are
  // missing. Try again at the next frame, as long as the stage is in the page.
  cancelAnimationFrame(ui.retry);
  const theme = readTheme(ui.section);
  if (theme.diverging.length < 2) {
    ui.retry = requestAnimationFrame(() => { if (ui.root.isConnected) receive(ui, data); });
    return;
  }
  ui.theme = theme;
  ui.data = data;
  data.scale = Math.max(...data.extremes.map(Math.abs)) || largest([data.lookup, data.matmul]);
  ui.section.classList.toggle("stale", data.stale);
  ui.body.inert = data.stale;
  const numbers = [data.table, data.lookup, data.matmul];
  data.whole = numbers.every((array) => array.every(Number.isInteger));
  const formats = new Map();
  data.formatFor = (characters) => {
    if (!formats.has(characters)) formats.set(characters, numberFormat(data.whole, data.scale, characters));
    return formats.get(characters);
  };
  ui.nothing.hidden = data.tokens > 0;
  ui.nothing.textContent = `No ${data.unit ? "tokens" : "ids"} yet. Type some above, and both routes appear here.`;
  ui.body.hidden = data.tokens === 0;
  drawVerdict(ui, data);
  if (data.tokens === 0) { stop(ui); return; }
  if (ui.state.selected >= data.tokens) {
    ui.state.selected = data.tokens - 1;
    rememberInUrl("token", ui.state.selected || null);
  }
  ui.slider.max = data.tokens - 1;
  drawWords(ui, data);
  if (!loaded(data, ui.state.selected)) { wait(ui); return; }
  drawStrip(ui, data, ui.state.selected);
  layout(ui);
}

function layout(ui) {
  ui.fold = ui.scroller.getBoundingClientRect().top + scrolled(ui.section);
  layOutputs(ui, ui.data, ui.theme);
  select(ui, ui.state.selected, { remember: false });
}

// How far the page is scrolled: the outputs' height must not depend on it.
function scrolled(element) {
  let total = 0;
  for (let box = element.getRootNode().host; box; box = box.parentElement) total += box.scrollTop;
  return total;
}

function drawVerdict(ui, data) {
  const v = data.verdict;
  ui.section.classList.toggle("unequal", !v.bitwiseEqual);
  const counted = `${count(v.equal)} of ${count(v.values)} values`;
  const where = v.differing.length
    ? ` Tokens that differ: ${v.differing.map(count).join(", ")}${v.differingTotal > v.differing.length ? ` and ${count(v.differingTotal - v.differing.length)} more` : ""}.`
    : "";
  parts(ui.answer, [
    ["mark", v.bitwiseEqual ? "=" : "≠"],
    ["strong", v.bitwiseEqual ? "Bitwise equal" : "Not bitwise equal"],
    ["", `: ${counted} have the same bits, max |difference| ${v.maxAbsError}, max `],
    ["abbr", `ulp ${v.maxUlp}`], ["", `.${where}`],
  ]);
  const ulp = ui.answer.querySelector("abbr");
  ulp.title = "units in the last place: how many representable numbers lie between the two";
  if (!data.tokens) parts(ui.answer, [["", "Nothing to compare yet."]]);
  if (data.stale) parts(ui.answer, [["", "Below, faint: the last input that could be used."]]);
  parts(ui.shapes, [
    ["", "ids "], ["code", v.idsShape], ["", " → one_hot "], ["code", v.oneHotShape],
    ["", " → output "], ["code", v.outputShape], ["", ` ${data.dtype}`],
  ]);
  const trip = data.roundTrip;
  ui.roundTrip.hidden = !trip || data.tokens === 0;
  if (!trip) return;
  const lost = trip.lost === 1 ? "1 character" : `${count(trip.lost)} characters`;
  parts(ui.roundTrip, trip.equal
    ? [["code", "decode(encode(text)) == text"], ["", " is "], ["strong", "True"], ["", ": the ids hold the whole text."]]
    : [["code", "decode(encode(text)) == text"], ["", " is "], ["strong", "False"],
       ["", `: ${lost} became <unk> and cannot come back: `], ["code", trip.back]]);
}

function parts(element, pieces) {
  element.replaceChildren(...pieces.map(([kind, text]) => {
    const piece = document.createElement(["code", "strong", "abbr"].includes(kind) ? kind : "span");
    if (kind === "mark") { piece.className = "mark"; piece.ariaHidden = "true"; }
    piece.textContent = text;
    return piece;
  }));
}

function drawWords(ui, data) {
  const c = data.cost;
  parts(ui.counts, [
    ["strong", "lookup"], ["", ` reads ${count(c.read)} numbers. `],
    ["strong", "matmul"], ["", ` is ${count(c.multiplications)} multiplications, ${count(c.byZero)} of them by zero. `],
    ["", `The ids take ${bytesText(c.idsBytes)}, the one-hot ${bytesText(c.oneHotBytes)}.`],
  ]);
  ui.counts.children[0].className = "lookup-word";
  ui.counts.children[2].className = "matmul-word";
  ui.heads[0].textContent = `nn.Embedding(${data.rows}, ${data.dims})(ids)`;
  ui.heads[1].textContent = `nn.Linear(${data.rows}, ${data.dims}, bias=False)(one_hot)`;
  ui.pan.hidden = data.dimsLoaded === data.dims;
  ui.panText.textContent = `dimensions ${data.firstDim}-${data.firstDim + data.dimsLoaded - 1} of ${count(data.dims)}`;
  ui.earlier.disabled = data.firstDim === 0;
  ui.later.disabled = data.firstDim + data.dimsLoaded >= data.dims;
  ui.wantedDim = data.firstDim;
  const [low, bar, high] = ui.legend.children;
  const [least, most] = data.extremes;
  low.textContent = `weights ${precise(least)}`;
  high.textContent = precise(most);
  const stops = Array.from({ length: 21 }, (_, i) => least + ((most - least) * i) / 20);
  bar.style.background = `linear-gradient(90deg, ${stops.map((v) => css(valueColour(ui.theme, v, data.scale))).join(",")})`;
  hint(ui);
}

function hint(ui) {
  ui.sum.textContent = HINT;
  ui.sum.classList.add("hint");
}

function tell(ui, words) {
  ui.sum.textContent = words;
  ui.sum.classList.remove("hint");
}

// ---- selection ----------------------------------------------------------------------------

function select(ui, token, { remember = true } = {}) {
  const { data, state } = ui;
  state.selected = Math.max(0, Math.min(token, data.tokens - 1));
  ui.slider.value = state.selected;
  if (remember) rememberInUrl("token", state.selected || null);
  if (!loaded(data, state.selected)) { wait(ui); return; }
  ui.section.classList.remove("waiting");
  const id = idAt(data, state.selected);
  const index = indexOf(data, state.selected).join(", ");
  ui.where.textContent = `ids[${index}] = ${id}` + (data.unit ? `  ${labelAt(data, state.selected).name}` : "");
  ui.where.title = ui.where.textContent;
  ui.slider.setAttribute("aria-valuetext", ui.where.textContent);
  markStrip(ui, data, state.selected);
  ui.plan = drawPicture(ui, data, ui.theme, state.selected, state.view);
  revealRow(ui, data, state.selected);
  drawOutputs(ui, data, ui.theme, state);
  // A table too large to send whole: request the rows around this id after a pause.
  const { first, size } = ui.plan.shown;
  if (first < data.firstRow || first + size > data.firstRow + data.rowsLoaded) askSoon(ui);
}

// The selected token is outside the sent window: show that, and request it.
function wait(ui) {
  ui.section.classList.add("waiting");
  ui.where.textContent = `position ${count(ui.state.selected)} of ${count(ui.data.tokens)}: loading …`;
  askSoon(ui);
}

function askSoon(ui) {
  clearTimeout(ui.asking);
  ui.asking = setTimeout(() => ui.ask({ token: ui.state.selected, dim: ui.wantedDim }), ASK_MS);
}

// "Reset settings" resets `token` and `view`, which no widget holds, through the listener.
function reset(ui) {
  stop(ui);
  ui.state.selected = 0;
  ui.state.view = "linear";
  for (const radio of ui.views) radio.checked = radio.value === "linear";
  rememberInUrl("token", null);
  rememberInUrl("view", null);
  if (ui.data?.tokens && loaded(ui.data, 0)) layout(ui);
}

// The address follows the selection after a pause, without a request: browsers refuse an address
// that changes hundreds of times in a few seconds.
function rememberInUrl(name, value) {
  const link = (window.embvizLink ??= new Map()); // see listen.js
  if (value === null) link.delete(name);
  else link.set(name, String(value));
  clearTimeout(window.embvizLinkTimer);
  window.embvizLinkTimer = setTimeout(() => {
    const url = new URL(window.location.href);
    for (const known of ["token", "view"]) {
      if (link.has(known)) url.searchParams.set(known, link.get(known));
      else url.searchParams.delete(known);
    }
    if (url.href !== window.location.href) window.history.replaceState({}, "", url);
  }, LINK_MS);
}

function play(ui) {
  if (ui.playing) { stop(ui); return; }
  ui.play.ariaPressed = "true";
  ui.playing = setInterval(() => select(ui, (ui.state.selected + 1) % ui.data.tokens), PLAY_MS);
}

function stop(ui) {
  clearInterval(ui.playing);
  ui.playing = null;
  ui.play.ariaPressed = "false";
}

// ---- pointer and keys --------------------------------------------------------------------------------

function listen(ui) {
  const { state } = ui;
  ui.play.setAttribute("aria-label", "Play through the tokens");
  ui.play.onclick = () => play(ui);
  ui.slider.oninput = () => { stop(ui); select(ui, Number(ui.slider.value)); };
  ui.strip.onclick = (event) => {
    const chip = event.target.closest(".chip");
    if (chip) { stop(ui); select(ui, Number(chip.dataset.token)); }
  };
  ui.strip.onkeydown = (event) => {
    const token = stepped(event.key, state.selected, ui.data.tokens);
    if (token === null) return;
    event.preventDefault();
    stop(ui);
    select(ui, token);
    ui.strip.querySelector(".selected")?.focus({ preventScroll: true });
  };
  for (const radio of ui.views) radio.onchange = () => {
    state.view = radio.value;
    rememberInUrl("view", state.view === "linear" ? null : state.view);
    layout(ui);
  };
  ui.earlier.onclick = () => panBy(ui, -ui.data.dimsLoaded);
  ui.later.onclick = () => panBy(ui, ui.data.dimsLoaded);
  ui.picture.onpointermove = (event) => {
    const box = ui.picture.getBoundingClientRect();
    const scale = box.width / ui.picture.offsetWidth; // projector mode zooms the picture
    const [x, y] = [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
    const under = cellUnder(ui.plan, state.view, x, y);
    if (!under) { hint(ui); return; }
    const [row, dim] = [under[0], ui.data.firstDim + under[1]];
    tell(ui, `Embedding.weight[${row}, ${dim}] = Linear.weight[${dim}, ${row}] = ${precise(weightAt(ui.data, ...under))}`);
  };
  ui.picture.onpointerleave = () => hint(ui);
  ui.scroller.onscroll = () => drawOutputs(ui, ui.data, ui.theme, state);
  ui.rows.onpointerover = (event) => explainCell(ui, event.target);
  ui.rows.onpointerleave = () => hint(ui);
  ui.rows.addEventListener("focusin", (event) => {
    const cell = explainCell(ui, event.target);
    if (cell) { state.cell = cell; placeTabStop(ui, state); }
  });
  ui.rows.onclick = (event) => {
    const row = event.target.closest(".row");
    if (row) { stop(ui); select(ui, Number(row.dataset.token)); }
  };
  ui.rows.onkeydown = (event) => moveCell(ui, event);
  let width = 0;
  ui.resized = new ResizeObserver(([entry]) => {
    if (entry.contentRect.width === width || !ui.data?.tokens) return;
    width = entry.contentRect.width;
    if (loaded(ui.data, state.selected)) layout(ui);
  });
  ui.resized.observe(ui.section);
}

function stepped(key, from, total) {
  const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: total - 1 }[key];
  return to === undefined ? null : Math.max(0, Math.min(total - 1, to));
}

function panBy(ui, dims) {
  const { data } = ui;
  ui.wantedDim = Math.max(0, Math.min(ui.wantedDim + dims, data.dims - data.dimsLoaded));
  ui.panText.textContent = `dimensions ${ui.wantedDim}-${ui.wantedDim + data.dimsLoaded - 1} of ${count(data.dims)} …`;
  askSoon(ui);
}

function explainCell(ui, target) {
  const cell = target.closest(".cell");
  if (!cell) return null;
  const at = { token: Number(target.closest(".row").dataset.token), route: cell.dataset.route, dim: Number(cell.dataset.dim) };
  tell(ui, explain(ui.data, at.token, at.dim, at.route));
  return at;
}

function moveCell(ui, event) {
  const { cell } = ui.state;
  const { data } = ui;
  const next = { ...cell };
  if (event.key === "ArrowUp") next.token--;
  else if (event.key === "ArrowDown") next.token++;
  else if (event.key === "Home") next.dim = 0;
  else if (event.key === "End") next.dim = data.dimsLoaded - 1;
  else if (event.key === "ArrowRight") {
    if (next.dim + 1 < data.dimsLoaded) next.dim++;
    else if (next.route === "lookup") { next.route = "matmul"; next.dim = 0; }
  } else if (event.key === "ArrowLeft") {
    if (next.dim > 0) next.dim--;
    else if (next.route === "matmul") { next.route = "lookup"; next.dim = data.dimsLoaded - 1; }
  } else if (event.key === "Enter" || event.key === " ") { select(ui, cell.token); event.preventDefault(); return; }
  else return;
  event.preventDefault();
  if (!loaded(data, next.token)) return;
  ui.state.cell = next;
  revealRow(ui, data, next.token);
  drawOutputs(ui, data, ui.theme, ui.state);
  cellAt(ui, next)?.focus({ preventScroll: true });
}
