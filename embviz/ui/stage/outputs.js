// Both outputs side by side, one row a token; only visible rows are in the page.

const LINE = 18; // px of one line of numbers
const DIGIT = 6.6; // px of one digit
const SPARE = 4; // rows drawn above and below the visible ones

function layOutputs(ui, data, theme) {
  const width = ui.size.outputs;
  // Stacked only where side by side leaves no room for digits.
  const room = (part, label) => Math.floor(((part - label) / data.dimsLoaded - 2) / DIGIT);
  const digits = (part, label) => data.formatFor(room(part, label));
  const stacked = width < 640 || (!digits((width - 16) / 2, 76) && Boolean(digits(width, 65)));
  ui.outputs.classList.toggle("stacked", stacked);
  const half = stacked ? width : (width - 16) / 2;
  let label = stacked ? 65 : 76;
  // A piece takes what the digits leave.
  const rest = Math.floor(half - data.dimsLoaded * (DIGIT * room(half, label) + 2));
  if (data.pieces) label = Math.max(label, Math.min(130, rest));
  const cell = (half - label) / data.dimsLoaded;
  ui.lay = {
    stacked, rowHeight: stacked ? 2 * LINE + 4 : LINE,
    format: digits(half, label),
  };
  attribute(ui.scroller, "aria-rowcount", data.tokens + 1);
  attribute(ui.scroller, "aria-colcount", 2 * data.dims);
  // As tall as its rows, up to what the window leaves; a phone scrolls the page instead.
  const fold = Math.max(4, Math.floor((ui.size.below - 92) / LINE)) * LINE + 20;
  const tall = data.ids.length * ui.lay.rowHeight;
  ui.lay.height = Math.min(tall + 20, stacked ? 10 * ui.lay.rowHeight + 20 : fold);
  ui.lay.last = Math.max(0, tall + 20 - ui.lay.height);
  ui.top = Math.min(ui.top, ui.lay.last);
  ui.scroller.style.height = `${ui.lay.height}px`;
  ui.rows.style.height = `${tall}px`;
  ui.outputs.classList.toggle("pieces", data.pieces);
  ui.outputs.style.setProperty("--label", `${stacked ? label - 3 : label}px`); // the border takes 3
  const look = [stacked, half, label, data.dimsLoaded, data.firstDim, data.scale, data.whole, theme.background, theme.text].join();
  if (ui.look !== look) layColumns(ui, data, Math.max(1, Math.ceil(24 / cell)));
  keepRows(ui, data, ui.look === look);
  ui.look = look;
}

function layColumns(ui, data, every) {
  ui.outputs.style.setProperty("--dims", data.dimsLoaded);
  const names = Array.from({ length: data.dimsLoaded }, (_, d) => (d % every ? "" : String(data.firstDim + d)));
  ui.columns.replaceChildren(...["lookup", "matmul"].slice(0, ui.lay.stacked ? 1 : 2).map((route) => {
    const element = half_(route);
    element.append(cell_("label", ""), ...names.map((name) => cell_("dim", name, "columnheader")));
    return element;
  }));
}

// Keeps rows that would look the same: typing changes one token, not the twenty before it. A row whose
// token moved, because a person types at the front, moves with it.
function keepRows(ui, data, sameLook) {
  const before = ui.rowsOf;
  const moved = [];
  const kept = new Map();
  for (const [token, row] of ui.pool) {
    if (sameLook && loaded(data, token) && sameToken(before, token, data, token)) kept.set(token, row);
    else moved.push([token, row]);
  }
  ui.pool = kept;
  ui.rowsOf = data;
  ui.reuse = (token) => {
    const at = sameLook ? moved.findIndex(([was]) => sameToken(before, was, data, token)) : -1;
    return at < 0 ? null : moved.splice(at, 1)[0][1];
  };
  ui.discard = () => { for (const [, row] of moved.splice(0)) row.remove(); };
}

function half_(route) {
  const element = document.createElement("div");
  element.className = `half ${route}`;
  element.role = "presentation";
  return element;
}

function cell_(className, text, role = "presentation") {
  const element = document.createElement("span");
  element.className = className;
  element.role = role;
  element.textContent = text;
  return element;
}

function drawOutputs(ui, data, theme, state) {
  const { rowHeight } = ui.lay;
  const first = Math.max(0, Math.floor(ui.top / rowHeight) - SPARE);
  const last = Math.min(data.ids.length, Math.ceil((ui.top + ui.lay.height) / rowHeight) + SPARE);
  for (const [token, row] of ui.pool) {
    if (token < data.firstToken + first || token >= data.firstToken + last) {
      if (row.contains(ui.root.activeElement)) continue; // a focused row stays until focus leaves
      row.remove();
      ui.pool.delete(token);
    }
  }
  for (let place = first; place < last; place++) {
    const token = data.firstToken + place;
    let row = ui.pool.get(token);
    if (!row) ui.pool.set(token, (row = ui.reuse(token) ?? outputRow(ui, data, theme, token)));
    placeRow(row, token, place * rowHeight);
    const selected = token === state.selected;
    if (row.ariaSelected !== String(selected)) {
      row.classList.toggle("selected", selected);
      row.ariaSelected = String(selected);
    }
  }
  ui.discard();
  inOrder(ui, data.firstToken + first, data.firstToken + last);
  placeTabStop(ui, state);
  light(ui);
}

function placeRow(row, token, y) {
  if (row.token === token && row.y === y) return;
  [row.token, row.y] = [token, y];
  row.dataset.token = token;
  row.ariaRowIndex = token + 2;
  row.style.transform = `translateY(${y}px)`;
}

// The rows' order in the page is the tokens' order: a screen reader reads it.
function inOrder(ui, first, last) {
  let at = ui.rows.firstElementChild;
  for (let token = first; token < last; token++) {
    const row = ui.pool.get(token);
    if (row === at) at = at.nextElementSibling;
    else ui.rows.insertBefore(row, at);
  }
}

function outputRow(ui, data, theme, token) {
  const { label, standIn, name: full } = labelAt(data, token);
  const row = document.createElement("div");
  row.className = "row";
  row.role = "row";
  for (const route of ["lookup", "matmul"]) {
    const half = half_(route);
    const name = cell_("label", "", route === "lookup" ? "rowheader" : "presentation");
    if (data.pieces) name.title = full;
    name.append(cell_(standIn ? "glyph stand-in" : "glyph", label), cell_("id", count(idAt(data, token))));
    half.append(name);
    for (let dim = 0; dim < data.dimsLoaded; dim++) {
      const value = outputAt(data, route, token, dim);
      const colour = valueColour(theme, value, data.scale);
      const element = cell_("cell", ui.lay.format ? ui.lay.format(value) : "", "gridcell");
      element.style.backgroundColor = css(colour);
      element.style.color = inkOn(colour);
      element.dataset.dim = dim;
      element.dataset.route = route;
      element.tabIndex = -1;
      if (!ui.lay.format) element.setAttribute("aria-label", precise(value));
      if (differsAt(data, token, dim)) element.classList.add("differs");
      half.append(element);
    }
    row.append(half);
  }
  return row;
}

const cellAt = (ui, { token, route, dim }) =>
  ui.pool.get(token)?.querySelector(`[data-route="${route}"][data-dim="${dim}"]`);

// One cell of the grid is in the Tab order: the last focused one, or one of the selected row.
function placeTabStop(ui, state) {
  const wanted = cellAt(ui, state.cell) ?? cellAt(ui, { ...state.cell, token: state.selected });
  if (ui.tabStop && ui.tabStop !== wanted) ui.tabStop.tabIndex = -1;
  if (wanted) wanted.tabIndex = 0;
  ui.tabStop = wanted;
}

// Scrolls a token's row into view inside the scroller, without moving the page.
function revealRow(ui, data, token) {
  const { rowHeight, height, last } = ui.lay;
  const top = (token - data.firstToken) * rowHeight;
  const room = height - 20;
  let wanted = ui.top;
  if (top < ui.top) wanted = top;
  else if (top + rowHeight > ui.top + room) wanted = Math.ceil((top + rowHeight - room) / rowHeight) * rowHeight;
  if (wanted !== ui.top) ui.scroller.scrollTop = ui.top = Math.min(wanted, last);
}
