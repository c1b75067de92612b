// The flow: 1 character, 2 id, 3 row of Embedding.weight, 4 output, on one canvas.
//
// It is drawn for the token that is pointed at, else for the selected one. Played, its four parts
// appear in turn, and the row slides into the output. It asks nothing of the server.

const FLOW_MS = 2000; // the first time in a session
const FLOW_ROWS = 5;  // of Embedding.weight, around the picked one
const FLOW_CELL = 88; // px at most
const STEPS = [0, 0.15, 0.3, 0.45, 0.9]; // shares of the time, at which the parts appear

function planFlow(data, width, id) {
  const stacked = width < 640;
  const high = byHand(data) ? HAND_ROW : 18;
  const shown = windowOf(id, data.rows, byHand(data) ? data.rows : FLOW_ROWS);
  const label = data.pieces ? 84 : data.rows > 9999 ? 60 : 44;
  const [first, second, arrow] = stacked ? [112, 62, 18] : [104, 46, 20];
  const top = stacked ? 62 : 26;
  const left = (stacked ? 0 : first + second + 2 * arrow) + label;
  const room = stacked ? width - left - 2 : (width - left - arrow - 8) / 2;
  const cell = Math.min(FLOW_CELL, room / data.dimsLoaded);
  const row = { x: left, y: top, width: cell * data.dimsLoaded, height: high * shown.size };
  const middle = stacked ? 17 : top + row.height / 2;
  const end = stacked ? { x: left, y: top + row.height + 24 } : { x: left + row.width + arrow + 4, y: middle - high / 2 };
  const one = { x: stacked ? 96 : 24, y: middle - 15, width: 32, height: 30 };
  const two = { x: stacked ? 210 : first + 8, y: middle - 15, width: second, height: 30 };
  return {
    stacked, shown, cell, row, one, two, output: { ...end, width: row.width, height: high }, high, label, arrow,
    height: stacked ? end.y + high + 4 : top + row.height + 4,
    captions: stacked
      ? [[0, 17], [two.x - 44, 17], [0, 48], [0, end.y - 12]]
      : [[0, 10], [first + 4, 10], [left - label + 6, 10], [end.x, 10]],
  };
}

// `time` from 0 to 1: how far the flow has played.
function drawFlow(ui, time = 1) {
  const { data, theme, size } = ui;
  const { token, dim, row } = pointedAt(ui);
  if (!loaded(data, token)) return;
  const id = idAt(data, token);
  const stamp = [size.width, size.ratio, id, indexOf(data, token), dim, row, time].join(" ");
  const { flowed } = ui;
  if (flowed?.stamp === stamp && flowed.theme === theme.name && sameToken(flowed.data, flowed.token, data, token)) return;
  ui.flowed = { stamp, theme: theme.name, data, token };
  const plan = (ui.flowPlan = planFlow(data, size.width, id));
  const pen = sized(ui.flow, size, plan.height);
  paintFlow(pen, ui, plan, token, time);
  const { name } = labelAt(data, token);
  attribute(ui.flow, "aria-label", `${data.unit ? `${name} has` : "This is"} id ${id}. Row ${id} of Embedding.weight is its output.`);
}

function paintFlow(pen, ui, plan, token, time) {
  const { data, theme } = ui;
  const id = idAt(data, token);
  const reached = STEPS.filter((at) => time >= at).length; // parts that are there, 1 to 4, then the end
  const { one, two, row, output, shown, cell, high } = plan;
  const unit = data.unit || "place";
  const words = [[unit], ["id"], [`row ${count(id)}`, `of Embedding.weight ${count(data.rows)} × ${count(data.dims)}`], ["output"]];
  plan.captions.forEach(([x, y], at) => numbered(pen, theme, at + 1, words[at], x, y, reached > at, reached === at + 1));
  // 1: the token's chip
  pen.textAlign = "center";
  pen.strokeStyle = pen.fillStyle = theme.text;
  pen.lineWidth = 1.5;
  pen.strokeRect(one.x + 0.5, one.y + 0.5, one.width, one.height);
  const { label } = labelAt(data, token);
  const face = data.unit ? label : indexOf(data, token).join(",");
  pen.font = `${[...face].length > 2 ? 10 : 17}px ${theme.mono}`;
  pen.fillText(shortened(pen, face, one.width - 2), one.x + one.width / 2, one.y + one.height / 2 + 1);
  // 2: its id
  pen.globalAlpha = reached > 1 ? 1 : 0.15;
  pen.font = `bold ${id > 9999 ? 11 : 17}px ${theme.mono}`;
  pen.fillText(count(id), two.x + two.width / 2, two.y + two.height / 2 + 1);
  arrow(pen, theme, one.x + one.width + 6, one.y + 15, two.x - 2 + (plan.stacked ? -48 : 0), one.y + 15);
  // 3: the row
  pen.globalAlpha = reached > 2 ? 1 : 0.15;
  const y = row.y + (id - shown.first) * high;
  const digits = byHand(data);
  for (let place = 0; place < shown.size; place++) flowRow(pen, ui, plan, shown.first + place, id, digits);
  if (!plan.stacked) arrow(pen, theme, two.x + two.width, y + high / 2, row.x - plan.label + 2, y + high / 2, two.y + 15);
  outline(pen, theme, row.x, y, row.width, high);
  // 4: the same numbers; while they slide, between the row and the output
  const slid = time >= 1 ? 1 : Math.max(0, Math.min(1, (time - STEPS[3]) / (STEPS[4] - STEPS[3])));
  pen.globalAlpha = 1;
  pen.strokeStyle = slid === 1 ? theme.lookup : theme.border;
  pen.lineWidth = 2;
  pen.strokeRect(output.x - 0.5, output.y - 0.5, output.width + 1, high + 1);
  if (!plan.stacked) arrow(pen, theme, row.x + row.width + 5, output.y + high / 2, output.x - 4, output.y + high / 2);
  if (reached > 3) {
    const ease = slid * slid * (3 - 2 * slid);
    const [x, at] = [row.x + (output.x - row.x) * ease, y + (output.y - y) * ease];
    for (let dim = 0; dim < data.dimsLoaded; dim++) number(pen, data, theme, outputAt(data, "lookup", token, dim), x + dim * cell, at, cell, high);
    if (slid < 1) outline(pen, theme, x, at, output.width, high);
  }
  frameFlow(pen, ui, plan, y);
}

function flowRow(pen, ui, plan, at, id, digits) {
  const { data, theme } = ui;
  const { row, shown, cell, high } = plan;
  const y = row.y + (at - shown.first) * high;
  const alpha = pen.globalAlpha;
  font(pen, theme, at === id ? "bold" : "");
  pen.fillStyle = at === id ? theme.text : theme.faint;
  pen.textAlign = "right";
  const place = ` ${count(at)}`;
  const face = shortened(pen, data.rowLabels[at - data.firstRow] ?? "", plan.label - 12 - pen.measureText(place).width);
  pen.fillText(face + place, row.x - 6, y + high / 2);
  font(pen, theme);
  if (at !== id && !digits) pen.globalAlpha = alpha * 0.45;
  for (let dim = 0; dim < data.dimsLoaded; dim++) {
    const value = weightAt(data, at, dim);
    const x = row.x + dim * cell;
    if (value === undefined) { pen.fillStyle = theme.unknown; pen.fillRect(x, y, cell, high); }
    else number(pen, data, theme, value, x, y, cell, high, at === id || digits);
  }
  pen.globalAlpha = alpha;
}

// Frames what is pointed at: another row of the table, and a number in row and output.
function frameFlow(pen, ui, plan, y) {
  const { theme, pointed } = ui;
  if (!pointed) return;
  const { row, dim } = pointedAt(ui);
  const { shown, high } = plan;
  if (row >= shown.first && row < shown.first + shown.size) {
    const at = plan.row.y + (row - shown.first) * high;
    if (at !== y && dim === null) frame(pen, theme, plan.row.x, at, plan.row.width, high);
    if (dim !== null) frame(pen, theme, plan.row.x + dim * plan.cell, at, plan.cell, high);
  }
  if (dim !== null) frame(pen, theme, plan.output.x + dim * plan.cell, plan.output.y, plan.cell, high);
}

// The part's number in a circle, its name, and more in small.
function numbered(pen, theme, step, [name, more], x, y, there, now) {
  pen.globalAlpha = there ? 1 : 0.4;
  pen.beginPath();
  pen.arc(x + 8, y, 8, 0, 2 * Math.PI);
  pen.fillStyle = now ? theme.lookup : theme.text;
  pen.fill();
  pen.textAlign = "center";
  pen.fillStyle = theme.background;
  pen.font = `bold 11px ${theme.mono}`;
  pen.fillText(step, x + 8, y + 0.5);
  pen.textAlign = "left";
  pen.fillStyle = now ? theme.lookup : theme.text;
  pen.font = `600 13px ${theme.font}`;
  pen.fillText(name, x + 21, y + 0.5);
  if (more) {
    const after = x + 27 + pen.measureText(name).width;
    pen.fillStyle = theme.faint;
    pen.font = `13px ${theme.font}`;
    pen.fillText(more, after, y + 0.5);
  }
  pen.globalAlpha = 1;
}

// From (x, y) to (to, end), with a head; where they differ in height, with two bends.
function arrow(pen, theme, x, y, to, end, from = y) {
  const bend = (x + to) / 2;
  pen.strokeStyle = pen.fillStyle = theme.lookup;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(x, from);
  if (from !== end) { pen.lineTo(bend, from); pen.lineTo(bend, end); }
  pen.lineTo(to - 5, end);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(to, end);
  pen.lineTo(to - 7, end - 4);
  pen.lineTo(to - 7, end + 4);
  pen.fill();
}

// ---- playing --------------------------------------------------------------------------------

const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

function playFlow(ui, ms) {
  stopFlow(ui);
  if (still()) return;
  let start;
  const step = (now) => {
    start ??= now;
    const time = Math.min(1, (now - start) / ms);
    ui.section.dataset.step = time < 1 ? STEPS.filter((at) => time >= at).length : "";
    drawFlow(ui, time);
    if (time < 1) ui.flowing = requestAnimationFrame(step);
    else stopFlow(ui);
  };
  ui.flowing = requestAnimationFrame(step);
}

function stopFlow(ui) {
  if (!ui.flowing) return;
  cancelAnimationFrame(ui.flowing);
  ui.flowing = null;
  delete ui.section.dataset.step;
  if (ui.data?.tokens && loaded(ui.data, pointedAt(ui).token)) drawFlow(ui);
}

// Once a session, where the address names no token. Any key or press stops it.
function playOnce(ui) {
  ui.greeted = true;
  if (ui.state.selected || still()) return;
  try {
    if (sessionStorage.getItem("embviz-flow")) return;
    sessionStorage.setItem("embviz-flow", "played");
  } catch { return; } // a frame without storage
  playFlow(ui, FLOW_MS);
  const quiet = new AbortController();
  for (const name of ["keydown", "pointerdown"]) {
    document.addEventListener(name, () => { quiet.abort(); stopFlow(ui); }, { capture: true, signal: quiet.signal });
  }
}

// What lies under a point: a token, a row, or a number of the row or of the output.
function inFlow(ui, x, y) {
  const { one, two, row, output, shown, cell, high, label } = ui.flowPlan;
  const token = ui.state.selected;
  const within = (box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
  const dim = (box) => Math.floor((x - box.x) / cell);
  if (within(one) || within(two)) return { token, row: null, dim: null };
  if (within(output)) return { token, row: null, dim: dim(output), route: "lookup" };
  if (!within({ ...row, x: row.x - label, width: row.width + label })) return null;
  return { token, row: shown.first + Math.floor((y - row.y) / high), dim: x < row.x ? null : dim(row) };
}
