// The listener, on every page: pastes with line breaks, and the two parameters without a widget.
//
// A one-line field silently drops the line breaks of a paste. The listener catches such a paste and
// sends it whole; Python shows it in several lines.
//
// The stage changes `token` and `view` in the address without asking the server. No widget holds
// them, so Streamlit leaves them out of the addresses that it writes. Each address that is written
// gets them again from window.embvizLink; Back and Forward bring their own values.

const history = window.history;

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
  document.addEventListener("paste", caught, true);
  window.addEventListener("popstate", forget, true);
  return () => {
    document.removeEventListener("paste", caught, true);
    window.removeEventListener("popstate", forget, true);
  };
}
