// Pointer and keyboard.

function listen(ui) {
  const { state } = ui;
  ui.play.onclick = () => play(ui);
  ui.slider.oninput = () => { stop(ui); select(ui, Number(ui.slider.value)); };
  ui.strip.onclick = (event) => {
    const chip = event.target.closest(".chip");
    if (chip) { stop(ui); select(ui, Number(chip.dataset.token)); }
  };
  ui.strip.onpointerover = ui.strip.onfocusin = (event) => {
    const chip = event.target.closest(".chip");
    if (chip) point(ui, { token: Number(chip.dataset.token), row: null, dim: null });
  };
  ui.strip.addEventListener("focusout", () => point(ui, null));
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
    report(ui, { token: state.selected, view: state.view });
    layout(ui);
  };
  ui.earlier.onclick = () => panBy(ui, -ui.data.dimsLoaded);
  ui.later.onclick = () => panBy(ui, ui.data.dimsLoaded);
  followPointer(ui, ui.flow, inFlow);
  followPointer(ui, ui.picture, inPicture);
  ui.picture.onkeydown = (event) => walk(ui, event);
  ui.picture.onblur = () => point(ui, null);
  ui.scroller.onscroll = () => { ui.top = ui.scroller.scrollTop; drawOutputs(ui, ui.data, ui.theme, state); };
  ui.rows.onpointerover = (event) => {
    // Not where the rows scroll under a pointer at rest: the keyboard moves them.
    const at = `${event.screenX} ${event.screenY}`;
    if (at !== ui.pointerAt) explainCell(ui, event.target);
    ui.pointerAt = at;
  };
  for (const place of [ui.strip, ui.rows]) place.onpointerleave = (event) => { if (event.pointerType !== "touch") point(ui, null); };
  ui.rows.addEventListener("focusin", (event) => {
    const cell = explainCell(ui, event.target);
    if (cell) { state.cell = cell; placeTabStop(ui, state); }
  });
  ui.rows.onclick = (event) => {
    const row = event.target.closest(".row");
    if (row) { stop(ui); select(ui, Number(row.dataset.token)); }
  };
  ui.rows.onkeydown = (event) => moveCell(ui, event);
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
  point(ui, { ...at, row: null });
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
