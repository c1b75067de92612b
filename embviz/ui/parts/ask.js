// One question (settings and what is typed), one answer, whoever gives it.
//
// Python sends the page's question with its answer. While a person types, the field's text takes the
// place of that of the page, and the route `live` is asked, one question at a time, the newest next.
// A component has `ui.root`; `ui.base`, the address of the app; `ui.chosen`, settings chosen in it;
// `ui.show(answer, isNew)`, which draws; and `ui.refuse(sentence, fixes)`. A new answer is shown once.
// Without the route, reruns answer.

const ANSWER_MS = 4000; // without an answer by then, the rerun must do
const PAUSE_MS = 30_000; // before the route is asked again after silence, or without a network
const REPORT_MS = 500; // before a choice goes to Python, and into the address
const FIELDS = { text: ".st-key-text input", ids: ".st-key-ids input" };
let askAgainAt = 0; // ms of the page's clock; never, until the next page load, where the route fails

const plain = (text) => text?.replace(/[\r\n]/g, ""); // a field of one line shows no line breaks
const mayAsk = (ui) => Boolean(ui.page?.live) && performance.now() >= askAgainAt;

// What the stage shows, or waits for.
export function wanted(ui) {
  const { question, field } = ui.page;
  const typed = ui.typed === null ? {} : { [field]: ui.typed };
  return { ...question, ...ui.chosen, ...typed };
}

export function fromPython(ui, data) {
  const before = ui.page;
  const page = { ...data, question: JSON.parse(data.question) };
  ui.page = page;
  if (before && before.answer === page.answer && same(before.question, page.question)) {
    if (ui.shown) ui.show(JSON.parse(ui.shown), false); // the theme changed
    return;
  }
  if (!typesOn(ui, before)) ui.typed = null;
  if (!ui.reporting) ui.chosen = {};
  if (same(page.question, wanted(ui))) take(ui, page.answer);
  else ask(ui);
}

export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// Whether the field has newer text than the question that Python answers; null is one that is too long.
function typesOn({ typed, input, page: { text, field } }, before) {
  if (typed === null || text === null || plain(text) === typed) return false;
  return before.field === field && input.isConnected && input.value === typed && document.activeElement === input;
}

// Draw an answer, unless it is drawn.
function take(ui, text) {
  if (text === ui.drawn) return;
  ui.drawn = text;
  const answer = JSON.parse(text);
  ui.refuse(answer.refusal ?? "", answer.fixes ?? {});
  if (answer.refusal !== undefined) return;
  ui.shown = text;
  ui.show(answer, true);
}

// Ask the route for what is wanted; false where only a rerun can answer.
export function ask(ui) {
  if (!mayAsk(ui)) return false;
  ui.next = { question: wanted(ui), typed: ui.typed !== null, page: ui.page };
  if (!ui.asking) send(ui);
  return true;
}

async function send(ui) {
  const asked = ui.next;
  ui.next = null;
  ui.asking = true;
  const text = await answered(ui, asked.question);
  ui.asking = false;
  if (ui.next && mayAsk(ui)) send(ui);
  if (text === null || !ui.root.isConnected) return;
  // While the user types on, each answer is newer than the last; else it is for what is shown, or late.
  const isNews = ui.typed !== null && asked.typed && same(ui.page.question, asked.page.question);
  if (isNews || same(asked.question, wanted(ui))) take(ui, text);
}

// The answer as JSON, a refusal among them; null where the rerun must answer.
async function answered(ui, question) {
  const body = new TextEncoder().encode(JSON.stringify({ settings: question, part: ui.page.part }));
  if (body.length > ui.page.most) return null;
  try {
    const response = await fetch(new URL(ui.page.live, ui.base), {
      method: "POST", headers: { "Content-Type": "application/json" }, body, cache: "no-store",
      redirect: "error", signal: AbortSignal.timeout(ANSWER_MS),
      referrerPolicy: "origin", // the page's address holds the text, and proxies log the referrer
    });
    const { status } = response;
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    if (isJson && (status === 200 || status === 422)) return await response.text();
    if (status === 413) return null;
    const isBusy = status === 408 || status === 429 || status >= 500;
    pauseAsking(isBusy ? 1000 * Number(response.headers.get("Retry-After")) || PAUSE_MS : Infinity);
  } catch {
    pauseAsking(PAUSE_MS); // no network, or silence
  }
  return null;
}

function pauseAsking(milliseconds) { askAgainAt = performance.now() + milliseconds; }

// Something was chosen in the component: it goes to Python, and into the address, after a pause.
export function choose(ui, changes) {
  ui.chosen = { ...ui.chosen, ...changes };
  clearTimeout(ui.reporting);
  ui.reporting = setTimeout(() => {
    ui.reporting = null;
    ui.report({ ...ui.chosen });
  }, REPORT_MS);
}

export function followField(ui) {
  const type = (event) => {
    const field = event.target;
    if (!ui.root.isConnected || !ui.page?.field || !field.matches?.(FIELDS[ui.page.field])) return;
    ui.input = field;
    ui.typed = field.value === plain(ui.page.text) ? null : field.value;
    if (!event.isComposing) ask(ui); // else at `compositionend`: see `ui/frame/composition.js`
  };
  const leave = () => { ui.typed = null; ui.chosen = {}; clearTimeout(ui.reporting); ui.reporting = null; };
  const heard = { input: type, compositionend: type };
  for (const [name, listener] of Object.entries(heard)) document.addEventListener(name, listener, true);
  window.addEventListener("popstate", leave, true);
  return () => {
    for (const [name, listener] of Object.entries(heard)) document.removeEventListener(name, listener, true);
    window.removeEventListener("popstate", leave, true);
    leave();
  };
}
