// What only listens, on every page: pastes with line breaks, and the link's two loose parameters.
//
// A one-line field drops the line breaks of what is pasted into it, without a word. Such a paste
// is caught here and sent whole, for Python to show in several lines.
//
// `token` and `view` belong to the stage, which changes them without asking the server. No widget
// holds them, so Streamlit drops them when it rewrites the address; window.embvizLink remembers
// them and this puts them back. Back and Forward bring their own.

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
  document.addEventListener("paste", caught, true);
  window.addEventListener("popstate", forget, true);
  return () => {
    document.removeEventListener("paste", caught, true);
    window.removeEventListener("popstate", forget, true);
  };
}
