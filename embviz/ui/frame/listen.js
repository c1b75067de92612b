// The listener, on every page: pastes with line breaks, and the two parameters without a widget.
//
// A one-line field silently drops the line breaks of a paste. The listener catches such a paste and
// sends it whole; Python shows it in several lines.
//
// The stage changes `token` and `view` in the address without asking the server. No widget holds
// them, so Streamlit leaves them out of the addresses that it writes. Each address that is written
// gets them again from window.embvizLink; Back and Forward bring their own values.
//
// Streamlit sends a click on a page's link at once, and what was typed just before a moment later. That
// second message names the page before, and would bring it back. So such a click waits a moment.

const history = window.history;
const TYPED_MS = 1000; // a click so soon after a key waits
const COMMIT_MS = 50; // for so long

function keepParameters(link) {
  for (const name of ["pushState", "replaceState"]) {
    const write = history[name].bind(history);
    history[name] = (state, unused, url) => write(state, unused, url && complete(url, link));
  }
}

function complete(url, link) {
  const address = new URL(url, window.location.href);
  for (const [name, value] of link) {
    if (!address.searchParams.has(name)) address.searchParams.set(name, value);
  }
  return address.href;
}

export default function ({ data, setTriggerValue }) {
  if (!window.embvizLink?.kept) {
    window.embvizLink ??= new Map();
    window.embvizLink.kept = true;
    keepParameters(window.embvizLink);
  }
  const link = window.embvizLink;
  if (data.resets !== (window.embvizResets ?? 0)) {
    window.embvizResets = data.resets;
    window.embvizReset?.();
  }
  if (complete(window.location.href, link) !== window.location.href) {
    history.replaceState({}, "", window.location.href);
  }

  const forget = () => {
    clearTimeout(window.embvizLinkTimer);
    link.clear();
  };
  const caught = (event) => {
    const field = event.target;
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    if (!field.matches?.(data.field) || !/[\r\n]/.test(pasted)) return;
    event.preventDefault();
    event.stopPropagation();
    const { value, selectionStart, selectionEnd } = field;
    field.blur(); // commits what was typed, or its pause would send that after the paste
    setTriggerValue("text", value.slice(0, selectionStart) + pasted + value.slice(selectionEnd));
  };
  let typed = -TYPED_MS;
  const type = () => { typed = performance.now(); };
  const leave = (event) => {
    const page = event.target.closest?.("a[href]:not([download], [target=_blank])");
    const plain = !event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (page?.origin !== window.location.origin || !plain) return;
    if (performance.now() - typed > TYPED_MS) return;
    typed = -TYPED_MS;
    event.preventDefault();
    event.stopPropagation();
    document.activeElement?.blur(); // commits what was typed
    setTimeout(() => page.click(), COMMIT_MS);
  };
  const heard = { paste: caught, input: type, click: leave };
  for (const [name, listener] of Object.entries(heard)) document.addEventListener(name, listener, true);
  window.addEventListener("popstate", forget, true);
  const stops = [listenForTerms(), listenToMenu()];
  return () => {
    for (const stop of stops) stop();
    for (const [name, listener] of Object.entries(heard)) document.removeEventListener(name, listener, true);
    window.removeEventListener("popstate", forget, true);
  };
}
