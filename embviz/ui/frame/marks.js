// Attributes for what Streamlit draws without them: it has no option for these.

// ms after a change of the page
const MARK_MS = 300;
const MARKS = [
  // Code is in no language: a browser that translates the page must leave it as it is.
  ["code", { translate: "no" }],
  // Phones write "Hello" for "hello", which is another id, and correct words. Hebrew and Arabic begin at the right.
  [":is(.stTextInput input, .stTextArea textarea, .stHtml input:not([type=password]))", { autocapitalize: "off", autocorrect: "off", spellcheck: "false", dir: "auto" }],
  // A number has the keyboard of digits.
  [".stNumberInput input", { inputmode: "numeric" }],
];

function markAll() {
  for (const [selector, attributes] of MARKS) {
    const [[first, value]] = Object.entries(attributes);
    for (const element of document.querySelectorAll(`${selector}:not([${first}=${value}])`)) {
      for (const attribute of Object.entries(attributes)) element.setAttribute(...attribute);
    }
  }
}

// Marks all that is there and that comes.
export function keepMarks(_hear, ended) {
  let waits;
  const changes = new MutationObserver(() => { waits ??= setTimeout(() => { waits = undefined; markAll(); }, MARK_MS); });
  changes.observe(document, { subtree: true, childList: true });
  ended.addEventListener("abort", () => changes.disconnect());
  markAll();
}
