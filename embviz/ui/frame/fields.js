// How a browser helps with what is typed into a field: Streamlit has no option for it, and a page's own HTML needs none.
//
// Phones write "Hello" for "hello", which is another id, and correct words. Hebrew and Arabic begin at the right.
// A number has the keyboard of digits.

const TEXTS = ":is(.stTextInput input, .stTextArea textarea, .stHtml input:not([type=password]))";
const NUMBERS = ".stNumberInput input";
const AS_TYPED = { autocapitalize: "off", autocorrect: "off", spellcheck: "false", dir: "auto" };
const WHOLE_NUMBERS = { inputmode: "numeric" };

function mark(selector, attributes) {
  const [first] = Object.keys(attributes);
  for (const field of document.querySelectorAll(`${selector}:not([${first}=${attributes[first]}])`)) {
    for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
  }
}

// Marks all fields, and those that come. Returns what ends it.
export function markFields() {
  const markAll = () => { mark(TEXTS, AS_TYPED); mark(NUMBERS, WHOLE_NUMBERS); };
  markAll();
  const changes = new MutationObserver(markAll);
  changes.observe(document, { subtree: true, childList: true });
  return () => changes.disconnect();
}
