// The listener, on every page: pastes with line breaks, and the two parameters without a widget.
//
// A one-line field silently drops the line breaks of a paste. The listener catches such a paste and
// sends it whole; Python shows it in several lines.
//
// The stage changes `token` and `view` in the address without asking the server. No widget holds
// them, so Streamlit drops them when it rewrites the address. The listener puts them back from
// window.embvizLink; Back and Forward bring their own values.

export default function ({ data, setTriggerValue }) {
  const link = (window.embvizLink ??= new Map());
  if (data.resets !== (window.embvizResets ?? 0)) {
    window.embvizResets = data.resets;
    window.embvizReset?.();
  }
  const address = new URL(window.location.href);
  for (const [name, value] of link) {
    if (!address.searchParams.has(name)) address.searchParams.set(name, value);
  }
  if (address.href !== window.location.href) window.history.replaceState({}, "", address);

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
    setTriggerValue("text", value.slice(0, selectionStart) + pasted + value.slice(selectionEnd));
  };
  // Streamlit calls this again for new data, without the cleanup of the call before.
  window.embvizListening?.abort();
  const listening = (window.embvizListening = new AbortController());
  const options = { capture: true, signal: listening.signal };
  document.addEventListener("paste", caught, options);
  window.addEventListener("popstate", forget, options);
  return () => listening.abort();
}
