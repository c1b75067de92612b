// The picture: one-hot x weight = output, on one canvas, in either orientation.
//
// "linear" draws Linear.weight, D x V: the one-hot lies on top, its 1 picks a column.
// "embedding" draws Embedding.weight, V x D: the one-hot stands at the left, its 1 picks a row.

const ROW = 17;          // px of a row with digits in it
const HAND_ROW = 24;     // px, of a table that is multiplied by hand
const TABLE_ROWS = 9;    // rows of Embedding.weight drawn around the selection
const PICTURE_FONT = 11; // px

function drawPicture(ui, data, theme, view) {
  const { width, ratio } = ui.size;
  const { token: selected, row, dim } = pointedAt(ui);
  const id = idAt(data, selected);
  const stamp = [view, width, ratio, id, indexOf(data, selected), row, dim].join(" ");
  const { pictured } = ui;
  if (ui.cells && pictured.stamp === stamp && pictured.theme === theme.name && sameToken(pictured.data, pictured.selected, data, selected)) return;
  ui.pictured = { stamp, theme: theme.name, data, selected };
  const plan = (view === "linear" ? planLinear : planEmbedding)(data, width, id);
  const pen = sized(ui.picture, ui.size, plan.height);
  font(pen, theme);
  (view === "linear" ? paintLinear : paintEmbedding)(pen, data, theme, plan, id, selected, (place) => cells(ui, pen, plan, place));
  if (ui.pointed) framePicture(pen, theme, plan, view, row, dim, row === id);
  attribute(ui.picture, "aria-label", describePicture(data, view, id, selected));
  ui.plan = plan;
}

// A canvas of this height and the stage's width, empty. `ratio` counts the zoom of projector mode, so that
// each pixel is drawn.
function sized(canvas, { width, ratio }, height) {
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.textBaseline = "middle";
  return pen;
}

// Frames the row of the weight that is pointed at, its factor, and all numbers of the sum.
function framePicture(pen, theme, plan, view, row, dim, picked) {
  const { heat, hot, output, shown, cellWidth, cellHeight } = plan;
  const at = row - shown.first;
  const inside = at >= 0 && at < shown.size;
  const box = (x, y, width, height) => frame(pen, theme, x, y, width, height);
  if (view === "linear") {
    const x = heat.x + at * cellWidth;
    if (inside && !picked) box(x, heat.y, cellWidth, heat.height);
    if (inside) box(x, hot.y, cellWidth, hot.height);
    if (dim === null) return;
    const y = heat.y + dim * cellHeight;
    box(heat.x, y, heat.width, cellHeight);
    if (inside) box(x, y, cellWidth, cellHeight);
    box(output.x, y, output.width, cellHeight);
  } else {
    const y = heat.y + at * cellHeight;
    if (inside && !picked) box(heat.x, y, heat.width, cellHeight);
    if (inside) box(hot.x, y, hot.width, cellHeight);
    if (dim === null) return;
    const x = heat.x + dim * cellWidth;
    box(x, heat.y, cellWidth, heat.height);
    if (inside) box(x, y, cellWidth, cellHeight);
    box(x, output.y, cellWidth, cellHeight);
  }
}

// A frame of two colours, seen on any value.
function frame(pen, theme, x, y, width, height) {
  pen.lineWidth = 1;
  pen.strokeStyle = theme.background;
  if (width >= 12) pen.strokeRect(x + 1.5, y + 1.5, Math.max(0, width - 3), Math.max(0, height - 3));
  pen.lineWidth = 1.5;
  pen.strokeStyle = theme.text;
  pen.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
}

// Whether the table is so small that every number is written, and the product can be done by hand.
const byHand = (data) => data.rows <= 8 && data.dims <= 6;

function font(pen, theme, weight = "") {
  pen.font = `${weight} ${PICTURE_FONT}px ${theme.mono}`;
}

function describePicture(data, view, id, selected) {
  const part = view === "linear" ? "column" : "row";
  const layer = view === "linear" ? `Linear.weight, ${data.dims} by ${data.rows}` : `Embedding.weight, ${data.rows} by ${data.dims}`;
  const output = Array.from({ length: Math.min(8, data.dimsLoaded) }, (_, d) => precise(outputAt(data, "matmul", selected, d)));
  return `A one-hot row with its 1 at ${id} picks ${part} ${id} of ${layer}. The output starts ${output.join(", ")}.`;
}

// ---- Linear.weight, D x V -------------------------------------------------------------------

function planLinear(data, width, id) {
  const narrow = width < 560;
  const left = narrow ? 22 : 30;
  const output = narrow ? 56 : 76;
  const equals = narrow ? 18 : 30;
  const cellHeight = byHand(data) ? HAND_ROW : Math.max(3, Math.min(ROW, Math.floor(190 / data.dimsLoaded)));
  const shown = windowOf(id, data.rows, 256);
  const top = 52;
  const heat = { x: left, y: top, width: width - left - equals - output - 2, height: cellHeight * data.dimsLoaded };
  // A tiny table keeps its cells near square instead of stretching across the page.
  heat.width = Math.min(heat.width, shown.size * 90);
  return {
    height: top + heat.height + 20, heat, shown, cellHeight, cellWidth: heat.width / shown.size,
    hot: { x: left, y: 17, width: heat.width, height: 14 },
    output: { x: heat.x + heat.width + equals, y: top, width: output },
  };
}

function paintLinear(pen, data, theme, plan, id, selected, weights) {
  const { heat, hot, output, shown, cellHeight, cellWidth } = plan;
  const x = heat.x + (id - shown.first) * cellWidth;
  // one-hot
  caption(pen, theme, theme.matmul, heat.width < 200 ? "one_hot" : `one_hot(ids)[${indexOf(data, selected).join(", ")}]`, `1 × ${count(data.rows)}`, heat.x, 8);
  pen.strokeStyle = theme.border;
  pen.strokeRect(hot.x + 0.5, hot.y + 0.5, hot.width - 1, hot.height - 1);
  if (cellWidth >= 8) {
    pen.textAlign = "center";
    for (let row = 0; row < shown.size; row++) {
      pen.fillStyle = theme.faint;
      if (shown.first + row !== id) pen.fillText("0", hot.x + (row + 0.5) * cellWidth, hot.y + hot.height / 2 + 1);
    }
  }
  pen.fillStyle = theme.matmul;
  const hotWidth = Math.max(9, cellWidth);
  pen.fillRect(x + cellWidth / 2 - hotWidth / 2, hot.y, hotWidth, hot.height);
  pen.fillStyle = theme.background;
  pen.textAlign = "center";
  pen.fillText("1", x + cellWidth / 2, hot.y + hot.height / 2 + 1);
  // weight
  const right = heat.x + heat.width;
  const columns = shown.size < data.rows ? `, columns ${count(shown.first)}-${count(shown.first + shown.size - 1)}` : "";
  const shape = `${count(data.dims)} × ${count(data.rows)}${columns}`;
  pen.fillStyle = theme.faint;
  beside(pen, x + cellWidth / 2, heat.x, right, 42, [
    `its 1 picks column ${count(id)} of Linear.weight  ${shape}`, `Linear.weight ${shape}`, shape,
  ]);
  weights((row, dim) => [heat.x + row * cellWidth, heat.y + dim * cellHeight, cellWidth, cellHeight]);
  dimLabels(pen, data, theme, heat.x - 5, (dim) => heat.y + (dim + 0.5) * cellHeight, cellHeight, "right");
  // the 1, the line down to the picked column, and from there to the output
  dashed(pen, theme.matmul, [[x + cellWidth / 2, hot.y + hot.height], [x + cellWidth / 2, heat.y]]);
  outline(pen, theme, x, heat.y, cellWidth, heat.height);
  pen.fillStyle = theme.text;
  pen.textAlign = "center";
  const below = `id ${count(id)}` + (data.unit ? ` '${shortened(pen, labelAt(data, selected).label, 160)}'` : "");
  const half = pen.measureText(below).width / 2;
  pen.fillText(below, Math.max(heat.x + half, Math.min(right - half, x + cellWidth / 2)), heat.y + heat.height + 11);
  sign(pen, theme, "=", (right + output.x) / 2, heat.y + heat.height / 2);
  pen.fillStyle = theme.faint;
  pen.fillText("output", output.x + output.width / 2, 42);
  for (let dim = 0; dim < data.dimsLoaded; dim++) {
    number(pen, data, theme, outputAt(data, "matmul", selected, dim), output.x, heat.y + dim * cellHeight, output.width, cellHeight);
  }
  pen.strokeStyle = theme.matmul;
  pen.strokeRect(output.x - 0.5, heat.y - 0.5, output.width + 1, heat.height + 1);
}

// ---- Embedding.weight, V x D ----------------------------------------------------------------

function planEmbedding(data, width, id) {
  const narrow = width < 560;
  const hot = narrow ? 20 : 54;
  const gap = narrow ? 12 : 30;
  let left = narrow ? 52 : 92;
  // A piece takes up to 58 px more, if four small digits still fit in each cell.
  if (data.pieces) left += Math.max(0, Math.min(58, width - left - hot - gap - 4 - 26 * data.dimsLoaded));
  const shown = windowOf(id, data.rows, TABLE_ROWS);
  const top = 34;
  const high = byHand(data) ? HAND_ROW : ROW;
  const heatX = left + hot + gap;
  const most = Math.min(width - heatX - 4, data.dimsLoaded * 110);
  const heat = { x: heatX, y: top, width: most, height: high * shown.size };
  return {
    height: top + heat.height + 14 + high + 6, heat, shown, cellHeight: high, cellWidth: most / data.dimsLoaded,
    hot: { x: left, y: top, width: hot, height: heat.height }, output: { y: top + heat.height + 14 },
  };
}

function paintEmbedding(pen, data, theme, plan, id, selected, weights) {
  const { heat, hot, output, shown, cellHeight, cellWidth } = plan;
  const y = heat.y + (id - shown.first) * cellHeight;
  font(pen, theme, "bold");
  pen.fillStyle = theme.matmul;
  pen.textAlign = "right";
  pen.fillText("one_hot", hot.x + hot.width, 8);
  const whole = `${count(data.rows)} × ${count(data.dims)}`;
  const rows = shown.size < data.rows ? `, rows ${count(shown.first)}-${count(shown.first + shown.size - 1)}` : "";
  const fits = pen.measureText(`Embedding.weight  ${whole}${rows}`).width < heat.width;
  caption(pen, theme, theme.lookup, "Embedding.weight", fits ? whole + rows : whole, heat.x, 8);
  for (let row = 0; row < shown.size; row++) {
    const at = shown.first + row;
    const middle = heat.y + (row + 0.5) * cellHeight;
    const label = data.rowLabels[at - data.firstRow];
    pen.textAlign = "right";
    pen.fillStyle = at === id ? theme.text : theme.faint;
    font(pen, theme, at === id ? "bold" : "");
    const place = `${label ? (data.pieces ? " " : "  ") : ""}${count(at)}`;
    const piece = data.pieces ? shortened(pen, label ?? "", hot.x - 8 - pen.measureText(place).width) : label ?? "";
    pen.fillText(piece + place, hot.x - 6, middle);
    pen.textAlign = "center";
    if (at === id) {
      pen.fillStyle = theme.matmul;
      pen.fillRect(hot.x, heat.y + row * cellHeight, hot.width, cellHeight);
      pen.fillStyle = theme.background;
    }
    pen.fillText(at === id ? "1" : "0", hot.x + hot.width / 2, middle);
    font(pen, theme);
  }
  pen.strokeStyle = theme.border;
  pen.strokeRect(hot.x + 0.5, hot.y + 0.5, hot.width - 1, hot.height - 1);
  pen.fillStyle = theme.faint;
  const middle = heat.y + heat.height / 2;
  const clear = Math.abs(y + cellHeight / 2 - middle) < 14 ? middle + 24 : middle;
  if (shown.size > 2) sign(pen, theme, "×", (hot.x + hot.width + heat.x) / 2, clear);
  weights((row, dim) => [heat.x + dim * cellWidth, heat.y + row * cellHeight, cellWidth, cellHeight]);
  if (cellWidth >= 16) {
    for (let dim = 0; dim < data.dimsLoaded; dim++) {
      pen.textAlign = "center";
      pen.fillStyle = theme.faint;
      pen.fillText(data.firstDim + dim, heat.x + (dim + 0.5) * cellWidth, 25);
    }
  }
  dashed(pen, theme.matmul, [[hot.x + hot.width, y + cellHeight / 2], [heat.x, y + cellHeight / 2]]);
  outline(pen, theme, heat.x, y, heat.width, cellHeight);
  pen.textAlign = "right";
  pen.fillStyle = theme.text;
  pen.fillText("= output", heat.x - 8, output.y + cellHeight / 2);
  for (let dim = 0; dim < data.dimsLoaded; dim++) {
    number(pen, data, theme, outputAt(data, "matmul", selected, dim), heat.x + dim * cellWidth, output.y, cellWidth, cellHeight);
  }
  pen.strokeStyle = theme.matmul;
  pen.strokeRect(heat.x - 0.5, output.y - 0.5, heat.width + 1, cellHeight + 1);
}

// ---- shared strokes -------------------------------------------------------------------------

// `size` rows around the selected one, inside the table.
function windowOf(id, total, size) {
  const first = Math.max(0, Math.min(id - Math.floor(size / 2), total - size));
  return { first, size: Math.min(size, total) };
}

// Whether all shown rows were sent.
const sent = (data, { first, size }) => first >= data.firstRow && first + size <= data.firstRow + data.rowsLoaded;

// Drops the painted cells, unless the new result has the same.
function keepCells(ui, before, data) {
  if (!before || !ui.plan || !sent(before, ui.plan.shown) || !sameTable(before, data)) ui.cells = ui.flowed = null;
}

// The cells do not change while a person types, or scrubs within one window: paint them once, then copy.
function cells(ui, pen, plan, place) {
  const { data, theme } = ui;
  const { heat, shown } = plan;
  const ratio = pen.getTransform().a;
  const key = [heat.x, heat.y, heat.width, heat.height, shown.first, ratio].join();
  if (ui.cells?.key !== key || ui.cells.theme !== theme.name) {
    const copy = document.createElement("canvas");
    copy.width = Math.ceil((heat.width + 1) * ratio);
    copy.height = Math.ceil((heat.height + 1) * ratio);
    const brush = copy.getContext("2d");
    brush.setTransform(ratio, 0, 0, ratio, -heat.x * ratio, -heat.y * ratio);
    brush.textBaseline = "middle";
    font(brush, theme);
    paintCells(brush, data, theme, plan, place);
    ui.cells = { key, theme: theme.name, copy };
    // A canvas does not follow a font that loads later.
    if (document.fonts.status === "loading") document.fonts.ready.then(() => {
      ui.cells = ui.flowed = null;
      if (ui.root.isConnected && ui.data.tokens) layout(ui);
    });
  }
  const { copy } = ui.cells;
  pen.drawImage(copy, heat.x, heat.y, copy.width / ratio, copy.height / ratio);
}

function paintCells(pen, data, theme, plan, place) {
  for (let row = 0; row < plan.shown.size; row++) {
    for (let dim = 0; dim < data.dimsLoaded; dim++) {
      const value = weightAt(data, plan.shown.first + row, dim);
      const [x, y, width, height] = place(row, dim);
      if (value !== undefined) number(pen, data, theme, value, x, y, width, height);
      else { pen.fillStyle = theme.unknown; pen.fillRect(x, y, width, height); } // requested, not here yet
    }
  }
}

function number(pen, data, theme, value, x, y, width, height, digits = true) {
  const colour = valueColour(theme, value, data.scale);
  pen.fillStyle = css(colour);
  pen.fillRect(x, y, width + 0.4, height + 0.4); // no hairlines between cells
  const small = width < 34; // a phone's narrow cells get smaller digits
  const format = digits && height >= 13 ? data.formatFor(Math.floor((width - 1) / (small ? 6.05 : 6.7))) : null;
  if (!format) return;
  const size = small ? 10 : height === HAND_ROW ? 14 : PICTURE_FONT;
  if (size !== PICTURE_FONT) pen.font = pen.font.replace(/\d+px/, `${size}px`);
  pen.fillStyle = inkOn(colour);
  pen.textAlign = "center";
  pen.fillText(format(value), x + width / 2, y + height / 2 + 0.5);
  if (size !== PICTURE_FONT) pen.font = pen.font.replace(/\d+px/, `${PICTURE_FONT}px`);
}

// A label, cut to a width; none where only a letter would fit.
function shortened(pen, label, width) {
  if (pen.measureText(label).width <= width) return label;
  const letters = [...label];
  while (letters.length && pen.measureText(`${letters.join("")}…`).width > width) letters.pop();
  return letters.length > 1 ? `${letters.join("")}…` : "";
}

// The first of `words` that fits beside the dashed line at x, on the side with more room.
function beside(pen, x, left, right, y, words) {
  const onLeft = x - left > right - x;
  const room = (onLeft ? x - left : right - x) - 8;
  const text = words.find((word) => pen.measureText(word).width <= room);
  if (!text) return;
  pen.textAlign = onLeft ? "left" : "right";
  pen.fillText(text, onLeft ? left : right, y);
}

function sign(pen, theme, text, x, y) {
  pen.save();
  pen.font = `17px ${theme.mono}`;
  pen.fillStyle = theme.text;
  pen.textAlign = "center";
  pen.fillText(text, x, y);
  pen.restore();
}

function caption(pen, theme, colour, strong, shape, x, y) {
  pen.textAlign = "left";
  font(pen, theme, "bold");
  pen.fillStyle = colour;
  pen.fillText(strong, x, y);
  const width = pen.measureText(strong).width;
  font(pen, theme);
  pen.fillStyle = theme.faint;
  pen.fillText(shape, x + width + 8, y);
}

function dimLabels(pen, data, theme, x, y, step, align) {
  const every = Math.ceil(12 / step);
  pen.textAlign = align;
  pen.fillStyle = theme.faint;
  for (let dim = 0; dim < data.dimsLoaded; dim += every) pen.fillText(data.firstDim + dim, x, y(dim));
}

function dashed(pen, colour, points) {
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.setLineDash([3, 3]);
  pen.beginPath();
  points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
  pen.restore();
}

// The picked row or column, in lookup's colour, on a halo that stands out from any value.
function outline(pen, theme, x, y, width, height) {
  const grow = width < 6 || height < 6 ? 2.5 : 1;
  pen.save();
  pen.lineWidth = 4;
  pen.strokeStyle = theme.background;
  pen.strokeRect(x - grow, y - grow, width + 2 * grow, height + 2 * grow);
  pen.lineWidth = 2;
  pen.strokeStyle = theme.lookup;
  pen.strokeRect(x - grow, y - grow, width + 2 * grow, height + 2 * grow);
  pen.restore();
}

// What lies under a point of the picture: a number of the weight, of the one-hot or of the output.
function inPicture(ui, x, y) {
  const { heat, hot, output, shown, cellWidth, cellHeight } = ui.plan;
  const linear = ui.state.view === "linear";
  const token = ui.state.selected;
  const across = (x - heat.x) / cellWidth;
  const down = (y - heat.y) / cellHeight;
  const [row, dim] = (linear ? [across, down] : [down, across]).map(Math.floor);
  const [rows, dims] = [row >= 0 && row < shown.size, dim >= 0 && dim < ui.data.dimsLoaded];
  if (rows && dims) return { token, row: shown.first + row, dim };
  const onHot = linear ? y >= hot.y && y < heat.y : x < hot.x + hot.width;
  if (rows && onHot) return { token, row: shown.first + row, dim: null };
  const onOutput = linear ? x >= output.x && x < output.x + output.width : y >= output.y && y < output.y + cellHeight;
  return dims && onOutput ? { token, row: null, dim, route: "matmul" } : null;
}
