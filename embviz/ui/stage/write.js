// Writes to the page what differs from what it shows: equal text costs no style and no layout, and a
// screen reader does not say it again.

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function attribute(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

// Pieces of a sentence, as [kind, text]; a piece keeps its element while its kind stays.
function parts(element, pieces) {
  const kinds = pieces.map(([kind]) => kind).join();
  if (element.kinds !== kinds) {
    element.replaceChildren(...pieces.map(([kind, text]) => {
      if (kind === "term") return term(text);
      const piece = document.createElement(["code", "strong"].includes(kind) ? kind : "span");
      if (kind === "mark") { piece.className = "mark"; piece.ariaHidden = "true"; }
      return piece;
    }));
    element.kinds = kinds;
  }
  pieces.forEach(([, text], i) => write(element.children[i], text));
}
