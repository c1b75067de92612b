// Draws grids of numbers, and says what a cell holds. `_SCRIPTS` names the files before this one.

const HEIGHT = 300; // of all rows, where a row has no height of its own
const LINE = 16; // of a line of labels
const REVOKE_AFTER_MS = 40_000; // Safari reads a download's address some time after the click
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

export default function ({ data, parentElement, setTriggerValue }) {
  const ui = (parentElement.embviz ??= mount(parentElement));
  ui.report = (picked) => setTriggerValue("picked", picked);
  fromPython(ui, data);
  if (ui.page.live) ui.leave ??= followField(ui);
  return () => setTimeout(() => { if (!parentElement.isConnected) unmount(ui); });
}

// What ask.js needs, and the places of words and grids.
function mount(root) {
  const find = (selector) => root.querySelector(selector);
  const ui = {
    root, above: find(".above"), grids: find(".grids"), below: find(".below"),
    heard: find(".heard"), sum: find(".sum"), typed: null, chosen: {},
  };
  ui.refuse = refusalLine(ui, find(".refusal"));
  ui.show = (answer) => receive(ui, answer);
  return ui;
}

function unmount(ui) {
  cancelAnimationFrame(ui.retry);
  ui.leave?.();
  ui.grids.observer?.disconnect();
}

function receive(ui, data) {
  const root = ui.grids;
  cancelAnimationFrame(ui.retry);
  const theme = readTheme(root);
  if (theme.diverging.length < 2) { // Streamlit inserts the component, and its colours are missing
    ui.retry = requestAnimationFrame(() => { if (ui.root.isConnected) receive(ui, data); });
    return;
  }
  writeWords(ui.above, data.above);
  writeWords(ui.below, data.below);
  root.heard = ui.heard;
  root.sum = ui.sum;
  root.terms = data.terms;
  root.more = data.more;
  ui.sum.hidden = !data.terms.length;
  root.observer ??= new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      if (target.width === contentRect.width) continue;
      target.width = contentRect.width;
      paint(root, target.parentElement);
    }
  });
  while (root.children.length > data.grids.length) {
    root.observer.unobserve(root.lastChild.box);
    root.lastChild.remove();
  }
  while (root.children.length < data.grids.length) root.append(figure(root));
  const first = getComputedStyle(root).getPropertyValue("--st-chart-categorical-colors").split(",")[0];
  data.grids.forEach((grid, place) => {
    const one = root.children[place];
    const bytes = Uint8Array.from(atob(grid.values), (letter) => letter.charCodeAt(0));
    const stops = grid.ends[0] < 0 ? theme.diverging : [theme.background, first].map((c) => rgb(c.trim()));
    Object.assign(one, { grid, theme, stops, values: new Float32Array(bytes.buffer) });
    one.name = `embviz_${data.name}${data.grids.length > 1 ? `_${place}` : ""}.csv`;
    describe(one);
    paint(root, one);
  });
  point(root, null);
}

// An empty figure: caption, canvas, the mark on the cell that is pointed at, and its sentence.
function figure(root) {
  const one = document.createElement("figure");
  one.className = "grid";
  one.innerHTML = `<figcaption><span class="finding"></span><span class="legend"><span></span>
    <span class="bar"></span><span></span><button class="csv" type="button">CSV</button></span></figcaption>
    <div class="box"><canvas role="img" tabindex="0"></canvas><div class="mark" hidden></div>
    <div class="said" aria-hidden="true" hidden></div></div>`;
  for (const name of ["finding", "bar", "csv", "box", "mark", "said"]) {
    one[name] = one.querySelector(`.${name}`);
  }
  one.canvas = one.querySelector("canvas");
  one.csv.onclick = () => download(one);
  // A tap moves no pointer: it ends with a click.
  one.canvas.onpointermove = one.canvas.onclick = (event) => point(root, one, cellAt(one, event.offsetX, event.offsetY));
  one.canvas.onpointerleave = one.canvas.onblur = () => point(root, null);
  one.canvas.onkeydown = (event) => {
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [];
    if (event.key === "Escape") point(root, null);
    if (down === undefined) return;
    event.preventDefault();
    const [row, column] = root.pointed ?? [-down, -right];
    point(root, one, inside(one, row + down, column + right));
    root.heard.textContent = one.said.textContent;
  };
  root.observer.observe(one.box);
  return one;
}

function describe({ grid, stops, finding, bar, csv, canvas }) {
  finding.textContent = grid.title;
  canvas.setAttribute("aria-label", grid.alt);
  csv.setAttribute("aria-label", `CSV: ${grid.title}`);
  const [low, high] = grid.ends.map((end) => String(Number(end.toPrecision(2))));
  [bar.previousElementSibling.textContent, bar.nextElementSibling.textContent] = [low, high];
  bar.style.background = `linear-gradient(to right, ${stops.map(css)})`;
}

function colourOf({ grid, stops }, value) {
  const [low, high] = grid.ends;
  return valueColour({ diverging: stops }, value - (low + high) / 2, (high - low) / 2);
}

// Every how many labels one is written, so that none touches the next.
const every = (needed, size) => STEPS.find((step) => step * size >= needed) ?? STEPS.at(-1);

function paint(root, one) {
  const { grid, canvas, theme, box } = one;
  if (!grid || !box.width) return; // the observer gives a width, and then it is painted
  const [rows, columns] = [grid.rows.length, grid.columns.length];
  const context = canvas.getContext("2d");
  const font = `11px ${theme.mono}`;
  context.font = font;
  const [rowTicks, columnTicks] = [grid.ticks ?? grid.rows, grid.ticks ?? grid.columns];
  const widest = (labels) => Math.max(...labels.map((label) => context.measureText(label).width));
  const left = Math.ceil(widest(rowTicks)) + 8 + (grid.axes[0] ? LINE : 0);
  const rowHigh = grid.row_px ?? HEIGHT / rows;
  const wide = box.width - left - 6;
  const lay = (one.lay = { left, top: 6, cellWide: wide / columns, cellHigh: rowHigh });
  const high = rowHigh * rows;
  const [ratio, full] = [devicePixelRatio, Math.ceil(high + 2 * LINE + 10)];
  if (canvas.width !== Math.round(box.width * ratio) || canvas.height !== Math.round(full * ratio)) {
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(full * ratio);
    canvas.style.height = `${full}px`;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, box.width, full);
  context.imageSmoothingEnabled = false;
  context.drawImage(cells(one, rows, columns), left, lay.top, wide, high);
  context.fillStyle = theme.background;
  const gap = grid.row_px ? 1 : 0;
  for (let k = 1; gap && k < rows; k++) context.fillRect(left, lay.top + k * rowHigh - gap / 2, wide, gap);
  for (let k = 1; gap && k < columns; k++) context.fillRect(left + k * lay.cellWide - gap / 2, lay.top, gap, high);
  context.font = font;
  context.textBaseline = "middle";
  context.textAlign = "center";
  if (grid.written !== null && lay.cellWide > 34 && rowHigh > 13) write(one, context);
  context.fillStyle = theme.faint;
  const columnStep = every(widest(columnTicks) + 4, lay.cellWide);
  for (let k = 0; k < columns; k += columnStep) {
    context.fillText(columnTicks[k], left + (k + 0.5) * lay.cellWide, lay.top + high + LINE / 2 + 3);
  }
  context.font = `12px ${getComputedStyle(root).fontFamily}`;
  context.fillText(grid.axes[1], left + wide / 2, lay.top + high + 1.5 * LINE + 3);
  if (grid.axes[0]) {
    context.save();
    context.translate(LINE / 2, lay.top + high / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(grid.axes[0], 0, 0);
    context.restore();
  }
  context.font = font;
  context.textAlign = "right";
  const rowStep = every(12, rowHigh);
  for (let k = 0; k < rows; k += rowStep) context.fillText(rowTicks[k], left - 5, lay.top + (k + 0.5) * rowHigh);
}

// One pixel a cell.
function cells(one, rows, columns) {
  one.small ??= document.createElement("canvas");
  Object.assign(one.small, { width: columns, height: rows });
  const image = new ImageData(columns, rows);
  one.values.forEach((value, k) => image.data.set([...colourOf(one, value), 255], 4 * k));
  one.small.getContext("2d").putImageData(image, 0, 0);
  return one.small;
}

function write(one, context) {
  const { grid, values, lay } = one;
  const columns = grid.columns.length;
  values.forEach((value, k) => {
    context.fillStyle = inkOn(colourOf(one, value));
    const [x, y] = [k % columns + 0.5, Math.floor(k / columns) + 0.5];
    context.fillText(value.toFixed(grid.written), lay.left + x * lay.cellWide, lay.top + y * lay.cellHigh);
  });
}

function cellAt(one, x, y) {
  const { left, top, cellWide, cellHigh } = one.lay;
  const [row, column] = [Math.floor((y - top) / cellHigh), Math.floor((x - left) / cellWide)];
  const [toRow, toColumn] = inside(one, row, column);
  return row === toRow && column === toColumn ? [row, column] : null;
}

const inside = ({ grid }, row, column) => [
  Math.max(0, Math.min(grid.rows.length - 1, row)), Math.max(0, Math.min(grid.columns.length - 1, column)),
];

// Mark a cell in this grid and in those with the same labels; without a cell, in none.
function point(root, from, cell = null) {
  root.pointed = cell;
  const labels = cell && JSON.stringify([from.grid.rows, from.grid.columns]);
  for (const one of root.children) {
    const shown = cell !== null && JSON.stringify([one.grid.rows, one.grid.columns]) === labels;
    one.mark.hidden = one.said.hidden = !shown;
    if (shown) say(one, ...cell);
  }
  addUp(root, from, cell);
}

// The numbers whose sum the cell is, in a place that does not move.
function addUp(root, from, cell) {
  if (!root.terms.length) return;
  const hint = matchMedia("(pointer: coarse)").matches ? "Tap" : "Point at";
  root.sum.textContent = `${hint} a cell: its number is the sum over the places of its letter.`;
  if (!cell) return;
  const [row, column] = cell;
  const { grid, values } = from;
  const terms = root.terms[row].map((place) => place[column]);
  const total = values[row * grid.columns.length + column].toFixed(grid.digits);
  const written = terms.map((term) => (term < 0 ? `(${term.toFixed(grid.digits)})` : term.toFixed(grid.digits)));
  root.sum.textContent = `${grid.rows[row]}, ${grid.axes[1]} ${grid.columns[column]}: ${written.join(" + ")}${root.more.includes(row) ? " + …" : ""} = ${total}`;
}

function say(one, row, column) {
  const { grid, lay, box, mark, said } = one;
  const value = one.values[row * grid.columns.length + column].toFixed(grid.digits);
  const words = { row: grid.rows[row], column: grid.columns[column], i: row, j: column, value };
  said.textContent = grid.cell.replace(/\{(\w+)\}/g, (_, name) => words[name]);
  const [x, y] = [lay.left + column * lay.cellWide, lay.top + row * lay.cellHigh];
  const px = (number) => `${number}px`;
  Object.assign(mark.style, { left: px(x), top: px(y), width: px(lay.cellWide), height: px(lay.cellHigh) });
  const [atRight, isLow] = [x > box.width / 2, 2 * row >= grid.rows.length];
  Object.assign(said.style, {
    left: atRight ? "auto" : px(x), right: atRight ? px(box.width - x - lay.cellWide) : "auto",
    top: isLow ? "auto" : px(y + lay.cellHigh + 4), bottom: isLow ? px(box.clientHeight - y + 4) : "auto",
  });
}

function download({ grid, values, name }) {
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const columns = grid.columns.length;
  const lines = [["", ...grid.columns].map(quoted).join(",")];
  grid.rows.forEach((row, k) => {
    const own = Array.from(values.subarray(k * columns, (k + 1) * columns), (value) => Number(value.toPrecision(7)));
    lines.push([quoted(row), ...own].join(","));
  });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS);
}
