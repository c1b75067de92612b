// Counts the words that a person sees before any press: [on the whole page, on the first screen].
// A word has at least two letters. A folded, hidden or transparent text is not seen.
() => {
  const counts = [0, 0];
  const seen = (node) => {
    const parent = node.parentElement;
    const shown = parent?.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!shown || parent.closest("script, style, noscript")) return [];
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].filter((box) =>
      box.width > 1 && box.height > 1 && box.right > 0 && box.bottom > 0 && box.left < innerWidth);
  };
  const walk = (root) => {
    for (const node of root.childNodes) {
      if (node.nodeType === Node.ELEMENT_NODE) {
        if (node.shadowRoot) walk(node.shadowRoot);
        walk(node);
      } else if (node.nodeType === Node.TEXT_NODE) {
        const words = node.textContent.split(/\s+/).filter((word) => /\p{L}{2}/u.test(word)).length;
        const boxes = words ? seen(node) : [];
        if (boxes.length) counts[0] += words;
        if (boxes.some((box) => box.top < innerHeight)) counts[1] += words;
      }
    }
  };
  walk(document.body);
  return counts;
}
