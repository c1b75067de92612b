// A one-line field drops the line breaks of what is pasted into it, without a word.
// Such a paste is caught here and sent whole, for Python to show in several lines.

export default function ({ data, setTriggerValue }) {
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
  return () => document.removeEventListener("paste", caught, true);
}
