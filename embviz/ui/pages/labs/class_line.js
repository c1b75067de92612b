// The line of a class above a lab: who the student is, what the teacher sees, what has arrived.
//
// It asks the route `class/state` again and again, and starts a rerun where the class differs from
// what the page shows. It changes nothing in the lab, and knows no answers.

const ROUTE = "../class/state"; // from the address of this script
const POLL_MS = 2000; // between an answer of the route and the next question
const SOON_MS = 300; // while answers are under way
const HIDDEN_MS = 15_000; // while the page cannot be seen
const ANSWER_MS = 23_000; // the route waits 15 s for news; without an answer it cannot be reached
const AGAIN_MS = 10_000; // a rerun that did not help is asked for again
const JITTER = 0.2; // so that a class does not ask all at once

export default function ({ data, parentElement, setTriggerValue }) {
  const ui = (parentElement.embviz ??=
    { root: parentElement, silentSince: null, underWay: null, asks: "", askedAt: -AGAIN_MS });
  ui.data = data;
  ui.rerun = (version) => setTriggerValue("news", version);
  ui.news = { ...ui.news, waiting: data.waiting, since: data.since, refused: data.refused };
  draw(ui);
  // A request that waits at the server with the same data is enough.
  const isAsked = ui.underWay !== null && ui.asks === question(data);
  if (!isAsked || data.waiting) plan(ui, data.waiting ? SOON_MS : POLL_MS);
  ui.seen ??= () => { if (!document.hidden) plan(ui, 0); };
  document.addEventListener("visibilitychange", ui.seen);
  return () => setTimeout(() => { if (!parentElement.isConnected) stop(ui); });
}

function stop(ui) {
  clearTimeout(ui.timer);
  clearTimeout(ui.later);
  ui.underWay?.abort();
  document.removeEventListener("visibilitychange", ui.seen);
}

function plan(ui, milliseconds) {
  clearTimeout(ui.timer);
  ui.timer = setTimeout(() => poll(ui), milliseconds * (1 + JITTER * (Math.random() - 0.5)));
}

const question = ({ code, member, version }) => [code, member, version].join(" ");

async function poll(ui) {
  if (!ui.root.isConnected) { stop(ui); return; }
  ui.underWay?.abort();
  const mine = (ui.underWay = new AbortController());
  ui.asks = question(ui.data);
  const late = setTimeout(() => mine.abort("late"), ANSWER_MS);
  try {
    const news = await asked(ui.data, mine.signal);
    ui.silentSince = null;
    ui.news = news;
    compare(ui, news);
  } catch {
    if (mine !== ui.underWay || !ui.root.isConnected) return; // a newer question
    ui.silentSince ??= Date.now() / 1000;
  } finally {
    clearTimeout(late);
  }
  ui.underWay = null;
  draw(ui);
  const { waiting, since } = ui.news;
  plan(ui, document.hidden ? HIDDEN_MS : waiting && !since ? 2 * SOON_MS : POLL_MS);
}

async function asked({ code, member, version }, signal) {
  const url = new URL(ROUTE, import.meta.url);
  // With `seen` the route answers when something differs from it. A hidden page keeps no connection.
  url.search = new URLSearchParams({ code, member, ...(document.hidden ? {} : { seen: version }) });
  // The page's address has the member's token, and proxies log the referrer.
  const response = await fetch(url, { cache: "no-store", referrerPolicy: "origin", signal });
  const type = response.headers.get("Content-Type") ?? "";
  if (type.startsWith("application/json")) {
    if (response.ok) return response.json();
    if (response.status === 404) return { version: "gone", waiting: 0 };
  }
  throw new Error(`the route answered ${response.status}`);
}

function compare(ui, { version, spread_s = 0 }) {
  const now = performance.now();
  if (version === ui.data.version || (version === ui.asked && now - ui.askedAt < AGAIN_MS)) return;
  Object.assign(ui, { asked: version, askedAt: now });
  clearTimeout(ui.later); // all pages hear of it at once, and must not all start a rerun at once
  ui.later = setTimeout(() => {
    if (version !== ui.data.version) ui.rerun(version);
  }, 1000 * spread_s * Math.random());
}

const clock = (seconds) =>
  new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

function arrived({ data, news, silentSince }) {
  const { waiting } = news;
  const since = silentSince ?? news.since;
  const unreached = since && `the class cannot be reached since ${clock(since)}. Go on.`;
  if (waiting && since) return `${waiting === 1 ? "1 answer waits" : `${waiting} answers wait`}: ${unreached}`;
  if (unreached) return unreached[0].toUpperCase() + unreached.slice(1);
  if (news.refused) return `Not all answers have arrived. ${news.refused}`;
  if (waiting) return waiting === 1 ? "1 answer is under way." : `${waiting} answers are under way.`;
  return data.answered || news.answered ? "All answers have arrived." : "";
}

function draw(ui) {
  const [line, name, sees, state] = ["p", "b", ".sees", ".state"].map((one) => ui.root.querySelector(one));
  name.textContent = ui.data.name;
  sees.textContent = ui.data.sees;
  line.hidden = !ui.data.name;
  const words = arrived(ui);
  if (state.textContent !== words) state.textContent = words; // a screen reader reads a change
  state.classList.toggle("waits", /cannot be reached|Not all/.test(words));
}
