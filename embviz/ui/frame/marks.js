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
  // The row of links to the pages is a landmark.
  [".st-key-pages", { role: "navigation", "aria-label": "Pages" }],
];
// What Streamlit shows by a colour alone: an attribute, and its value for an element; null where it has none.
const STATES = [
  [".st-key-pages .stPageLink a", "aria-current", (link) => (pageOf(link.getAttribute("href")) === pageOf(location.pathname) ? "page" : null)],
  [".st-key-questions button", "aria-pressed", (button) => String(button.getAttribute("kind") === "primary")],
];

// The name of a page in an address; the first page has none.
const pageOf = (address) => address.split("?")[0].split("/").at(-1).replace(/^\.$/, "");

function markAll() {
  for (const [selector, attributes] of MARKS) {
    const [[first, value]] = Object.entries(attributes);
    for (const element of document.querySelectorAll(`${selector}:not([${first}=${value}])`)) {
      for (const attribute of Object.entries(attributes)) element.setAttribute(...attribute);
    }
  }
  for (const [selector, attribute, valueOf] of STATES) {
    for (const element of document.querySelectorAll(selector)) {
      const value = valueOf(element);
      if (value === null) element.removeAttribute(attribute);
      else if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
    }
  }
}

// Marks all that is there and that comes.
export function keepMarks(_hear, ended) {
  let waits;
  const changes = new MutationObserver(() => { waits ??= setTimeout(() => { waits = undefined; markAll(); }, MARK_MS); });
  changes.observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["kind"] });
  ended.addEventListener("abort", () => changes.disconnect());
  markAll();
}
