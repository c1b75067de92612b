// The listener, on every page: Enter in an answer, a click or Back right after a key. What `areas.js`,
// `arrive.js`, `asking.js`, `focus.js` and `composition.js` listen to comes with it, and `fields.js`.
//
// Enter in a lab's answer presses its button, as in a form.
//
// Streamlit sends a click on a page's link at once, and what was typed just before a moment later. That
// second message names the page before, and would bring it back. So such a click waits a moment.
// Back waits so too: else that message would bring back what was typed into the address alone.
// For a click with Ctrl, Streamlit would change the page of this tab. In the row of links, a click
// on the page shown does nothing: its address may be older than the last change.

import { areas } from "./areas.js";
import { arrival } from "./arrive.js";
import { asking } from "./asking.js";
import { keepCode } from "./code.js";
import { composition } from "./composition.js";
import { markFields } from "./fields.js";
import { keepFocus } from "./focus.js";

// ms after a key in which a click waits
const TYPED_MS = 1000;
// ms that it waits
const COMMIT_MS = 150;

let end; // ends what the call before listens to

export default function listen() {
  end?.(); // Streamlit calls again when the theme changes
  let typed = -TYPED_MS;
  const type = () => { typed = performance.now(); };
  // Streamlit's link to the first page has no path: a new tab would open the page shown here.
  const home = (event) => {
    const page = event.target.closest?.('a[href=""], a[href^="?"]');
    page?.setAttribute("href", `./${page.getAttribute("href")}`);
  };
  const leave = (event) => {
    home(event); // drawn again since the pointer went down
    const page = event.target.closest?.("a[href]:not([download], [target=_blank])");
    if (page?.origin !== window.location.origin) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey) { event.stopPropagation(); return; } // a new tab
    if (page.pathname === location.pathname && page.closest(".st-key-pages")) { event.preventDefault(); event.stopPropagation(); return; }
    if (performance.now() - typed > TYPED_MS) return;
    typed = -TYPED_MS;
    event.preventDefault();
    event.stopPropagation();
    document.activeElement?.blur(); // commits what was typed
    const isSame = (link) => link.textContent === page.textContent; // it may be drawn again by then
    setTimeout(() => (page.isConnected ? page : [...document.links].find(isSame))?.click(), COMMIT_MS);
  };
  const back = (event) => {
    if (performance.now() - typed > TYPED_MS) return;
    typed = -TYPED_MS;
    event.stopImmediatePropagation();
    const address = location.href, field = document.activeElement;
    field?.blur();
    field?.focus({ preventScroll: true });
    setTimeout(() => {
      history.replaceState(history.state, "", address); // what was typed may be in it by now
      dispatchEvent(new PopStateEvent("popstate", { state: event.state }));
    }, COMMIT_MS);
  };
  const check = ({ key, target, isComposing }) => {
    const press = target.closest?.(".st-key-lab_answer")?.querySelector(".stButton button");
    if (press && target.matches?.("input[type=text]") && key === "Enter" && !isComposing) setTimeout(() => press.click()); // committed by then
  };
  const focus = keepFocus(), arriving = arrival(), leaveCode = keepCode(), leaveFields = markFields();
  const area = areas();
  const own = { input: type, pointerdown: home, click: leave, keydown: check };
  const heard = [focus.heard, arriving.heard, area.heard, asking(), composition(), own].flatMap(Object.entries);
  for (const [name, listener] of heard) document.addEventListener(name, listener, true);
  window.addEventListener("popstate", back, true);
  window.addEventListener("popstate", arriving.step);
  end = () => {
    focus.stop();
    arriving.stop();
    area.stop();
    leaveCode();
    leaveFields();
    for (const [name, listener] of heard) document.removeEventListener(name, listener, true);
    window.removeEventListener("popstate", back, true);
    window.removeEventListener("popstate", arriving.step);
  };
  return end;
}
