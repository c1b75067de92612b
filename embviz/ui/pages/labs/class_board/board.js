// Draws the board of a class from JSON. Cells change in place; all text is set as text.
// `words.js` comes before it.

const ROUTE = "../class/board"; // from the address of this script
const NEWS_MS = 700; // between two questions to the route
const HIDDEN_MS = 5000; // while the page cannot be seen
const ANSWER_MS = 8000; // without an answer by then, the server cannot be reached
const TOLD_MS = 10_000; // between two summaries for a screen reader

export default function ({ data, parentElement, setTriggerValue }) {
  const ui = (parentElement.embviz ??= mount(parentElement));
  ui.press = (what) => setTriggerValue("press", what);
  ui.leave = () => setTriggerValue("gone", true);
  if (data.text !== ui.text) { // else the route's news are newer
    ui.text = data.text;
    draw(ui, JSON.parse(data.text));
    plan(ui);
  }
  return () => setTimeout(() => { if (!parentElement.isConnected) stop(ui); });
}

function draw(ui, news) {
  ui.shown = ui.data?.question;
  ui.data = { ...ui.data, ...news };
  drawHead(ui);
  drawBar(ui);
  ui.grid.hidden = ui.legend.hidden = Boolean(ui.data.question);
  ui.question.hidden = !ui.data.question;
  if (ui.data.question) drawQuestion(ui);
  else drawGrid(ui);
  keepFocus(ui);
  tell(ui);
}

// ---- news -----------------------------------------------------------------------------------

function stop(ui) {
  clearTimeout(ui.telling);
  clearTimeout(ui.timer);
  ui.underWay?.abort();
}

function plan(ui) {
  clearTimeout(ui.timer);
  ui.underWay?.abort(); // it asks for what is no longer shown
  ui.timer = setTimeout(() => look(ui), document.hidden ? HIDDEN_MS : NEWS_MS);
}

async function look(ui) {
  if (!ui.root.isConnected) { stop(ui); return; }
  const mine = (ui.underWay = new AbortController());
  const late = setTimeout(() => mine.abort("late"), ANSWER_MS);
  let news; // nothing where the server does not answer
  try {
    news = await asked(ui.data, mine.signal);
  } catch {
    news = null;
  } finally {
    clearTimeout(late);
  }
  if (mine !== ui.underWay || !ui.root.isConnected) return; // there is a newer question
  if (news?.gone) { ui.leave(); return; }
  const since = news ? 0 : ui.lostSince || Date.now() / 1000;
  const changed = since !== ui.lostSince || news?.version;
  ui.lostSince = since;
  if (changed) draw(ui, news ?? {});
  plan(ui);
}

async function asked({ code, question, version }, signal) {
  const url = new URL(ROUTE, import.meta.url);
  url.search = new URLSearchParams({ code, question, version });
  const response = await fetch(url, { cache: "no-store", referrerPolicy: "origin", signal });
  if (response.status === 204) return {};
  if (response.headers.get("Content-Type")?.startsWith("application/json")) {
    if (response.ok) return response.json();
    if ([403, 404].includes(response.status)) return { gone: true };
  }
  throw new Error(`the route answered ${response.status}`);
}

// ---- the parts ------------------------------------------------------------------------------

function mount(root) {
  const ui = { root, rows: new Map(), told: "", lostSince: 0 };
  for (const name of ["all", "head", "lab", "open", "remark", "qr", "notice", "summary", "hint", "grid", "legend", "question", "answered", "reveal", "pause", "bars"]) {
    ui[name] = root.querySelector(`.${name}`);
  }
  ui.goOn = root.querySelector(".go-on");
  ui.heard = root.querySelector(".told");
  ui.dialog = root.querySelector("dialog");
  ui.heads = root.querySelector("thead tr");
  ui.body = root.querySelector("tbody");
  ui.steps = root.querySelector("nav");
  ui.title = root.querySelector("h3");
  ui.qr.onclick = () => ui.dialog.showModal();
  ui.dialog.onclick = ({ target }) => { if (target === ui.dialog) ui.dialog.close(); };
  ui.goOn.onclick = () => ui.press({ pause: 0 });
  ui.pause.onclick = () => ui.press({ pause: ui.data.paused === ui.data.question ? 0 : ui.data.question });
  ui.reveal.onclick = () => ui.press({ [ui.data.spread.revealed ? "hide" : "reveal"]: ui.data.question });
  root.querySelector(".all").addEventListener("click", ({ target }) => {
    const { step } = target.closest("[data-step]")?.dataset ?? {};
    if (step === undefined) return;
    ui.leaves = ui.data.question || Number(step);
    ui.press({ question: Number(step) });
  });
  return ui;
}

const write = (node, text) => { if (node.textContent !== text) node.textContent = text; };
const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
const plain = (text) => text.replace(/\*\*|`/g, "");
const count = (number, one) => `${number} ${one}${number === 1 ? "" : "s"}`;

// A sentence with code and bold words.
function writeMarked(node, text) {
  if (node.marked === text) return;
  node.marked = text;
  node.replaceChildren();
  inline(node, text);
}

function add(parent, name, text = "", kind = "") {
  const node = document.createElement(name);
  node.textContent = text;
  if (kind) node.className = kind;
  parent.append(node);
  return node;
}

// A press on a step hides what was pressed: the focus goes to the same step in the other view.
function keepFocus(ui) {
  if (!ui.leaves || ui.shown === ui.data.question) return;
  const place = ui.data.question || ui.leaves;
  (ui.data.question ? ui.steps : ui.heads).querySelector(`[data-step="${place}"]`)?.focus();
  ui.leaves = 0;
}

// As many children of this name as there are things, each drawn by `draw`; those that stay keep focus.
function fill(parent, name, things, draw, first = 0) {
  while (parent.children.length > things.length + first) parent.lastElementChild.remove();
  things.forEach((one, place) => draw(parent.children[place + first] ?? add(parent, name), one, place));
}

function drawHead(ui) {
  const { data } = ui;
  write(ui.lab, data.lab);
  for (const one of ui.root.querySelectorAll(".code")) write(one, data.code);
  for (const one of ui.root.querySelectorAll(".link")) write(one, data.link.replace(/^https?:\/\//, ""));
  ui.root.querySelector("a.link").href = data.link;
  write(ui.remark, data.remark);
  for (const one of ui.root.querySelectorAll("img")) one.src = data.qr;
  ui.head.classList.toggle("begun", data.students > 0);
  ui.open.hidden = ui.qr.hidden = data.ended;
  const silent = data.silent && `Nothing heard from the database since ${clock(data.silent.since)}: ${data.silent.why} The board shows what came before. Students can go on.`;
  const lost = ui.lostSince && `Nothing heard from the server since ${clock(ui.lostSince)}. The board shows what came before, and asks again by itself.`;
  write(ui.notice, lost || silent || (data.ended ? "This class has ended. It takes no more answers." : ""));
}

function drawBar(ui) {
  const { data } = ui;
  const parts = [data.students ? count(data.students, "student") : "No student has come yet. The first one appears here within 2 seconds."];
  if (data.paused && !data.ended) parts.push(`paused at step ${data.paused}`);
  write(ui.summary, parts.join(" · "));
  ui.goOn.hidden = !data.paused || Boolean(data.question) || data.ended;
  ui.hint.hidden = Boolean(data.question) || !data.students;
  write(ui.hint, `Press a step to see its answers${data.ended ? "" : ", to pause"} and to reveal.`);
}

// ---- all students ---------------------------------------------------------------------------

function drawGrid(ui) {
  const { data } = ui;
  const paused = data.ended ? 0 : data.paused;
  fill(ui.heads, "th", data.steps, (head, step, place) => {
    head.scope = "col";
    head.classList.toggle("paused", paused === place + 1);
    const button = head.querySelector("button") ?? add(head, "button");
    button.type = "button";
    button.dataset.step = place + 1;
    const title = `${place + 1}. ${step.title}: ${step.counts.map(([state, number]) => `${number} ${data.states[state].words}`).join(", ") || "no answers"}`;
    button.title = title;
    fill(button, "span", [["number", `${place + 1}${paused === place + 1 ? " paused" : ""}`], ["title", step.title], ["counts", ""]], (node, [kind, text]) => {
      node.className = kind;
      if (kind !== "counts") write(node, text);
      else fill(node, "span", step.counts, (part, [state, number]) => {
        part.className = data.states[state].name;
        write(part, `${number}${data.states[state].sign}`);
      });
    });
  }, 1);
  const seen = new Set();
  data.lines.toSorted((a, b) => b.wrong - a.wrong || a.number - b.number).forEach((line, at) => {
    seen.add(line.number);
    const row = ui.rows.get(line.number) ?? add(ui.body, "tr");
    ui.rows.set(line.number, row);
    if (ui.body.children[at] !== row) ui.body.insertBefore(row, ui.body.children[at] ?? null);
    drawLine(ui, row, line);
  });
  for (const [number, row] of ui.rows) if (!seen.has(number)) { row.remove(); ui.rows.delete(number); }
  const numbers = [{ name: "words", sign: "✗2", words: "after 2 tries" }, { name: "words", sign: "2✗", words: "2 students (above)" }];
  fill(ui.legend, "li", [...data.states.slice(1), ...numbers], (item, one) => {
    fill(item, "span", [[one.name, one.sign], ["words", one.words]], (part, [kind, text]) => { part.className = kind; write(part, text); });
  });
}

function drawLine(ui, row, line) {
  const { data } = ui;
  const name = row.querySelector("th") ?? add(row, "th");
  name.scope = "row";
  write(name, line.who);
  name.title = line.who;
  fill(row, "td", line.cells, (cell, [number = 0, tries = 0, mistake = 0], place) => {
    const state = data.states[number];
    const said = `${state.words}${tries > 1 ? ` after ${tries} tries` : ""}`;
    cell.className = state.name;
    cell.title = `${line.who}, step ${place + 1}: ${said}${mistake ? `. ${plain(data.mistakes[mistake - 1])}` : ""}`;
    fill(cell, "span", [["sign", `${state.sign}${tries > 1 ? tries : ""}`], ["heard", said]], (part, [kind, text]) => {
      part.className = kind;
      if (kind === "sign") part.ariaHidden = "true";
      write(part, text);
    });
  }, 1);
}

// ---- one question ---------------------------------------------------------------------------

function drawQuestion(ui) {
  const { data } = ui;
  const { spread } = data;
  fill(ui.steps, "button", [null, ...data.steps], (button, step, place) => {
    button.type = "button";
    button.dataset.step = place;
    button.title = step?.title ?? "";
    write(button, step ? `${place}` : "All students");
    if (place === data.question) button.ariaCurrent = "step";
    else button.removeAttribute("aria-current");
  });
  write(ui.title, `${data.question}. ${data.steps[data.question - 1].title}`);
  const did = spread.revealed ? "had answered when you revealed" : `${spread.answered === 1 ? "has" : "have"} answered`;
  write(ui.answered, `${spread.answered} of ${count(spread.members, "student")} ${did}.`);
  ui.reveal.classList.toggle("hides", spread.revealed);
  write(ui.reveal, spread.revealed ? "Hide again" : "Reveal");
  const here = data.paused === data.question;
  ui.pause.hidden = data.ended;
  write(ui.pause, here ? "Go on" : `Pause at step ${data.question}`);
  const most = Math.max(1, ...spread.bars.map((one) => one.count));
  fill(ui.bars, "li", spread.bars, (item, one) => {
    item.className = one.kind;
    fill(item, "span", [["label", one.label], ["stripe", ""], ["count", String(one.count)], ["mean", one.mean]], (part, [kind, text]) => {
      part.className = kind;
      if (kind !== "stripe") { writeMarked(part, text); return; }
      const bar = part.firstElementChild ?? add(part, "span");
      bar.style.width = `${(100 * one.count) / most}%`;
    });
  });
}

// ---- for a screen reader --------------------------------------------------------------------

// The newest summary, but not more often than it can be read aloud.
function tell(ui) {
  const { data } = ui;
  const said = data.question ? ui.answered.textContent : ui.summary.textContent;
  if (said === ui.told || ui.telling) return;
  ui.told = said;
  write(ui.heard, said);
  ui.telling = setTimeout(() => { ui.telling = 0; if (ui.root.isConnected) tell(ui); }, TOLD_MS);
}
