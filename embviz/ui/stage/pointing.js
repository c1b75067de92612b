// What is pointed at, focused or tapped: everything that it comes from or goes to lights up, and its sum
// is written out in a place that does not move.
//
// `ui.pointed` is null or has `token`; `row` of the weight, null for the token's own; `dim`, counted from
// the first loaded one, or null; and `route`, for a number of an output.

const touches = window.matchMedia("(pointer: coarse)").matches;
const HINT = `${touches ? "Tap" : "Point at"} any number for its sum.`;
const WHOLE_SUM = 8; // rows of a table whose sum is written in full

function pointedAt({ pointed, data, state }) {
  const token = pointed?.token ?? state.selected;
  return { token, row: pointed?.row ?? idAt(data, token), dim: pointed?.dim ?? null, route: pointed?.route };
}

function point(ui, at) {
  if (at && !loaded(ui.data, at.token)) return;
  const key = at && [at.token, at.row, at.dim, at.route].join(" ");
  if (key === (ui.pointedKey ?? null)) return;
  ui.pointedKey = key;
  ui.pointed = at;
  stopFlow(ui);
  redraw(ui);
  sentence(ui);
}

// Both pictures, chips and table, after a change of what is pointed at or selected.
function redraw(ui) {
  if (!ui.flowing) drawFlow(ui);
  drawPicture(ui, ui.data, ui.theme, ui.state.view);
  light(ui);
}

// Marks the chips of the row, and both routes' numbers of the sum.
function light(ui) {
  for (const element of ui.lit.splice(0)) element.classList.remove("lit");
  if (!ui.pointed) return;
  const { data } = ui;
  const { token, row, dim } = pointedAt(ui);
  const byRow = ui.pointed.row !== null;
  ui.chips.forEach((chip, i) => {
    const at = ui.stripRange[0] + i;
    if (byRow ? idAt(data, at) === row : at === token) ui.lit.push(chip);
  });
  for (const [at, line] of ui.pool) {
    if (byRow ? idAt(data, at) !== row : at !== token) continue;
    ui.lit.push(...(dim === null ? line.querySelectorAll(".label") : line.querySelectorAll(`[data-dim="${dim}"]`)));
  }
  for (const element of ui.lit) element.classList.add("lit");
}

function sentence(ui) {
  const { data, pointed } = ui;
  const { token, row, dim, route } = pointedAt(ui);
  ui.sum.classList.toggle("hint", !pointed);
  if (!pointed) { write(ui.sum, `${story(data, token)} ${HINT}`); return; }
  if (route) write(ui.sum, explain(data, token, dim, route));
  else if (pointed.row === null) write(ui.sum, `${story(data, token)} output[${indexOf(data, token).join(", ")}] = Embedding.weight[${row}]`);
  else if (dim === null) write(ui.sum, ofRow(data, token, row));
  else write(ui.sum, ofWeight(data, token, row, dim));
}

function story(data, token) {
  const id = count(idAt(data, token));
  const { label } = labelAt(data, token);
  return data.unit ? `'${label}' has id ${id}: its output is row ${id}.` : `Id ${id}: its output is row ${id}.`;
}

function ofRow(data, token, row) {
  const factor = row === idAt(data, token) ? 1 : 0;
  const users = [];
  for (let at = data.firstToken; at < data.last && users.length < 6; at++) if (idAt(data, at) === row) users.push(at);
  const which = users.length ? `picked at place ${users.slice(0, 5).map(count).join(", ")}${users.length > 5 ? ", …" : ""}` : "not picked by this input";
  return `Embedding.weight[${row}] = Linear.weight[:, ${row}]: ${which}. In output[${indexOf(data, token).join(", ")}] its factor is ${factor}.`;
}

function ofWeight(data, token, row, dim) {
  const [value, factor, column] = [weightAt(data, row, dim), row === idAt(data, token) ? 1 : 0, data.firstDim + dim];
  const adds = value === undefined ? "" : ` It adds ${factor}·${bracketed(value)} = ${precise(factor * value + 0)} to output[${[...indexOf(data, token), column].join(", ")}].`;
  return `Embedding.weight[${row}, ${column}] = Linear.weight[${column}, ${row}] = ${precise(value)}.${adds}`;
}

const bracketed = (value) => precise(value).replace(/^-.*/, "($&)");

// The full sum behind one output cell: the terms of matmul, or the number that lookup read.
function explain(data, token, dim, route) {
  const id = idAt(data, token);
  const column = data.firstDim + dim;
  const value = precise(outputAt(data, route, token, dim));
  const name = `output[${[...indexOf(data, token), column].join(", ")}]`;
  if (route === "lookup") return `${name} = W[${id}, ${column}] = ${value}, one number read`;
  const factor = (row) => (row === id ? 1 : 0);
  const term = (row) => `${factor(row)}·W[${row}, ${column}]`;
  const product = (row) => `${factor(row)}·${bracketed(weightAt(data, row, dim))}`;
  const last = data.rows - 1;
  const whole = data.rows <= WHOLE_SUM;
  const ends = whole ? Array.from({ length: data.rows }, (_, row) => row) : [0, 1, id, last];
  const terms = [...new Set(ends)].filter((row) => row <= last).sort((a, b) => a - b);
  const sum = (write) => terms
    .flatMap((row, i) => (i && row > terms[i - 1] + 1 ? ["…", write(row)] : [write(row)])).join(" + ");
  const known = terms.every((row) => weightAt(data, row, dim) !== undefined);
  return [name, ...(whole && known ? [] : [sum(term)]), ...(known ? [sum(product)] : []), value].join(" = ");
}

// ---- pointer and keys of the two pictures -----------------------------------------------------

function followPointer(ui, canvas, under) {
  const at = (event) => {
    if (!ui.plan || !ui.flowPlan) return; // not drawn yet
    const box = canvas.getBoundingClientRect();
    const scale = box.width / canvas.offsetWidth; // projector mode zooms the pictures
    point(ui, under(ui, (event.clientX - box.left) / scale, (event.clientY - box.top) / scale));
  };
  canvas.onpointermove = canvas.onclick = at;
  canvas.onpointerleave = (event) => { if (event.pointerType !== "touch") point(ui, null); };
}

// Arrow keys walk through the weight.
function walk(ui, event) {
  const { data, state } = ui;
  const { token, row, dim } = pointedAt(ui);
  const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
  const down = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
  if (!across && !down) return;
  event.preventDefault();
  const [rows, dims] = state.view === "linear" ? [across, down] : [down, across];
  const within = (at, total) => Math.max(0, Math.min(total - 1, at));
  const { shown } = ui.plan;
  const next = Math.max(shown.first, Math.min(shown.first + shown.size - 1, row + rows));
  point(ui, { token, row: next, dim: within(dim === null ? 0 : dim + dims, data.dimsLoaded) });
}
