// A component from its first call to its end: its look, its state, its size.

const mounted = new WeakSet();

// Put markup and style into the shadow root of the component, once; they come with its script.
export function mountLook(root, { html, css }) {
  if (mounted.has(root)) return;
  mounted.add(root);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  const box = document.createElement("div");
  box.innerHTML = html;
  root.append(box);
}

// The state of a component, which Streamlit calls on every change of its data or the theme, on the same DOM. At the
// first call it has `root`, the first element of the markup, and each element by its first class; `mount(ui)` gives
// it the rest. `ends` are called when the component has left the page.
export function stateOf({ parentElement }, mount) {
  if (parentElement.embviz) return parentElement.embviz;
  const elements = [...parentElement.querySelectorAll("[class]")];
  const ui = { root: elements[0], ends: [] };
  for (const element of elements) ui[element.classList[0]] ??= element;
  ui.ends.push(() => cancelAnimationFrame(ui.retry)); // of `picture/cells/colours.js`
  mount(ui);
  return (parentElement.embviz = ui);
}

// What a component returns. Streamlit may call it while the component is still in the page, or stays there.
export const leaving = (ui) => () => setTimeout(() => { if (!ui.root.isConnected) ui.ends.forEach((end) => end()); });

// Draws again when an element has another width than `ui.width`, which each drawing notes.
export function followWidth(ui, element) {
  const observer = new ResizeObserver(() => { if (ui.data && element.clientWidth !== ui.width) ui.draw(); });
  observer.observe(element);
  ui.ends.push(() => observer.disconnect());
}
