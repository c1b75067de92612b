// The listener, on every page: Enter in an answer, a click or Back right after a key, and what the scripts that it
// imports hear.

import { areas } from "./areas.js";
import { arrival } from "./arrive.js";
import { asking } from "./asking.js";
import { composition } from "./composition.js";
import { keepFocus } from "./focus.js";
import { keepMarks } from "./marks.js";
import { saySentences } from "./say.js";
import { uncover } from "./uncover.js";

// ms after a key in which a click waits
const TYPED_MS = 1000;
// ms that it waits
const COMMIT_MS = 150;

// Enter in a lab's answer presses its button, as in a form.
function enter(hear) {
  hear({ keydown: ({ key, target, isComposing }) => {
    const press = target.closest?.(".st-key-lab_answer")?.querySelector(".stButton button");
    if (press && target.matches?.("input[type=text]") && key === "Enter" && !isComposing) setTimeout(() => press.click()); // committed by then
  } });
}

// Streamlit sends a click on a page's link at once, and what was typed just before a moment later. That
// second message names the page before, and would bring it back. So such a click waits a moment.
// Back waits so too: else that message would bring back what was typed into the address alone.
// For a click with Ctrl, Streamlit would change the page of this tab. In the row of links, a click
// on the page shown does nothing: its address may be older than the last change.
function leave(hear) {
  let typed = -TYPED_MS;
  const hasTyped = () => {
    const isSoon = performance.now() - typed <= TYPED_MS;
    if (isSoon) typed = -TYPED_MS;
    return isSoon;
  };
  // Streamlit's link to the first page has no path: a new tab would open the page shown here.
  const home = (event) => {
    const page = event.target.closest?.('a[href=""], a[href^="?"]');
    page?.setAttribute("href", `./${page.getAttribute("href")}`);
  };
  const click = (event) => {
    home(event); // drawn again since the pointer went down
    const page = event.target.closest?.("a[href]:not([download], [target=_blank])");
    if (page?.origin !== window.location.origin) return;
    const isNewTab = event.ctrlKey || event.metaKey || event.shiftKey;
    const isHere = !isNewTab && page.pathname === location.pathname && page.closest(".st-key-pages");
    const waits = !isNewTab && !isHere && hasTyped();
    if (isNewTab || isHere || waits) event.stopPropagation();
    if (isHere || waits) event.preventDefault();
    if (!waits) return;
    document.activeElement?.blur(); // commits what was typed
    const isSame = (link) => link.textContent === page.textContent; // it may be drawn again by then
    setTimeout(() => (page.isConnected ? page : [...document.links].find(isSame))?.click(), COMMIT_MS);
  };
  const back = (event) => {
    if (!hasTyped()) return;
    event.stopImmediatePropagation();
    const address = location.href, field = document.activeElement;
    field?.blur();
    field?.focus({ preventScroll: true });
    setTimeout(() => {
      history.replaceState(history.state, "", address); // what was typed may be in it by now
      dispatchEvent(new PopStateEvent("popstate", { state: event.state }));
    }, COMMIT_MS);
  };
  hear({ input: () => { typed = performance.now(); }, pointerdown: home, click });
  hear({ popstate: back }, window);
}

let before; // ends what the call before listens to

export default function listen() {
  before?.abort(); // Streamlit calls again when the theme changes
  const ends = before = new AbortController();
  const hear = (events, on = document) => {
    for (const [name, listener] of Object.entries(events)) on.addEventListener(name, listener, { capture: true, signal: ends.signal });
  };
  for (const part of [leave, enter, keepFocus, arrival, areas, asking, composition, keepMarks, saySentences, uncover]) part(hear, ends.signal);
  return () => ends.abort();
}
