// Terms of the glossary. GLOSSARY, from request/glossary.py, stands before this script.
//
// `term` makes an element for a component's own sentence. `listenForTerms` shows the meaning of the
// term that the pointer, the focus or a finger is on; the frame calls it once for the whole page.

const TERM_EDGE = 8; // px that stay free between a meaning and the edge of the window

// Words of a sentence as an element; `name` is their term in the glossary.
function term(words, name = words) {
  const element = document.createElement("span");
  Object.assign(element, { className: "term", tabIndex: 0, role: "button", textContent: words });
  element.style.cssText = "text-decoration: underline dotted; text-underline-offset: 3px; cursor: help";
  element.dataset.term = name;
  element.setAttribute("aria-label", `${words}: ${GLOSSARY[name] ?? ""}`);
  return element;
}

// Returns a function that stops it.
function listenForTerms() {
  const box = document.createElement("div");
  Object.assign(box, { className: "embviz-meaning", role: "tooltip", hidden: true });
  document.body.append(box);
  let shown = null;
  const hide = () => { shown = null; box.hidden = true; };
  const show = (event) => {
    const found = event.composedPath()[0].closest?.(".term");
    if (!found) { if (event.type !== "focusin") hide(); return; }
    const meaning = GLOSSARY[found.dataset.term];
    if (!meaning || (found === shown && event.type === "pointermove")) return;
    shown = found;
    box.textContent = meaning;
    box.hidden = false;
    const at = found.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = box;
    const left = Math.min(at.left, window.innerWidth - width - TERM_EDGE);
    const below = at.bottom + 6 + height < window.innerHeight;
    box.style.left = `${Math.max(TERM_EDGE, left)}px`;
    box.style.top = `${below ? at.bottom + 6 : at.top - height - 6}px`;
  };
  const key = (event) => { if (event.key === "Escape") hide(); };
  // A move of pointer or focus within one component's shadow root does not send `pointerover` or
  // `focusin` to the document; these two are sent.
  const tab = (event) => { if (event.key === "Tab") show(event); };
  const heard = { pointermove: show, click: show, focusin: show, keyup: tab, focusout: hide, scroll: hide, keydown: key };
  for (const [name, listener] of Object.entries(heard)) document.addEventListener(name, listener, true);
  return () => {
    for (const [name, listener] of Object.entries(heard)) document.removeEventListener(name, listener, true);
    box.remove();
  };
}
