// One question (settings and what is typed), one answer, whoever gives it.
//
// Python sends the page's question with its answer. While a person types, the field's text takes the
// place of that of the page, and the route `live` is asked, one question at a time, the newest next.
// Without the route, reruns answer.
//
// A component gives `ui.root`; `ui.base`, the address of the app; `ui.show(answer)`, which draws a new
// answer; `ui.redraw()`, which draws the last one again, for another choice or theme; `ui.refuse(sentence,
// fixes)`; and `ui.report(choice)`, which tells Python. Here each `ui` has:
// - `page`, what Python sent last. Its question has every setting that a choice here may change.
// - `typed`, what the field `input` has while that is newer than the page's; else null.
// - `chosen`, settings chosen in the component, newer than the page's. `reporting` is the timer until
//   Python is told of them; without it, the next page has them.
// - `taken`, the JSON of the last answer or refusal. Python and the route write the same answer with the
//   same letters (`asked_of` in `settings/given.py` orders the settings), so none is drawn twice.
// - `next`, the question that is asked as soon as the route has answered; `asking`, whether it has to.

const ANSWER_MS = 4000; // without an answer by then, the rerun must do
const SILENCE_MS = 30_000; // before the route is asked again after silence, or without a network
const REPORT_MS = 500; // before a choice goes to Python, and into the address
const FIELDS = { text: ".st-key-text input", ids: ".st-key-ids input" };
let askAgainAt = 0; // ms of the page's clock; never, until the next page load, where the route fails

const plain = (text) => text?.replace(/[\r\n]/g, ""); // a field of one line shows no line breaks
const mayAsk = (ui) => Boolean(ui.page?.live) && performance.now() >= askAgainAt;
export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// The question whose answer is shown, or waited for. Other choices, such as a view, change no answer.
export function wanted({ page: { question, field }, chosen, typed }) {
  const changed = Object.entries(chosen).filter(([name]) => name in question);
  const text = typed === null ? {} : { [field]: typed };
  return { ...question, ...Object.fromEntries(changed), ...text };
}

// Whether two questions have the same settings, in any order: what is typed comes last.
export function sameQuestion(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => same(one[name], other[name]));
}

export function fromPython(ui, data) {
  const before = ui.page;
  ui.page = { ...data, question: JSON.parse(data.question) };
  if (!typesOn(ui, before)) ui.typed = null;
  if (!ui.reporting) ui.chosen = {};
  showWanted(ui);
}

// Draw the answer that Python has to what is wanted, else ask for it. The last one may be drawn again: a
// choice may have gone, or the theme changed.
function showWanted(ui) {
  if (!sameQuestion(ui.page.question, wanted(ui))) ask(ui);
  else if (ui.page.answer !== ui.taken) { take(ui, ui.page.answer); return; }
  ui.redraw();
}

// Whether the field has newer text than the question that Python answers; null is one that is too long.
function typesOn({ typed, input, page: { text, field } }, before) {
  if (typed === null || text === null || plain(text) === typed) return false;
  return before.field === field && input.isConnected && input.value === typed && document.activeElement === input;
}

// Draw an answer, unless it was the last one.
function take(ui, text) {
  if (text === ui.taken) return;
  ui.taken = text;
  const answer = JSON.parse(text);
  ui.refuse(answer.refusal ?? "", answer.fixes ?? {});
  if (answer.refusal === undefined) ui.show(answer);
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
  const isNews = ui.typed !== null && asked.typed && sameQuestion(ui.page.question, asked.page.question);
  if (isNews || sameQuestion(asked.question, wanted(ui))) take(ui, text);
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
    pauseAsking(isBusy ? 1000 * Number(response.headers.get("Retry-After")) || SILENCE_MS : Infinity);
  } catch {
    pauseAsking(SILENCE_MS); // no network, or silence
  }
  return null;
}

function pauseAsking(milliseconds) { askAgainAt = performance.now() + milliseconds; }

// Something was chosen in the component: it goes to Python, and into the address, after a pause.
export function choose(ui, changes) {
  ui.chosen = { ...ui.chosen, ...changes };
  clearTimeout(ui.reporting);
  ui.reporting = setTimeout(() => reportChosen(ui), REPORT_MS);
}

// The same for a choice that needs an answer: without the route, Python is told at once.
export function chooseAnswer(ui, changes) {
  choose(ui, changes);
  if (!ask(ui)) reportChosen(ui);
}

function reportChosen(ui) {
  clearTimeout(ui.reporting);
  ui.reporting = null;
  ui.report({ ...ui.chosen });
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
  // Python sends nothing where the entry has the same question.
  const back = () => { leave(); if (ui.page) showWanted(ui); };
  const heard = { input: type, compositionend: type };
  for (const [name, listener] of Object.entries(heard)) document.addEventListener(name, listener, true);
  window.addEventListener("popstate", back, true);
  return () => {
    for (const [name, listener] of Object.entries(heard)) document.removeEventListener(name, listener, true);
    window.removeEventListener("popstate", back, true);
    leave();
  };
}
