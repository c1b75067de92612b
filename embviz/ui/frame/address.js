// The address: which change makes a history entry, and which parameters stand in it.
//
// Streamlit replaces the address when a widget changes, and adds an entry when Python changes it.
// Here a change adds an entry where a parameter of ENTRIES changes, such as the chapter, and one
// press adds at most one. All other changes replace.
//
// The address that Back or Forward brings is right. Answers to an earlier one may still come when
// these are pressed quickly: nothing is written until the user acts.
//
// When a page is left, Streamlit takes that page's parameters out of the address first. That would
// change the entry that is left, so nothing is written between the click and the new path.
//
// An address that Python sends has all parameters as they were when its run began. What the user has
// typed since is newer, so a value that was typed over does not come back.
//
// An address has only the parameters that its page reads, as READ_BY has it. Streamlit does not know
// `token` and `view`, which the stage changes, or knows older ones: window.embvizLink has them.
//
// It restores no settings on Back: Streamlit and ui/state/link.py do.

const OLD_VALUES = 64; // that are kept of what was typed over
const history = window.history;
const path = (address) => address.pathname.split("/").at(-1);
const reads = (page, name) => READ_BY[name]?.includes(page) ?? true;

function keepAddress() {
  const link = (window.embvizLink ??= new Map()); // a value is null where the address has none
  if (link.kept) return;
  takeValues(link);
  const kept = (link.kept = {
    pressed: false, typing: false, walked: false, goal: null,
    old: new Map(), known: new URLSearchParams(window.location.search),
  });
  const write = {};
  for (const name of ["pushState", "replaceState"]) {
    write[name] = history[name].bind(history);
    history[name] = (state, unused, url) => {
      if (kept.walked) return;
      const to = complete(url ?? window.location.href, link);
      if (to.pathname !== window.location.pathname) {
        if (to.pathname === kept.goal) kept.goal = null;
        kept.old.clear();
        write[name](state, unused, to.href);
        return;
      }
      if (kept.goal) return;
      const now = new URLSearchParams(window.location.search);
      kept.known = new URLSearchParams(to.search);
      if (name === "pushState") keepTyped(kept.old, now, to.searchParams);
      else if (kept.typing) typeOver(kept.old, now, to.searchParams);
      const adds = kept.pressed && ENTRIES.some((one) => to.searchParams.get(one) !== now.get(one));
      if (adds) kept.pressed = false;
      if (to.href !== window.location.href) write[adds ? "pushState" : "replaceState"](state, unused, to.href);
    };
  }
}

const raw = (given, name) => (given.has(name) ? given.getAll(name).join("\n") : null);

function typeOver(old, now, next) {
  for (const name of new Set([...now.keys(), ...next.keys()])) {
    if (raw(now, name) === raw(next, name)) continue;
    if (!old.has(name)) old.set(name, new Set());
    const values = old.get(name).add(raw(now, name));
    values.delete(raw(next, name));
    if (values.size > OLD_VALUES) values.delete(values.values().next().value);
  }
}

// Python takes a text that is too long out of the address.
const isTakenOut = (now, sent) => sent === null && now?.length > SURELY_FITS;

function keepTyped(old, now, sent) {
  for (const [name, values] of old) {
    if (!values.has(raw(sent, name)) || isTakenOut(raw(now, name), raw(sent, name))) continue;
    sent.delete(name);
    for (const value of now.getAll(name)) sent.append(name, value);
  }
}

// After a press Python may set what was typed over, unless its runs still begin with it.
function forgetTyped({ old, known }) {
  const now = new URLSearchParams(window.location.search);
  for (const name of [...old.keys()]) {
    if (raw(known, name) === raw(now, name)) old.delete(name);
    else old.set(name, new Set([raw(known, name)]));
  }
}

function takeValues(link) {
  const given = new URLSearchParams(window.location.search);
  for (const name of WITHOUT_WIDGET) if (given.has(name)) link.set(name, given.get(name));
}

function complete(url, link) {
  const to = new URL(url, window.location.href);
  const page = path(to);
  for (const name of new Set([...to.searchParams.keys(), ...link.keys()])) {
    const value = link.has(name) ? link.get(name) : to.searchParams.get(name);
    if (value === null || !reads(page, name)) to.searchParams.delete(name);
    else if (to.searchParams.get(name) !== value && link.has(name)) to.searchParams.set(name, value);
  }
  return to;
}

function takeEntry() {
  const link = window.embvizLink;
  clearTimeout(window.embvizLinkTimer);
  Object.assign(link.kept, { pressed: false, typing: false, walked: true, goal: null });
  link.kept.old.clear();
  if (reads(path(window.location), "token")) link.clear();
  takeValues(link);
}

// A key that types is no press: a search would make an entry for each.
function press({ type, key, target, isTrusted }) {
  if (!isTrusted) return;
  const kept = window.embvizLink.kept;
  const types = target.matches?.("input:not([type=radio], [type=checkbox]), textarea");
  kept.walked = false;
  if (type === "input") { if (types) Object.assign(kept, { pressed: false, typing: true }); return; }
  kept.goal = null;
  if (type === "keydown" && types && key !== "Enter" && key !== "Tab") return;
  Object.assign(kept, { pressed: true, typing: false });
  forgetTyped(kept);
}

function leaveFor(page) {
  history.replaceState({}, "", window.location.href); // the newest `token`
  if (page.pathname !== window.location.pathname) window.embvizLink.kept.goal = page.pathname;
}

// Returns a function that stops it.
function listenToHistory() {
  const presses = ["pointerdown", "keydown", "input"];
  for (const name of presses) document.addEventListener(name, press, true);
  window.addEventListener("popstate", takeEntry, true);
  return () => {
    for (const name of presses) document.removeEventListener(name, press, true);
    window.removeEventListener("popstate", takeEntry, true);
  };
}
