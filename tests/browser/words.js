// Counts the words of the main area that a person sees before any press: [all, on the first screen].
// A word has a letter. Links to pages, tokens, labels of pictures, charts, tables, labels of widgets,
// buttons and folds, and code have no words.
() => {
  const counts = [0, 0];
  const left = ".st-key-pages, .st-key-next_page, .strip, .ways, .documents, .counts, .stPlotlyChart, [data-testid=stIconMaterial], canvas, code, button, summary, label, [data-testid=stWidgetLabel], table, script, style";
  const walk = (root) => {
    for (const node of root.childNodes) {
      if (node.nodeType === Node.ELEMENT_NODE) {
        if (node.matches(left)) continue;
        if (node.shadowRoot) walk(node.shadowRoot);
        walk(node);
      } else if (node.nodeType === Node.TEXT_NODE) {
        if (!node.parentElement?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        const words = node.textContent.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
        const range = document.createRange();
        range.selectNodeContents(node);
        const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
        if (boxes.length) counts[0] += words;
        if (boxes.some((box) => box.top < innerHeight)) counts[1] += words;
      }
    }
  };
  walk(document.querySelector(".stMainBlockContainer"));
  return counts;
}
