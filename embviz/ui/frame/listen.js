// The listener, on every page: the glossary's terms, Enter in an answer, a click right after a key.
//
// Enter in a lab's answer presses its button, as in a form.
//
// Streamlit sends a click on a page's link at once, and what was typed just before a moment later. That
// second message names the page before, and would bring it back. So such a click waits a moment.

const TYPED_MS = 1000; // a click so soon after a key waits
const COMMIT_MS = 150; // for so long

export default function () {
  let typed = -TYPED_MS;
  const type = () => { typed = performance.now(); };
  const leave = (event) => {
    const page = event.target.closest?.("a[href]:not([download], [target=_blank])");
    const plain = !event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (page?.origin !== window.location.origin || !plain || performance.now() - typed > TYPED_MS) return;
    typed = -TYPED_MS;
    event.preventDefault();
    event.stopPropagation();
    document.activeElement?.blur(); // commits what was typed
    setTimeout(() => page.click(), COMMIT_MS);
  };
  const check = ({ key, target, isComposing }) => {
    const press = target.closest?.(".st-key-lab_answer")?.querySelector(".stButton button");
    if (press && target.matches?.("input[type=text]") && key === "Enter" && !isComposing) setTimeout(() => press.click()); // committed by then
  };
  const heard = { input: type, click: leave, keydown: check };
  for (const [name, listener] of Object.entries(heard)) document.addEventListener(name, listener, true);
  const stop = listenForTerms();
  return () => {
    stop();
    for (const [name, listener] of Object.entries(heard)) document.removeEventListener(name, listener, true);
  };
}
