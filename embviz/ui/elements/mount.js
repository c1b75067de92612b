// The markup and the style of a component, which come with its script.

const mounted = new WeakSet();

// Put them into the shadow root of the component, once.
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
