// The selected token: drawn by every part, requested where it was not sent, played through.

const PLAY_MS = 650;
const ASK_MS = 60; // pause before a window is requested from the route
const RERUN_MS = 250; // and from Python

function layout(ui) {
  if (!ui.size) return; // measure() calls again
  if (ui.size.outputs) layOutputs(ui, ui.data, ui.theme);
  const chosen = ui.chosen ?? ui.state.selected;
  select(ui, chosen, { remember: false });
  ui.chosen = chosen; // a shorter text selects its last token only until it is longer again
  if (!ui.greeted) playOnce(ui);
}

function select(ui, token, { remember = true } = {}) {
  const { data, state } = ui;
  ui.chosen = state.selected = Math.max(0, Math.min(token, data.tokens - 1));
  // A finger points on after it has left: another token must show itself.
  if (ui.pointed && ui.pointed.token !== state.selected) ui.pointed = ui.pointedKey = null;
  ui.slider.value = state.selected;
  if (remember) report(ui, { token: state.selected, view: state.view });
  if (!loaded(data, state.selected)) { wait(ui); return; }
  ui.section.classList.remove("waiting");
  const id = idAt(data, state.selected);
  const index = indexOf(data, state.selected).join(", ");
  const where = `ids[${index}] = ${id}` + (data.unit ? `  ${labelAt(data, state.selected).name}` : "");
  write(ui.where, where);
  attribute(ui.where, "title", where);
  attribute(ui.slider, "aria-valuetext", where);
  markStrip(ui, data, state.selected);
  redraw(ui);
  sentence(ui);
  if (ui.size.outputs) { // unfolded
    revealRow(ui, data, state.selected);
    drawOutputs(ui, data, ui.theme, state);
  }
  // A table too large to send whole: request the rows around this id after a pause.
  if (!sent(data, ui.plan.shown)) askSoon(ui);
}

// The selected token is outside the sent window: show that, and request it.
function wait(ui) {
  ui.section.classList.add("waiting");
  ui.where.textContent = `position ${count(ui.state.selected)} of ${count(ui.data.tokens)}: loading …`;
  askSoon(ui);
}

function askSoon(ui) {
  ui.lacks = true;
  clearTimeout(ui.asking);
  ui.asking = setTimeout(() => {
    if (!ask(ui)) ui.ask({ token: ui.state.selected, dim: ui.wantedDim });
  }, mayAsk(ui) ? ASK_MS : RERUN_MS);
}

// What the address says.
function choose(ui, { token, view }) {
  stop(ui);
  ui.chosen = ui.state.selected = token;
  ui.state.view = view;
  for (const radio of ui.views) radio.checked = radio.value === view;
  if (ui.data?.tokens && loaded(ui.data, Math.min(token, ui.data.tokens - 1))) layout(ui);
}

function play(ui) {
  if (ui.playing) { stop(ui); return; }
  ui.play.ariaPressed = "true";
  const next = () => {
    playFlow(ui, 0.8 * PLAY_MS);
    select(ui, (ui.state.selected + 1) % ui.data.tokens, { remember: false });
  };
  ui.playing = setInterval(next, PLAY_MS);
}

function stop(ui) {
  if (ui.playing) report(ui, { token: ui.state.selected, view: ui.state.view });
  clearInterval(ui.playing);
  ui.playing = null;
  stopFlow(ui);
  ui.play.ariaPressed = "false";
}
