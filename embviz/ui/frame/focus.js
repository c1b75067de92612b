// The focus stays where the person is when the control that has it goes.
//
// A rerun may remove, hide or disable that control, or draw it anew: then the browser drops the focus,
// and Tab begins at the top of the page. Here the focus goes to the same control, else to what the press
// opened: a title, or a new control. Else it goes to the nearest control. It does not move from another
// control that somebody has gone to, and the page does not scroll, but to a title that a link opened.

// ms from one look at the focus to the next
const LOOK_MS = 200;
// Looks without a rerun before another control is chosen
const IDLE_LOOKS = 2;
// Looks before a new control in the same place is chosen: reruns may follow each other, as in a training
const SURE_LOOKS = 5;
// Looks at most until then: a page that asks the server each second has no time without a rerun
const MOST_LOOKS = 15;
// px at most from a button to the new one in its place
const SAME_PX = 8;
// ms after a press: what is new until then, the press has opened
const OPENED_MS = 10_000;
// Keys of controls, each with the key of the control that undoes it or goes on with it.
const FOLLOWS = {
  projector: "leave_projector", leave_projector: "projector", type_own: "text",
  timing_start_button: "timing_stop_button", timing_stop_button: "timing_start_button",
};
// Titles of a page, a case, a step
const TITLES = "h1, h2, h3";
// Controls for which a phone shows its keyboard
const TYPED_IN = ":read-write";
const CONTROLS = `:is(button, summary, select, input, [tabindex="0"], a[href]):not(${TYPED_IN}, a[href^="#"])`;

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

// All elements in one that can be seen and match, also within components.
function within(root, selector) {
  const found = [];
  for (const one of root.querySelectorAll("*")) {
    if (one.matches(selector) && isThere(one)) found.push(one);
    if (one.shadowRoot) found.push(...within(one.shadowRoot, selector));
  }
  return found;
}

const wordsOf = (some) => new Set(some.map((one) => one.textContent));
const fresh = (some, before) => some.filter((one) => !before.has(one.textContent));
const main = () => document.querySelector(".stMain") ?? document.body;
const titles = () => within(main(), TITLES);
const controls = (part) => within(part, CONTROLS).filter((one) => one.tabIndex >= 0);
const ofKey = (key, selector) => [...document.querySelectorAll(`.stElementContainer.st-key-${key}`)].flatMap((one) => within(one, selector));

// What is known of a control once it is gone.
function described(element) {
  const widget = around(element, ".stElementContainer[class*=st-key-]");
  const key = [...(widget?.classList ?? [])].find((name) => name.startsWith("st-key-"))?.slice("st-key-".length);
  const part = around(element, ".stMain, section.stSidebar") ?? main();
  const { left, top } = element.getBoundingClientRect();
  return { element, key, part, left, top: top + part.scrollTop, words: element.textContent };
}

// The same control, drawn anew.
function again({ element, key, part, words }) {
  if (isThere(element)) return element;
  const alike = key ? ofKey(key, element.localName) : within(part, element.localName);
  return alike.find((one) => one.textContent === words) ?? (key && alike[0]);
}

// Pixels from a control to where another stood.
function far(one, { part, left, top }) {
  const at = one.getBoundingClientRect();
  return Math.hypot(at.left - left, at.top + part.scrollTop - top);
}

// Of some controls the one that is nearest to where another stood.
const nearest = (some, to) => some.sort((one, other) => far(one, to) - far(other, to))[0];

// Listeners by event, for the document; `stop` ends the looking.
export function keepFocus() {
  let held = null; // the control in focus, or the one that had it
  let pressed = null; // the control of the last press, until it has opened something
  let opens = null; // the button of a popover that a key has pressed, until the focus is in it
  let given = null; // what got the focus here, until the next press of a key
  let idle = 0; // looks since a rerun
  let missed = 0; // looks since the focus was lost

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
    if (focused() === document.body) held = null; // it takes no focus: no further try
    given = element;
  }

  // A key that is held down must not press what comes in place of the pressed button.
  function strike(event) {
    if (!event.repeat) given = null;
    else if (given && given === focused()) event.preventDefault();
    hold(focused());
  }

  // What takes the place of the lost control, as soon as that is known.
  function replacement() {
    const same = again(held);
    if (same && pressed) pressed.element = same;
    if (same) return same;
    const part = isThere(held.part) ? held.part : main(), all = controls(part);
    const added = pressed && nearest(fresh(all, pressed.controls), held);
    const isSure = added && far(added, held) <= SAME_PX && missed >= SURE_LOOKS;
    if (idle < IDLE_LOOKS && missed < MOST_LOOKS && !isSure) return null;
    const follows = ofKey(FOLLOWS[held.key] ?? "none", "button, input")[0];
    const title = pressed && fresh(titles(), pressed.titles)[0];
    return follows ?? title ?? added ?? nearest(all, held) ?? titles()[0];
  }

  function look() {
    idle = document.querySelector(".stApp")?.dataset.testScriptState === "running" ? 0 : idle + 1;
    const now = focused();
    const isLeft = held && isThere(held.element) && held.element.matches(TYPED_IN); // its keyboard was closed
    const isLost = held && now === document.body && !isLeft;
    const isOver = pressed && (performance.now() > pressed.until || !(isLost || now === pressed.element));
    if (isOver) pressed = null;
    missed = isLost ? missed + 1 : 0;
    if (isLost) { give(replacement()); return; }
    if (opens && now === opens) enter();
    if (!pressed || idle < IDLE_LOOKS) return;
    const title = fresh(titles(), pressed.titles)[0];
    // Before the button, because Tab leads away from there.
    if (!title || !(title.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING)) return;
    give(title);
    if (pressed.element.matches("a")) title.scrollIntoView({ block: "nearest" });
  }

  // Streamlit opens a popover at the end of the page, and leaves the focus on its button.
  function enter() {
    const popover = document.querySelector("[data-testid=stPopoverBody]");
    const first = popover && controls(popover)[0];
    if (!first) return;
    opens = null;
    give(first);
  }

  function press(event) {
    const control = around(event.composedPath()[0], "button, summary, a[href]");
    if (!control || ![control, document.body].includes(focused())) return;
    hold(control);
    idle = 0;
    const isByKey = event.detail === 0;
    if (isByKey && control.matches(".stPopover button")) opens = control;
    if (!control.matches(".stButton button, .stPageLink a")) return;
    pressed = { element: control, titles: wordsOf(titles()), controls: wordsOf(controls(main())), until: performance.now() + OPENED_MS };
  }

  hold(focused());
  const timer = setInterval(look, LOOK_MS);
  return {
    stop: () => clearInterval(timer),
    heard: {
      focusin: (event) => hold(event.composedPath()[0]),
      keydown: strike,
      pointerdown: () => { held = pressed = null; },
      click: press,
    },
  };
}
