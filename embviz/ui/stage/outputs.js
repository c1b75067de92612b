// Both outputs side by side, one row a token; only visible rows are in the page.

const LINE = 18; // px of one line of numbers
const SPARE = 4; // rows drawn above and below the visible ones

function layOutputs(ui, data, theme) {
  const width = ui.scroller.clientWidth;
  // Stacked only where side by side leaves no room for digits.
  const digits = (part, label) => data.formatFor(Math.floor(((part - label) / data.dimsLoaded - 2) / 6.6));
  const stacked = width < 640 || (!digits((width - 16) / 2, 76) && Boolean(digits(width, 65)));
  ui.outputs.classList.toggle("stacked", stacked);
  const half = stacked ? width : (width - 16) / 2;
  const label = stacked ? 65 : 76;
  const cell = (half - label) / data.dimsLoaded;
  ui.lay = {
    stacked, rowHeight: stacked ? 2 * LINE + 4 : LINE,
    format: digits(half, label),
  };
  ui.outputs.style.setProperty("--dims", data.dimsLoaded);
  ui.scroller.setAttribute("aria-rowcount", data.tokens + 1);
  ui.scroller.setAttribute("aria-colcount", 2 * data.dims);
  const every = Math.max(1, Math.ceil(24 / cell));
  const names = Array.from({ length: data.dimsLoaded }, (_, d) => (d % every ? "" : String(data.firstDim + d)));
  ui.columns.replaceChildren(...["lookup", "matmul"].slice(0, stacked ? 1 : 2).map((route) => {
    const element = half_(route);
    element.append(cell_("label", ""), ...names.map((name) => cell_("dim", name, "columnheader")));
    return element;
  }));
  // As tall as its rows, up to what the window leaves; a phone scrolls the page instead.
  const room = Math.max(8, Math.floor((window.innerHeight - ui.fold - 96) / LINE)) * LINE + 20;
  const tall = data.ids.length * ui.lay.rowHeight + 20;
  ui.scroller.style.height = `${Math.min(tall, stacked ? 10 * ui.lay.rowHeight + 20 : room)}px`;
  ui.rows.style.height = `${data.ids.length * ui.lay.rowHeight}px`;
  keepRows(ui, data, theme, [stacked, half, data.dimsLoaded, data.firstDim, data.scale, data.whole]);
}

// Keeps rows that would look the same: typing changes one token, not the twenty before it.
function keepRows(ui, data, theme, look) {
  const stamp = [...look, theme.background, theme.text].join();
  const kept = new Map();
  for (const [token, row] of ui.stamp === stamp ? ui.pool : []) {
    if (loaded(data, token) && row.place === token - data.firstToken && sameRow(data, token, row.drawn)) {
      kept.set(token, row);
    }
  }
  for (const [token, row] of ui.pool) if (!kept.has(token)) row.remove();
  ui.pool = kept;
  ui.stamp = stamp;
}

// All that a row shows: id, label, every number of both routes, and which of them differ.
function rowContent(data, token) {
  const { label, standIn } = labelAt(data, token);
  const content = [idAt(data, token), label, standIn];
  for (let dim = 0; dim < data.dimsLoaded; dim++) {
    content.push(outputAt(data, "lookup", token, dim), outputAt(data, "matmul", token, dim), differsAt(data, token, dim));
  }
  return content;
}

function sameRow(data, token, drawn) {
  const content = rowContent(data, token);
  return content.length === drawn.length && content.every((value, i) => Object.is(value, drawn[i]));
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
  const top = ui.scroller.scrollTop;
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const last = Math.min(data.ids.length, Math.ceil((top + ui.scroller.clientHeight) / rowHeight) + SPARE);
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
    if (!row) {
      row = outputRow(ui, data, theme, token);
      row.place = place;
      row.drawn = rowContent(data, token);
      row.style.transform = `translateY(${place * rowHeight}px)`;
      ui.pool.set(token, row);
      ui.rows.append(row);
    }
    const selected = token === state.selected;
    row.classList.toggle("selected", selected);
    row.ariaSelected = String(selected);
  }
  placeTabStop(ui, state);
}

function outputRow(ui, data, theme, token) {
  const { label, standIn } = labelAt(data, token);
  const row = document.createElement("div");
  row.className = "row";
  row.role = "row";
  row.dataset.token = token;
  row.ariaRowIndex = token + 2;
  for (const route of ["lookup", "matmul"]) {
    const half = half_(route);
    const name = cell_("label", "", route === "lookup" ? "rowheader" : "presentation");
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
  const top = (token - data.firstToken) * ui.lay.rowHeight;
  const room = ui.scroller.clientHeight - 20;
  if (top < ui.scroller.scrollTop) ui.scroller.scrollTop = top;
  else if (top + ui.lay.rowHeight > ui.scroller.scrollTop + room) {
    ui.scroller.scrollTop = Math.ceil((top + ui.lay.rowHeight - room) / ui.lay.rowHeight) * ui.lay.rowHeight;
  }
}

// The full sum behind one output cell: the terms of matmul, or the number that lookup read.
function explain(data, token, dim, route) {
  const id = idAt(data, token);
  const column = data.firstDim + dim;
  const value = precise(outputAt(data, route, token, dim));
  const name = `output[${[...indexOf(data, token), column].join(", ")}]`;
  if (route === "lookup") return `${name} = W[${id}, ${column}] = ${value}, one number read`;
  const factor = (row) => (row === id ? 1 : 0);
  const term = (row) => `${factor(row)}·W[${row}, ${column}]`;
  const product = (row) => `${factor(row)}·${precise(weightAt(data, row, dim)).replace(/^-.*/, "($&)")}`;
  const last = data.rows - 1;
  const terms = [];
  for (const row of [0, 1, id, last]) if (row <= last && !terms.includes(row)) terms.push(row);
  terms.sort((a, b) => a - b);
  const sum = (write) => terms
    .flatMap((row, i) => (i && row > terms[i - 1] + 1 ? ["…", write(row)] : [write(row)])).join(" + ");
  const known = terms.every((row) => weightAt(data, row, dim) !== undefined);
  return [name, sum(term), ...(known ? [sum(product)] : []), value].join(" = ");
}
