// A link lands where its answer is in view.
//
// Python draws what an address opens below the first screen in a container whose key begins with `anchor`. After
// the page has loaded, and after a press of a link on it, this script scrolls to the last of these containers, if a
// part of it is outside the window. Without such a container a link leads to the top of its page, which may be the
// page shown. The focus stays where it is.
//
// Pictures above it grow while they load: so the page is scrolled until it is drawn, or until somebody scrolls,
// presses or types.

import { isDrawing } from "./focus.js";

// ms between two looks
const LOOK_MS = 100;
// ms without a run after which the page is drawn: a run begins within this time after a press
const DRAWN_MS = 1500;
// px of the window's top that Streamlit's header covers
const HEADER_PX = 60;
const ANCHORS = "[class*=st-key-anchor]";

let hasLoaded = false; // a new theme is no new page

function bringIntoView(anchor) {
  const { top, bottom } = anchor.getBoundingClientRect();
  if (top >= HEADER_PX && bottom <= innerHeight) return;
  const isLow = bottom - top > innerHeight - HEADER_PX;
  anchor.style.scrollMarginTop = `${HEADER_PX}px`;
  anchor.scrollIntoView({ block: isLow ? "start" : "nearest", behavior: "instant" });
}

export function arrival() {
  let until, timer, byLink = false;
  const stop = () => { clearInterval(timer); timer = null; };
  const look = () => {
    const now = performance.now();
    if (isDrawing()) until = now + DRAWN_MS;
    const anchor = [...document.querySelectorAll(ANCHORS)].at(-1);
    if (anchor) bringIntoView(anchor);
    else if (byLink) document.querySelector(".stMain")?.scrollTo({ top: 0, behavior: "instant" });
    if (now > until) stop();
  };
  const begin = () => {
    until = performance.now() + DRAWN_MS;
    timer ??= setInterval(look, LOOK_MS);
  };
  const follow = ({ target }) => {
    if (!target.closest?.(".stPageLink a") || target.closest(".st-key-pages, .st-key-next_page")) return;
    byLink = true;
    begin();
  };
  if (!hasLoaded) begin();
  hasLoaded = true;
  return { stop, heard: { pointerdown: stop, keydown: stop, wheel: stop, touchmove: stop, click: follow } };
}
