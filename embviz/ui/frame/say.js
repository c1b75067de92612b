// Sentences of the page that change with what is pressed elsewhere: a screen reader says the new one. Streamlit draws
// them anew, and a reader says only what changes in a status that is there already. So each has a hidden one of ours.

// ms after a change of the page
const SETTLED_MS = 300;
// ms that a sentence stays in its status: a reader that goes on to the end of the page does not find it there again
const SAID_MS = 5000;
// What is said of a measurement: how it ended, and not how far it is.
const ENDED = /^(Done|Stopped|Failed)\b/;

const textOf = (selector) => document.querySelector(selector)?.innerText.trim() ?? "";
const endOf = (text) => (ENDED.test(text) ? text : "");

// How far a training of the page is, once it rests; and what came out of it.
function trained() {
  const steps = textOf(":is(.st-key-size_steps_row, .st-key-learn_steps_row) [data-testid=stCaptionContainer]");
  return steps && `${steps}. ${textOf(".st-key-sizes_answer [data-testid=stMarkdown]")}`.trim();
}

// Each sentence: what it is now, and whether it is said where it is the first one, too.
const SENTENCES = [
  { now: () => textOf(".st-key-tour_sentence"), first: true },
  { now: () => textOf(".st-key-timing_answer h2"), first: false },
  { now: trained, first: true },
  { now: () => endOf(textOf(".st-key-start_row [data-testid=stCaptionContainer]")), first: true },
];

function addStatus() {
  const status = document.createElement("div");
  status.role = "status";
  status.className = "heard";
  document.body.append(status);
  return status;
}

function say(one, text) {
  one.status.textContent = text;
  clearTimeout(one.stays);
  one.stays = setTimeout(() => { one.status.textContent = ""; }, SAID_MS);
}

export function saySentences(_hear, ended) {
  const all = SENTENCES.map((one) => ({ ...one, status: addStatus(), path: "" }));
  const look = () => {
    for (const one of all) {
      const text = one.now(), isFirst = one.path !== location.pathname;
      if (text && text !== one.last && (one.first || !isFirst)) say(one, text);
      if (!text) continue; // while a sweep runs there is none
      Object.assign(one, { last: text, path: location.pathname });
    }
  };
  let waits;
  const changes = new MutationObserver(() => { waits ??= setTimeout(() => { waits = undefined; look(); }, SETTLED_MS); });
  changes.observe(document.querySelector("#root") ?? document.documentElement, { subtree: true, childList: true, characterData: true });
  ended.addEventListener("abort", () => {
    changes.disconnect();
    clearTimeout(waits);
    for (const { status } of all) status.remove();
  });
  look();
}
