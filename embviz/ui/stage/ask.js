// Answers while a person types: which text is asked of the route `live`, and which answer is drawn.
//
// The field's text decides. The route's answer to a newer text is drawn at once; Python's rerun for
// an older text is not. A text that Python places in the field wins over what was typed before.
// Where the route fails, reruns alone update the stage, without a message.

const ANSWER_MS = 4000; // without an answer by then, the rerun must do
const PAUSE_MS = 30_000; // before the route is asked again after silence, or without a network
const WATCH_MS = 100; // how often a field is compared while a rerun's answer is held back
const REMEMBERED = 64; // typed texts whose reruns may still come; fewer if they are long
const REMEMBERED_LENGTH = 1e6; // characters of them
const FIELDS = { text: ".st-key-text input", ids: ".st-key-ids input" };
let askAgainAt = 0; // ms of the page's clock; never, until the next page load, where the route fails

// The message from Python, as `with_head` writes it: uint32 length, a JSON head, the result.
function fromPython(ui, bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const before = ui.head;
  if (head.run === before?.run) { receive(ui, ui.latest); return; } // the theme changed
  ui.head = head;
  if (head.picked) takePicked(ui, head.picked);
  const data = (ui.ofPython = unpack(bytes.subarray(4 + length)));
  if (typedOn(ui, given(head)) && mayAsk(ui)) {
    keepBack(ui, data);
    if (key(head, { [head.field]: "" }) !== key(before, { [head.field]: "" })) ask(ui);
    return;
  }
  accept(ui, data);
}

const given = ({ field, settings }) => settings[field] ?? "";
const key = ({ settings }, changes = {}) => JSON.stringify({ ...settings, ...changes });

// Whether the user has typed on since the text that Python answers.
function typedOn(ui, answered) {
  const { typed, input } = ui;
  if (!typed.length) return false;
  const last = typed.at(-1);
  const text = asShown(answered);
  const place = typed.indexOf(text);
  if (text === last || place < 0 || !input.isConnected || input.value !== last) {
    ui.typed = [];
    return false;
  }
  typed.splice(0, place);
  return true;
}

// A field of one line shows no line breaks.
const asShown = (text) => text.replace(/[\r\n]/g, "");

// Python may place a text before React puts it into the field: then the field changes by itself.
function keepBack(ui, data) {
  clearInterval(ui.watching);
  ui.watching = setInterval(() => {
    if (ui.input.isConnected && ui.input.value === ui.typed.at(-1)) return;
    ui.typed = [];
    accept(ui, data);
  }, WATCH_MS);
  newer(ui);
}

// Draw what Python sent, unless the stage shows it already.
function accept(ui, data) {
  clearInterval(ui.watching);
  const now = key(ui.head);
  const known = mayAsk(ui) && now === ui.drawnKey && ui.latest.stale === data.stale;
  // A refused text keeps the stage's own picture; another window shows the same result.
  const drawn = known && (data.stale || data.digest === ui.latest.digest || (!ui.lacks && !sameWindow(data, ui.latest)));
  if (drawn) {
    refuse(ui, "");
    newer(ui);
    return;
  }
  forgetQuestions(ui);
  const dim = ui.wantedDim ?? data.firstDim;
  show(ui, data, now);
  ui.drawnText = null;
  const wanted = Math.min(dim, data.dims - data.dimsLoaded);
  if (wanted !== ui.wantedDim && data.tokens) { ui.wantedDim = wanted; askSoon(ui); }
}

// No rerun follows a text that Python has answered. Where the route does not answer it either, what
// Python sent is drawn again.
function withoutAnswer(ui) {
  const { typed, head } = ui;
  if (typed.length && typed.at(-1) === asShown(given(head))) accept(ui, ui.ofPython);
}

const sameWindow = (a, b) =>
  ["selected", "firstToken", "firstRow", "firstDim"].every((name) => a[name] === b[name]);

// Forget every question so far: its answer would be late.
function forgetQuestions(ui) {
  ui.question = null;
  ui.drawn = ++ui.number;
  ui.underWay?.abort();
}

// ---- questions ----------------------------------------------------------------------------

const mayAsk = (ui) => Boolean(ui.head?.live) && performance.now() >= askAgainAt;

// Ask the route for the field's text and the selected window; false where only a rerun can answer.
function ask(ui) {
  if (!mayAsk(ui)) return false;
  clearTimeout(ui.asking);
  const changes = ui.typed.length ? { [ui.head.field]: ui.typed.at(-1) } : {};
  const settings = { ...ui.head.settings, ...changes };
  const window = { token: ui.state.selected, dim: ui.wantedDim ?? 0 };
  const text = JSON.stringify({ settings, window, part: ui.head.part });
  const body = new TextEncoder().encode(text);
  if (body.length > ui.head.most) return false;
  if (text === ui.drawnText) { forgetQuestions(ui); ui.lacks = false; newer(ui); return true; }
  ui.question = { text, body, key: key(ui.head, changes), number: ++ui.number };
  if (!ui.underWay) send(ui);
  return true;
}

// One request at a time. The newest question goes out before an older answer is drawn.
async function send(ui) {
  const { question } = ui;
  ui.question = null;
  const control = (ui.underWay = new AbortController());
  const late = setTimeout(() => { pauseAsking(ui, PAUSE_MS); control.abort(); }, ANSWER_MS);
  let answer = null;
  try {
    answer = await answered(ui, question, control.signal);
  } catch (error) {
    // No such route; or no network, which may come back.
    if (!control.signal.aborted) pauseAsking(ui, error instanceof TypeError ? PAUSE_MS : Infinity);
  }
  clearTimeout(late);
  ui.underWay = null;
  if (!ui.root.isConnected) return;
  if (ui.question && mayAsk(ui)) send(ui);
  if (!answer) {
    if (!ui.underWay) withoutAnswer(ui);
    if (ui.lacks) askSoon(ui);
    return;
  }
  // While the user types on, each answer is newer than the last; after a rerun it may be late.
  if (question.number <= ui.drawn || (!ui.typed.length && question.key !== key(ui.head))) return;
  ui.drawn = question.number;
  ui.drawnText = question.text;
  if (answer.refusal === undefined) show(ui, answer, question.key);
  else show(ui, { ...ui.latest, stale: true }, question.key, answer);
}

// The data, a refusal, or null where the rerun must answer. Throws where the route is not there.
async function answered(ui, question, signal) {
  const response = await fetch(new URL(ui.head.live, import.meta.url), {
    method: "POST", headers: { "Content-Type": "application/json" }, body: question.body,
    cache: "no-store", redirect: "error", signal,
    referrerPolicy: "origin", // the page's address holds the text, and proxies log the referrer
  });
  const { status } = response;
  const type = response.headers.get("Content-Type") ?? "";
  if (status === 200 && type.startsWith("application/octet-stream")) {
    return unpack(new Uint8Array(await response.arrayBuffer()));
  }
  if (status === 422 && type.startsWith("application/json")) return response.json();
  if (status === 413) return null;
  if (status !== 408 && status !== 429 && status < 500) throw new Error(`the route live answered ${status}`);
  pauseAsking(ui, 1000 * Number(response.headers.get("Retry-After")) || PAUSE_MS);
  return null;
}

function pauseAsking(ui, milliseconds) {
  askAgainAt = performance.now() + milliseconds;
  ui.question = null;
  ui.section.dataset.failures = 1 + Number(ui.section.dataset.failures ?? 0);
}

// ---- what is shown --------------------------------------------------------------------------

function show(ui, data, stateKey, refused = { refusal: "" }) {
  ui.drawnKey = stateKey;
  ui.lacks = false;
  refuse(ui, refused.refusal, Object.keys(refused.fixes ?? {}).length);
  newer(ui);
  if (data.digest === ui.latest?.digest && data.stale === ui.latest.stale) return;
  receive(ui, data);
}

// Show why the typed text is refused, until the page's own message comes with its fixes.
function refuse(ui, sentence, fixes = 0) {
  ui.refusal.style.setProperty("--fixes", fixes);
  const words = ui.refusal.querySelector("p");
  if (words.textContent !== sentence) words.textContent = sentence;
  ui.refusal.hidden = sentence === "";
}

// Marks that the stage is newer than the page, which then hides its own refusal (frame.css), and
// that a rerun for the typed text has yet to come.
function newer(ui) {
  const { head, typed } = ui;
  document.documentElement.toggleAttribute("data-embviz-typed", ui.drawnKey !== key(head));
  const waits = typed.length > 0 && typed.at(-1) !== asShown(given(head));
  ui.section.toggleAttribute("data-waits", waits);
}

// ---- the field ------------------------------------------------------------------------------

function followField(ui) {
  const typed = (event) => {
    const field = event.target;
    if (!ui.root.isConnected || !ui.head || !field.matches?.(FIELDS[ui.head.field])) return;
    if (field !== ui.input || !ui.typed.length) {
      ui.input = field;
      ui.typed = [asShown(given(ui.head))];
    }
    ui.typed.push(field.value);
    const most = Math.min(REMEMBERED, 2 + REMEMBERED_LENGTH / field.value.length);
    if (ui.typed.length > most) ui.typed.splice(1, 1); // the first is what Python has
    newer(ui);
    if (!event.isComposing && !ask(ui)) withoutAnswer(ui);
  };
  const leave = () => { clearInterval(ui.watching); ui.typed = []; forgetQuestions(ui); if (ui.head) newer(ui); };
  document.addEventListener("input", typed, true);
  document.addEventListener("compositionend", typed, true);
  window.addEventListener("popstate", leave, true);
  ui.leaveField = () => {
    document.removeEventListener("input", typed, true);
    document.removeEventListener("compositionend", typed, true);
    window.removeEventListener("popstate", leave, true);
    clearInterval(ui.watching);
    forgetQuestions(ui);
    document.documentElement.removeAttribute("data-embviz-typed");
  };
}
