// Sentences of the page that change with what is pressed elsewhere: a screen reader says the new one. Streamlit draws
// them anew, and a reader says only what changes in a status that is there already. So each has a hidden one of ours.

// ms after a change of the page
const SETTLED_MS = 300;
// What is said of a measurement: how it ended, and not how far it is.
const ENDED = /^(Done|Stopped|Failed)\b/;

const textOf = (selector) => document.querySelector(selector)?.innerText.trim() ?? "";
const endOf = (text) => (ENDED.test(text) ? text : "");

// Each sentence: what it is now, and whether it is said where it is the first one, too.
const SENTENCES = [
  { now: () => textOf(".st-key-tour_sentence"), first: true },
  { now: () => textOf(".st-key-timing_answer h2"), first: false },
  { now: () => endOf(textOf(".st-key-start_row [data-testid=stCaptionContainer]")), first: true },
];

function addStatus() {
  const status = document.createElement("div");
  status.role = "status";
  status.className = "heard";
  document.body.append(status);
  return status;
}

export function saySentences(_hear, ended) {
  const all = SENTENCES.map((one) => ({ ...one, status: addStatus(), path: "" }));
  const look = () => {
    for (const one of all) {
      const text = one.now(), isFirst = one.path !== location.pathname;
      if (text && text !== one.last && (one.first || !isFirst)) one.status.textContent = text;
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
