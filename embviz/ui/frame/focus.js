// The focus stays where the person is when the control that has it goes.
//
// The browser drops the focus when a run removes, hides or disables the control that has it. Tab then
// begins at the top of the page. This script looks once after each run; a press, and a change between runs,
// may hide a control, too. It gives a lost focus to the first of these that there is:
//
//   1. the same control, drawn anew
//   2. the control that undoes the lost one, or goes on with it: see `FOLLOWS`
//   3. a title that the press opened
//   4. the nearest of the controls that the press opened
//   5. the nearest control
//
// Exceptions:
// - The focus also leaves a control that is still there for a title that its press opened above it,
//   because Tab leads away from there, and for a popover that a key opened.
// - It stays lost where a text field is still there: a phone has closed its keyboard.
// - It does not leave a control that somebody has gone to since.
// - The page scrolls for a title that a press opened, if it is outside the window, and for nothing else.

// ms from the end of a run to the look: the last elements of the run are drawn, and the old ones removed, later
const SETTLE_MS = 150;
// ms for which runs that follow each other, as in a training, and elements that load put off a look, at most
const MOST_MS = 1000;
// ms after a press: what is new until then, the press has opened
const OPENED_MS = 10_000;
// Keys of controls, each with the key of the control that undoes it or goes on with it.
const FOLLOWS = {
  projector: "leave_projector", leave_projector: "projector", random_rows: "train_rows",
  timing_start_button: "timing_stop_button", timing_stop_button: "timing_start_button",
};
// Titles of a page, a case, a step
const TITLES = "h1, h2, h3";
// Buttons of a row of steps, which stay where they are while the step above them changes
const STEP_BUTTONS = ".st-key-step_shown button";
// px of the window's top that Streamlit's header covers
export const HEADER_PX = 60;
// Controls for which a phone shows its keyboard
const TYPED_IN = ":read-write";
const CONTROLS = `:is(button, summary, select, input, [tabindex="0"], a[href]):not(${TYPED_IN}, a[href^="#"])`;
// Streamlit's place of an element whose script is not there yet
const LOADING = "[data-testid=stSkeleton]";

// ---- the page ---------------------------------------------------------------------------------------

// Streamlit writes the state of its runs, those of fragments too, into this attribute.
const isRunning = () => document.querySelector(".stApp")?.dataset.testScriptState === "running";
// Whether a run goes on, or an element loads.
export const isDrawing = () => isRunning() || Boolean(document.querySelector(LOADING));
const main = () => document.querySelector(".stMain") ?? document.body;
const outer = (element) => element.parentElement ?? element.getRootNode().host;
const isThere = (element) => element.isConnected && element.checkVisibility({ visibilityProperty: true }) && !element.matches(":disabled");

// The element in focus, also within a component.
function focused(root = document) {
  const inner = root.activeElement?.shadowRoot;
  return inner?.activeElement ? focused(inner) : root.activeElement ?? document.body;
}

// The element itself or the nearest one around it that matches, also outside its component.
function around(element, selector) {
  while (element && !element.matches?.(selector)) element = outer(element);
  return element;
}

// All elements below a root that can be seen and match, also within components.
function within(root, selector) {
  const matching = [];
  for (const element of root.querySelectorAll("*")) {
    if (element.matches(selector) && isThere(element)) matching.push(element);
    if (element.shadowRoot) matching.push(...within(element.shadowRoot, selector));
  }
  return matching;
}

const titles = () => within(main(), TITLES);
const controls = (part) => within(part, CONTROLS).filter((control) => control.tabIndex >= 0);
const ofKey = (key, selector) => [...document.querySelectorAll(`.stElementContainer.st-key-${key}`)].flatMap((widget) => within(widget, selector));
const wordsOf = (elements) => new Set(elements.map((element) => element.textContent));
const withNewWords = (elements, wordsBefore) => elements.filter((element) => !wordsBefore.has(element.textContent));

// ---- a control that may go --------------------------------------------------------------------------

// A record of a control, for the time after it is gone: `key` of its widget, `part` of the page, its place.
function described(element) {
  const widget = around(element, ".stElementContainer[class*=st-key-]");
  const key = [...(widget?.classList ?? [])].find((name) => name.startsWith("st-key-"))?.slice("st-key-".length);
  const part = around(element, ".stMain, section.stSidebar") ?? main();
  const { left, top } = element.getBoundingClientRect();
  return { element, key, part, left, top: top + part.scrollTop, words: element.textContent };
}

// The same control as a record's, drawn anew.
function again({ element, key, part, words }) {
  if (isThere(element)) return element;
  const alike = key ? ofKey(key, element.localName) : within(part, element.localName);
  return alike.find((control) => control.textContent === words) ?? (key && alike[0]);
}

// The control that is nearest to where a record's control stood.
function nearest(elements, { part, left, top }) {
  const pixelsTo = (element) => {
    const box = element.getBoundingClientRect();
    return Math.hypot(box.left - left, box.top + part.scrollTop - top);
  };
  return elements.sort((first, second) => pixelsTo(first) - pixelsTo(second))[0];
}

// ---- the looks --------------------------------------------------------------------------------------

export function keepFocus(hear, ended) {
  let held = null; // record of the control in focus, or of the one that had it
  let pressed = null; // the last press of a button or link: `element`, when, and the words that were there then
  let opens = null; // the button of a popover that a key has pressed, until the next look
  let lastGiven = null; // the element that got the focus here, until the next press of a key
  let timer = null; // of the next look
  let running = isRunning();
  let waitsSince = Infinity; // ms of the page's clock: the end of the first run that had no look

  function hold(element) {
    if (element !== document.body && element !== held?.element) held = described(element);
  }

  function give(element) {
    if (!element) return;
    if (element.matches(TITLES)) {
      element.tabIndex = -1;
      element.addEventListener("blur", () => element.removeAttribute("tabindex"), { once: true });
    }
    element.focus({ preventScroll: true });
    if (element.matches(TITLES) && pressed) {
      element.style.scrollMarginTop = `${HEADER_PX}px`;
      element.scrollIntoView({ block: "nearest" });
    }
    if (focused() === document.body) held = null; // it takes no focus: no further try
    lastGiven = element;
  }

  const newTitle = () => pressed && withNewWords(titles(), pressed.titles)[0];

  // The control or title that takes the place of the lost control.
  function replacement() {
    if (pressed?.element.matches("form")) return titles().at(-1); // the answer
    const same = again(held);
    if (same && pressed) pressed.element = same; // what it opens may still come
    if (same) return same;
    const follows = ofKey(FOLLOWS[held.key] ?? "none", "button, input")[0];
    const part = isThere(held.part) ? held.part : main(), all = controls(part);
    const opened = pressed && nearest(withNewWords(all, pressed.controls), held);
    return follows ?? newTitle() ?? opened ?? nearest(all, held) ?? titles()[0];
  }

  // After a press that opened a title above its button, which has the focus still.
  function goToTitleAbove(button) {
    const title = newTitle();
    if (title && title.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING) give(title);
  }

  // Streamlit opens a popover at the end of the page, and leaves the focus on its button.
  function enterPopover() {
    const popover = document.querySelector("[data-testid=stPopoverBody]");
    give(popover && controls(popover)[0]);
  }

  function look() {
    timer = null;
    const clock = performance.now();
    if (document.querySelector(LOADING)) {
      waitsSince = Math.min(waitsSince, clock);
      if (clock - waitsSince <= MOST_MS) { plan(); return; }
    }
    waitsSince = Infinity;
    if (pressed && clock - pressed.at > OPENED_MS) pressed = null;
    const isKeyboardClosed = held && isThere(held.element) && held.element.matches(TYPED_IN);
    const isLost = held && focused() === document.body && !isKeyboardClosed;
    if (isLost) give(replacement());
    // Also where a link was drawn anew by the run that drew its title: no further run asks for a look.
    const now = focused();
    if (now === opens) enterPopover();
    else if (now === pressed?.element) goToTitleAbove(now);
    else if (!isLost) pressed = null; // somebody has gone to another control
    opens = null;
  }

  function plan() { timer ??= setTimeout(look, SETTLE_MS); }

  // The end of a run plans a look, and the begin of one cancels it. Streamlit may draw a short run at once, and
  // show no state of it: so each change between runs plans a look, too.
  function pageChanged() {
    const clock = performance.now(), wasRunning = running;
    running = isRunning();
    if (running && wasRunning) return;
    if (running !== wasRunning) { clearTimeout(timer); timer = null; }
    if (wasRunning) waitsSince = Math.min(waitsSince, clock);
    if (!running) plan();
    else if (clock - waitsSince > MOST_MS) look();
  }

  // A key that is held down must not press what comes in place of the pressed button.
  function strike(event) {
    if (!event.repeat) lastGiven = null;
    else if (lastGiven && lastGiven === focused()) event.preventDefault();
    hold(focused());
  }

  function press(event) {
    const control = around(event.composedPath()[0], "button, summary, a[href]");
    if (!control || ![control, document.body].includes(focused())) return;
    hold(control);
    const isByKey = event.detail === 0;
    if (isByKey && control.matches(".stPopover button")) opens = control;
    const isStep = !isByKey && control.matches(STEP_BUTTONS); // the arrow keys go on in their row
    if (isStep || control.matches(".stButton button, .stPageLink a")) {
      pressed = { element: control, at: performance.now(), titles: wordsOf(titles()), controls: wordsOf(controls(main())) };
    }
    if (!isRunning()) plan(); // it may begin no run
  }

  // A question of the form on every page: its field is drawn anew, and the reader goes on at the answer.
  function send({ target }) {
    if (target.matches("form.ask")) pressed = { element: target, at: performance.now(), titles: wordsOf(titles()), controls: new Set() };
  }

  hold(focused());
  // The whole document is observed: Streamlit may draw `.stApp` later, or anew.
  const changes = new MutationObserver(pageChanged);
  changes.observe(document, { subtree: true, childList: true, attributeFilter: ["data-test-script-state"] });
  ended.addEventListener("abort", () => { changes.disconnect(); clearTimeout(timer); });
  hear({
    focusin: (event) => hold(event.composedPath()[0]),
    keydown: strike,
    pointerdown: () => { held = pressed = null; },
    click: press,
    submit: send,
  });
}
