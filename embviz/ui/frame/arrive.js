// A link lands where its answer is in view.
//
// Python draws what an address opens below the first screen in a container whose key begins with `anchor`. After
// the page has loaded, after a press of a link on it, and after Back and Forward in the tour, this script scrolls to
// the last of these containers, if a part of it is outside the window. Without such a container a link leads to the
// top of its page, which may be the page shown. The focus stays where it is.
//
// Pictures above it grow while they load: so the page is scrolled until it is drawn, or until somebody scrolls,
// presses or types.

import { HEADER_PX, isDrawing } from "./focus.js";

// ms between two looks
const LOOK_MS = 100;
// ms without a run after which the page is drawn
const DRAWN_MS = 1500;
// ms within which the first run begins after a press, on a busy machine too
const BEGINS_MS = 15_000;
const ANCHORS = "[class*=st-key-anchor]";
// The bar of the tour, which stays at the window's top, and what its stops are about
const TOUR = ".st-key-tour";
const STOPS = ".st-key-stage, .st-key-letters, .st-key-sizes_answer, .st-key-timing_picture";

let hasLoaded = false; // a new theme is no new page

function bringIntoView(anchor, bar) {
  const { top, bottom } = anchor.getBoundingClientRect();
  const covered = HEADER_PX + (bar?.offsetHeight ?? 0);
  if (top >= covered && bottom <= innerHeight) return;
  const isLow = bottom - top > innerHeight - covered;
  anchor.style.scrollMarginTop = `${covered}px`;
  anchor.scrollIntoView({ block: isLow ? "start" : "nearest", behavior: "instant" });
}

export function arrival(hear, ended) {
  let until, timer, cause = "load";
  const stop = () => { clearInterval(timer); timer = null; };
  const look = () => {
    const now = performance.now(), bar = document.querySelector(TOUR);
    if (isDrawing()) until = now + DRAWN_MS;
    const anchor = [...document.querySelectorAll(bar ? `${ANCHORS}, ${STOPS}` : ANCHORS)].at(-1);
    const isStep = bar || cause !== "history"; // elsewhere Back scrolls nothing
    if (isStep && anchor) bringIntoView(anchor, bar);
    else if (isStep && cause !== "load") document.querySelector(".stMain")?.scrollTo({ top: 0, behavior: "instant" });
    if (now > until) stop();
  };
  const begin = (by) => {
    cause = by;
    until = performance.now() + BEGINS_MS;
    timer ??= setInterval(look, LOOK_MS);
  };
  const follow = ({ target }) => {
    if (target.closest?.(".stPageLink a") && !target.closest(".st-key-pages, .st-key-next_page")) begin("link");
  };
  if (!hasLoaded) begin("load");
  hasLoaded = true;
  hear({ pointerdown: stop, keydown: stop, wheel: stop, touchmove: stop, click: follow });
  hear({ popstate: () => begin("history") }, window);
  ended.addEventListener("abort", stop);
}
