// One question (settings and what is typed), one answer, whoever gives it.
//
// The picture shows the answer to the question of `ui.page`, which Python sent last, both together. A key or a
// choice may be newer than that page. Then the route `live` is asked for what is wanted: the page's question
// with what is newer in place. One question is asked at a time. Without the route, reruns answer.
//
//   state or event                 newer than the page          what is drawn or asked
//   a page comes                   nothing                      its answer
//   a key: `typed` is its text     the field's text             the route is asked
//   a choice: `chosen` has it      the settings chosen          the component draws it, and may ask the route
//   a page, typing goes on         the field's text, while it   the route is asked
//                                  differs and has the focus
//   a page, `reporting` runs       the settings chosen          the route is asked if an answer needs them
//   `reporting` is over            nothing: Python is told      its next page has them
//   a question while `asking`      -                            it is `next`, in place of an older `next`
//   the route answers              -                            the answer, if it is wanted still
//   the route answers, and typing  the field's text             the answer to an earlier key, too
//   goes on over the same page
//   Back                           nothing                      the page's answer
//   the route gives no answer      as before                    nothing; after a pause it may be asked again
//
// An answer or refusal that is drawn already, the JSON `taken`, is not taken twice. Python and the route write
// the same answer with the same letters: `asked_of` in `settings/given.py` orders the settings.
//
// A component gives `ui.receive(answer)`, which takes a new answer, and `ui.draw()`. Here `ui` gets the names of the
// table: `page` is undefined at first, `typed` is null while it is not newer, `reporting` is a timer. The page's
// question has every setting that a choice in a component may change.

import { themed } from "../../picture/cells/colours.js";
import { leaving, stateOf } from "./mount.js";
import { refusalLine } from "./refusal.js";

// ms for which the route may take to answer; after them the rerun must do
const ANSWER_MS = 4000;
// ms before the route is asked again after it gave no answer, where it names no time
const SILENCE_MS = 30_000;
// ms before a choice goes to Python, and into the address
const REPORT_MS = 500;
const FIELDS = { text: ".st-key-text input", ids: ".st-key-ids input" };
// ms of the page's clock from which the route may be asked
let askAgainAt = 0;

const plain = (text) => text?.replace(/[\r\n]/g, ""); // a field of one line shows no line breaks
const mayAsk = (ui) => Boolean(ui.page?.live) && performance.now() >= askAgainAt;
export const same = (first, second) => JSON.stringify(first) === JSON.stringify(second);

// What the field shows: a label may be `<unk>`, or a byte. Empty where a component follows no field.
export const plainText = ({ typed, page }) => typed ?? page.text ?? "";

// The question whose answer is shown, or waited for. Other choices, such as a view, change no answer.
export function wanted({ page: { question, field }, chosen, typed }) {
  const changed = Object.entries(chosen).filter(([name]) => name in question);
  const text = typed === null ? {} : { [field]: typed };
  return { ...question, ...Object.fromEntries(changed), ...text };
}

// Whether two questions have the same settings, in any order: what is typed comes last.
export function sameQuestion(first, second) {
  const names = Object.keys(first);
  return names.length === Object.keys(second).length && names.every((name) => same(first[name], second[name]));
}

// Runs a component that follows the field of its page; `given` is what Streamlit gives it.
export function following(given, mount) {
  const ui = stateOf(given, (made) => {
    const redraw = () => themed(made, () => { if (made.data) made.draw(); });
    Object.assign(made, { typed: null, chosen: {}, refuse: refusalLine(made), redraw });
    mount(made);
    followField(made);
  });
  ui.base = given.base; // the address of the app
  ui.report = (picked) => given.setTriggerValue("picked", picked);
  fromPython(ui, given.data);
  return leaving(ui);
}

export function fromPython(ui, data) {
  const before = ui.page;
  ui.page = { ...data, question: JSON.parse(data.question) };
  if (!typesOn(ui, before)) ui.typed = null;
  if (!ui.reporting) ui.chosen = {};
  showWanted(ui);
}

// Draws the page's answer if it is wanted, else asks for what is wanted. The last answer may be drawn again: a
// choice may have gone, or the theme changed.
function showWanted(ui) {
  if (!sameQuestion(ui.page.question, wanted(ui))) ask(ui);
  else if (take(ui, ui.page.answer)) return;
  ui.redraw();
}

// Whether the field has newer text than the question that Python answers; null is one that is too long.
function typesOn({ typed, input, page: { text, field } }, before) {
  if (typed === null || text === null || plain(text) === typed) return false;
  return before.field === field && input.isConnected && input.value === typed && document.activeElement === input;
}

// Draws an answer, and returns true; false where it was the last one.
function take(ui, text) {
  if (text === ui.taken) return false;
  ui.taken = text;
  const answer = JSON.parse(text);
  ui.refuse(answer.refusal ?? "", answer.fixes ?? {});
  if (answer.refusal === undefined) {
    ui.receive(answer);
    ui.redraw();
  }
  return true;
}

// Asks the route for what is wanted; false where only a rerun can answer.
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
  // While the person types on, each answer is newer than the last. Else one that is not wanted came late.
  const isNews = ui.typed !== null && asked.typed && sameQuestion(ui.page.question, asked.page.question);
  if (isNews || sameQuestion(asked.question, wanted(ui))) take(ui, text);
}

// The route's answer or refusal as JSON; null where the rerun must answer.
async function answered(ui, question) {
  const body = new TextEncoder().encode(JSON.stringify({ settings: question, part: ui.page.part }));
  if (body.length > ui.page.most) return null;
  let seconds; // until a busy route may be asked again
  try {
    const response = await fetch(new URL(ui.page.live, ui.base), {
      method: "POST", headers: { "Content-Type": "application/json" }, body, cache: "no-store",
      redirect: "error", signal: AbortSignal.timeout(ANSWER_MS),
      referrerPolicy: "origin", // the page's address holds the text, and proxies log the referrer
    });
    const { status, headers } = response;
    const isJson = headers.get("Content-Type")?.startsWith("application/json"); // no page of a proxy
    if (isJson && (status === 200 || status === 422)) return await response.text();
    if (status === 413) return null; // too large for the route alone
    seconds = Number.parseFloat(headers.get("Retry-After"));
  } catch {
    // no network, or silence
  }
  askAgainAt = performance.now() + (seconds >= 0 ? 1000 * seconds : SILENCE_MS);
  return null;
}

// Takes what was chosen in the component: it goes to Python, and into the address, after a pause.
export function choose(ui, changes) {
  ui.chosen = { ...ui.chosen, ...changes };
  clearTimeout(ui.reporting);
  ui.reporting = setTimeout(() => reportChosen(ui), REPORT_MS);
}

// Takes a choice that needs an answer: without the route, Python is told at once.
export function chooseAnswer(ui, changes) {
  choose(ui, changes);
  if (!ask(ui)) reportChosen(ui);
}

function reportChosen(ui) {
  clearTimeout(ui.reporting);
  ui.reporting = null;
  ui.report({ ...ui.chosen });
}

function followField(ui) {
  const type = (event) => {
    const field = event.target;
    if (!ui.root.isConnected || !field.matches?.(FIELDS[ui.page.field])) return;
    ui.input = field;
    ui.typed = field.value === plain(ui.page.text) ? null : field.value;
    if (!event.isComposing) ask(ui); // else at `compositionend`: see `ui/frame/composition.js`
  };
  const leave = () => { ui.typed = null; ui.chosen = {}; clearTimeout(ui.reporting); ui.reporting = null; };
  // Python sends nothing where the entry has the same question.
  const back = () => { leave(); showWanted(ui); };
  const ended = new AbortController(), heard = { capture: true, signal: ended.signal };
  for (const name of ["input", "compositionend"]) document.addEventListener(name, type, heard);
  window.addEventListener("popstate", back, heard);
  ui.ends.push(() => { ended.abort(); leave(); });
}
