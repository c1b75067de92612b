// Code is in no language: a browser that translates the page must leave it as it is. Streamlit does not
// say so of what it draws as code.

// ms after a change of the page
const MARK_MS = 300;

// Marks all code that is there and that comes; returns what ends it.
export function keepCode() {
  let waits;
  const mark = () => {
    waits = undefined;
    for (const code of document.querySelectorAll("code:not([translate])")) code.translate = false;
  };
  const observer = new MutationObserver(() => { waits ??= setTimeout(mark, MARK_MS); });
  observer.observe(document.body, { childList: true, subtree: true });
  mark();
  return () => { observer.disconnect(); clearTimeout(waits); };
}
