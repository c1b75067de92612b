// Paints elements that are drawn again and again: it writes what has changed into the page.
//
// A drawing calls `put` of its grid for each cell that it wants, and then `sweep`. A cell that is already as
// it should be costs a few comparisons, and no layout. The cells' tint is the value, and nothing else.

export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function attribute(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

// Gives a parent so many children; `make` makes a new one.
export function keepChildren(parent, number, make) {
  while (parent.children.length > number) parent.lastChild.remove();
  while (parent.children.length < number) parent.append(make());
}

// A CSS grid of cells: `root` is its element, `known` has the cells that are in it, by key.
export function grid(root) {
  const known = new Map(), used = new Set();

  // `at` is [row, column] or [row, column, rows, columns], from 1; `point` says what pointing at it means.
  function put(key, kind, at, text = "", { point = "", paint = "", title = "" } = {}) {
    let element = known.get(key);
    if (!element) {
      element = document.createElement("div");
      known.set(key, element);
      root.append(element);
    }
    used.add(key);
    const [row, column, rows = 1, columns = 1] = at;
    const style = `grid-area: ${row} / ${column} / span ${rows} / span ${columns}; ${paint}`;
    const before = element.look;
    if (before?.kind !== kind) element.className = kind;
    if (before?.style !== style) element.style.cssText = style;
    if (before?.point !== point) element.dataset.point = point;
    if (before?.title !== title) element.title = title;
    if (before?.text !== text) element.textContent = text;
    element.look = { kind, style, point, title, text };
    return element;
  }

  // Removes the cells that this drawing has not put.
  function sweep() {
    for (const [key, element] of known) {
      if (used.has(key)) continue;
      element.remove();
      known.delete(key);
    }
    used.clear();
  }

  return { root, known, put, sweep };
}
