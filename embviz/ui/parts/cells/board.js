// Coloured number cells on a grid, drawn again and again on the same elements; pointing; playing.
//
// A drawing calls `put` for each element that it wants, and then `sweep`. What is already as it
// should be costs a few comparisons, and no layout. The cells' tint is the value, and nothing else.

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function attribute(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

function board(root) {
  return { root, known: new Map(), used: new Set() };
}

// `at` is [row, column] or [row, column, rows, columns], from 1; `point` says what pointing at it means.
function put(on, key, kind, at, text = "", { point = "", paint = "", title = "" } = {}) {
  let element = on.known.get(key);
  if (!element) {
    element = document.createElement("div");
    on.known.set(key, element);
    on.root.append(element);
  }
  on.used.add(key);
  const [row, column, rows = 1, columns = 1] = at;
  const style = `grid-area: ${row} / ${column} / span ${rows} / span ${columns}; ${paint}`;
  const before = element.look;
  if (before?.kind !== kind) element.className = kind;
  if (before?.style !== style) element.style.cssText = style;
  if (before?.point !== point) element.dataset.point = point;
  if (before?.title !== title) element.title = title;
  if (before?.text !== text) element.textContent = text;
  element.look = { kind, style, point, title, text };
}

function sweep(on) {
  for (const [key, element] of on.known) {
    if (on.used.has(key)) continue;
    element.remove();
    on.known.delete(key);
  }
  on.used.clear();
}

// The colours of a number's cell; a faint one is half the page's colour.
function tint(theme, value, scale, faint = false) {
  let colour = valueColour(theme, value, scale);
  if (faint) colour = colour.map((part, k) => Math.round((part + 2 * theme.page[k]) / 3));
  return `background: ${css(colour)}; color: ${inkOn(colour)}`;
}

// What the pointer, a finger or the focus is on: `over` gets `data-point` of it, or "" where it left;
// `press` gets that of a click. A finger points on after it has left.
function pointing(root, over, press) {
  const of = (event) => event.target.closest?.("[data-point]")?.dataset.point ?? "";
  root.addEventListener("pointerover", (event) => over(of(event)));
  root.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") over(""); });
  root.addEventListener("click", (event) => { if (of(event)) press(of(event)); });
}

// What a `data-point` says: "column 3" is { column: 3 }.
function pointed(point) {
  const [kind, at] = point.split(" ");
  return at === undefined ? {} : { [kind]: Number(at) };
}

// Draws with the page's theme. While Streamlit inserts or removes a component, its colours are
// missing: then again at the next frame, as long as it is in the page.
function themed(ui, element, draw) {
  cancelAnimationFrame(ui.retry);
  const theme = readTheme(element);
  if (theme.diverging.length > 1) { ui.theme = theme; draw(); }
  else ui.retry = requestAnimationFrame(() => { if (element.isConnected) themed(ui, element, draw); });
}

// A play of `count()` steps, each for `pause(step)` ms; `show(step)` draws one, null the end state.
// Where motion is reduced, each press is one step.
function player(count, pause, show) {
  const play = { step: null, timer: null };
  play.forward = () => {
    play.step = play.step === null ? 0 : play.step + 1;
    if (play.step >= count()) { play.stop(); return; }
    show(play.step);
    if (play.timer !== null) play.timer = setTimeout(play.forward, pause(play.step));
  };
  play.pause = () => { clearTimeout(play.timer); play.timer = null; show(play.step); };
  play.stop = () => { clearTimeout(play.timer); play.timer = play.step = null; show(null); };
  play.press = () => {
    if (play.timer !== null) { play.pause(); return; }
    if (!calm()) play.timer = 0;
    play.forward();
  };
  play.one = () => { clearTimeout(play.timer); play.timer = null; play.forward(); };
  return play;
}
