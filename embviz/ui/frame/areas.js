// The fields of several lines whose picture stands below: it follows a pause, as it does below a field of one line.
//
// Streamlit takes such a text at Ctrl+Enter, or where the field is left. So a pause presses Ctrl+Enter.

const AREAS = ":is(.st-key-docs, .st-key-x, .st-key-sentences) textarea";
// ms after the last key: `PAUSE` of `ui/elements/widgets.py`
const PAUSE_MS = 600;

export function areas(hear) {
  let timer;
  const follow = ({ target, isComposing }) => {
    if (isComposing || !target.matches?.(AREAS)) return;
    clearTimeout(timer);
    timer = setTimeout(() => commitArea(target), PAUSE_MS);
  };
  hear({ input: follow, compositionend: follow });
}

function commitArea(area) {
  if (document.activeElement === area) area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true }));
}
