// The entry: Streamlit calls the default export on every data or theme change, on the same DOM.

export default function stage({ data, parentElement, setStateValue, setTriggerValue }) {
  const ui = (parentElement.embviz ??= mount(parentElement));
  ui.ask = (window) => setStateValue("window", window);
  ui.report = (picked) => setTriggerValue("picked", picked);
  ui.themed = false; // read again with the next result: this call may mean another theme
  fromPython(ui, data);
  // Streamlit may call this while the stage is still in the page, or when it stays there.
  return () => setTimeout(() => { if (!parentElement.isConnected) unmount(ui); });
}

function mount(root) {
  const find = (selector) => root.querySelector(selector);
  const ui = {
    root, section: find(".stage"), answer: find(".answer"), exact: find(".exact"), shapes: find(".shapes"),
    roundTrip: find(".round-trip"), sizes: find(".sizes"), nothing: find(".nothing"), body: find(".body"),
    stripNames: find(".strip-names").children, strip: find(".strip"), play: find(".play"),
    slider: find(".slider"), where: find(".where"), pan: find(".pan"), panText: find(".pan-text"),
    earlier: find(".earlier"), later: find(".later"), legend: find(".legend"),
    flow: find(".flow"), picture: find(".picture"), sum: find(".sum"), counts: find(".counts"),
    outputs: find(".outputs"), scroller: find(".scroller"), columns: find(".columns"),
    rows: find(".rows"), heads: root.querySelectorAll(".head code"),
    views: root.querySelectorAll("input[name=view]"), refusal: find(".refusal"), stripRange: [0, 0], chips: [],
    lit: [], pointed: null, pool: new Map(), top: 0, typed: [], number: 0, drawn: 0,
  };
  ui.state = { selected: 0, view: "linear", cell: { token: 0, route: "lookup", dim: 0 } };
  listen(ui);
  keepFolds(root);
  followField(ui);
  watchSize(ui);
  return ui;
}

function unmount(ui) {
  stop(ui);
  cancelAnimationFrame(ui.retry);
  cancelAnimationFrame(ui.revealing);
  clearTimeout(ui.asking);
  clearTimeout(ui.reporting);
  ui.leaveField();
  ui.resized.disconnect();
}

function receive(ui, data) {
  // Streamlit may call while it inserts or removes the stage, when the theme's colours are
  // missing. Try again at the next frame, as long as the stage is in the page.
  cancelAnimationFrame(ui.retry);
  ui.latest = data;
  const theme = ui.themed ? ui.theme : readTheme(ui.section);
  if (theme.diverging.length < 2) {
    ui.retry = requestAnimationFrame(() => { if (ui.root.isConnected) receive(ui, data); });
    return;
  }
  ui.theme = theme;
  ui.themed = true;
  ui.section.dataset.draws = 1 + Number(ui.section.dataset.draws ?? 0);
  const before = ui.data;
  ui.data = data;
  ui.pointed = ui.pointedKey = null;
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
  keepCells(ui, before, data);
  ui.nothing.hidden = data.tokens > 0;
  write(ui.nothing, `No ${data.unit ? "tokens" : "ids"} yet. Type some above, and both routes appear here.`);
  ui.body.hidden = data.tokens === 0;
  drawVerdict(ui, data);
  if (data.tokens === 0) { stop(ui); return; }
  if (ui.state.selected >= data.tokens) {
    ui.state.selected = data.tokens - 1;
  }
  ui.slider.max = data.tokens - 1;
  drawWords(ui, data);
  if (!loaded(data, ui.state.selected)) { wait(ui); return; }
  drawStrip(ui, data, ui.state.selected);
  layout(ui);
}

// Which folds are open, while the page lives: a stage that comes again has them as they were. The table of
// all tokens is open where there is room for it.
const folds = new Map();

function keepFolds(root) {
  root.querySelectorAll("details").forEach((fold, place) => {
    const room = fold.matches(".all") && window.matchMedia("(min-width: 1000px) and (min-height: 850px)").matches;
    fold.open = folds.get(place) ?? room;
    fold.addEventListener("toggle", () => folds.set(place, fold.open));
  });
}
