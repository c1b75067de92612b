// The bag of words: documents to choose from, words with their rows, and two sums.
//
// Pointing at a word, its focus or a tap lights its count, row and product, and its part of the sum,
// which is written out below, at a place that keeps its size. A number lights its word and its output.

const SLIDE_MS = 420, STAGGER_MS = 220, TOGETHER_MS = 900;

function make(name, className = "", text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

// Python writes them as words: JSON has no such numbers.
const NOT_FINITE = { inf: Infinity, "-inf": -Infinity, nan: NaN };

function withNumbers(data) {
  const read = (values) => values.map((value) => NOT_FINITE[value] ?? value);
  const words = data.words.map((word) => ({ ...word, row: read(word.row), product: read(word.product) }));
  return { ...data, words, sum: read(data.sum), plain: read(data.plain) };
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function paint(cell, theme, value, scale) {
  const colour = valueColour(theme, value, scale);
  cell.style.background = css(colour);
  cell.style.color = inkOn(colour);
}

// `kind` is row, product, plain or sum.
function numberCell(bag, kind, value, output, word) {
  const cell = make("td", `cell ${kind}`);
  paint(cell, bag.theme, value, bag.scale);
  Object.assign(cell.dataset, { output, word });
  cell.title = precise(value);
  cell.textContent = bag.short(value);
  return cell;
}

function wordLine(bag, word, index) {
  const line = make("tr");
  const name = make("th", "word");
  const button = make("button", "", word.name);
  button.dataset.word = index;
  button.title = word.name;
  name.append(button);
  name.scope = "row";
  const count = make("td", "count", word.count && `${word.count} ×`);
  count.dataset.word = index;
  const numbers = (kind) => word[kind].map((value, k) => numberCell(bag, kind, value, k, index));
  line.append(name, count, ...numbers("row"), make("td", "gap", "→"), ...numbers("product"));
  return line;
}

function sumLine(bag) {
  const line = make("tr", "sum");
  const cells = (kind) => bag.data[kind].map((value, k) => {
    const cell = numberCell(bag, kind, value, k, "");
    const wrong = kind === "plain" && bag.data.wrong[k];
    const button = make("button", "", (wrong ? "≠ " : "") + cell.textContent);
    button.setAttribute("aria-label", `output ${k}, ${kind === "plain" ? "counts forgotten" : "the sum"}: ${precise(value)}${wrong ? ", wrong" : ""}`);
    cell.replaceChildren(button);
    cell.classList.toggle("wrong", wrong);
    return cell;
  });
  const name = make("th", "", "sum");
  name.colSpan = 2;
  line.append(name, ...cells("plain"), make("td", "gap"), ...cells("sum"));
  return line;
}

function noteLine(bag) {
  const line = make("tr", "note");
  const wide = (className, text) => Object.assign(make("td", className, text), { colSpan: bag.data.sum.length });
  const [right, plain] = bag.data.verdict;
  const first = make("td");
  first.colSpan = 2;
  line.append(
    first, wide(plain ? "" : "no", plain ? "= counts forgotten" : "≠ counts forgotten"),
    make("td", "gap"), wide(right ? "is" : "no", right ? "= nn.Linear" : "≠ nn.Linear"),
  );
  return line;
}

function table(bag) {
  const made = make("table");
  const head = make("tr");
  const wide = (className, text, span) => Object.assign(make("th", className, text), { colSpan: span });
  const more = bag.data.outputs - bag.data.sum.length;
  const rest = more > 0 ? ` (${more} more outputs)` : "";
  const outputs = bag.data.sum.length;
  head.append(
    wide("", bag.data.named ? "word" : "column", 1), wide("", "", 1), wide("rows", "its row", outputs),
    make("td", "gap"), wide("products", `count × row${rest}`, outputs),
  );
  const body = make("tbody");
  body.append(...bag.data.words.map((word, k) => wordLine(bag, word, k)), sumLine(bag), noteLine(bag));
  const top = make("thead");
  top.append(head);
  made.append(top, body);
  return made;
}

// A line for each number of each sum, all in one place: its size is that of the longest.
function writtenOut(bag) {
  const place = make("div", "written");
  place.setAttribute("aria-live", "polite");
  for (const kind of ["sum", "plain"]) {
    bag.data[kind].forEach((total, k) => place.append(writtenSum(bag, kind, total, k)));
  }
  return place;
}

function writtenSum(bag, kind, total, output) {
  const line = make("div");
  Object.assign(line.dataset, { kind, output });
  line.append(`output ${output}${kind === "plain" ? ", counts forgotten" : ""}:  `);
  bag.data.words.forEach((word, i) => {
    if (i) line.append(" + ");
    const counted = kind === "sum" && word.count;
    const value = precise((kind === "plain" || counted ? word.row : word.product)[output]);
    const term = make("span", "term", counted ? `${word.count} × ${value}` : value);
    term.dataset.word = i;
    line.append(term);
  });
  line.append(`${bag.data.words.length ? " = " : ""}${precise(total)}`);
  if (kind === "plain" && bag.data.wrong[output]) line.append(`, not ${precise(bag.data.sum[output])}`);
  return line;
}

// What takes part in a word, in one number of a word, or in one number of a sum.
function light(bag, { word, output, kind = "sum" } = {}) {
  bag.output = output ?? bag.output;
  const { root } = bag;
  for (const one of root.querySelectorAll(".lit")) one.classList.remove("lit");
  const lit = word !== undefined || output !== undefined;
  root.querySelector("table").classList.toggle("lights", lit);
  for (const line of root.querySelector(".written").children) {
    const shown = line.dataset.kind === kind && Number(line.dataset.output) === bag.output;
    line.classList.toggle("shown", shown);
    line.setAttribute("aria-hidden", String(!shown));
  }
  if (!lit) return;
  for (const one of root.querySelectorAll("[data-word]")) {
    const { word: of, output: at } = one.dataset;
    const isSum = of === "";
    const ofOutput = output === undefined || at === undefined || Number(at) === output;
    const ofSum = kind === "plain" ? ".row, .plain, .word *" : ".product, .row, .sum, .count, .word *";
    const ofWord = word === undefined ? one.matches(ofSum) : isSum || of === word;
    if (ofWord && ofOutput) one.classList.add("lit");
  }
}

function lightFrom(bag, event) {
  const found = event.target.closest("[data-word]");
  if (!found) { if (event.type === "pointerover") light(bag); return; }
  const { word, output } = found.dataset;
  light(bag, {
    word: word || undefined, output: output === undefined ? undefined : Number(output),
    kind: found.matches(".plain") ? "plain" : "sum",
  });
}

function documents(bag) {
  const place = make("div", "documents");
  const play = make("button", "play", "▶ Play");
  play.addEventListener("click", () => slide(bag));
  const { rows, named, documents: all } = bag.data;
  const buttons = all.map(([index, text]) => {
    const button = make("button", "", text.trim() ? text : "(empty)");
    button.title = `${named ? "document" : "row"} ${index} of ${rows}`;
    button.setAttribute("aria-pressed", String(index === bag.data.row));
    button.addEventListener("click", () => {
      for (const one of buttons) one.setAttribute("aria-pressed", String(one === button));
      bag.choose(index);
    });
    return button;
  });
  place.append(play, ...buttons);
  if (rows > all.length) place.append(make("span", "small", `of ${rows.toLocaleString("en")} rows`));
  return place;
}

// Copies of these cells slide down into the cells of the sum.
function fall(bag, kind, into, delay) {
  const box = bag.root.querySelector(".box");
  const edge = box.getBoundingClientRect();
  for (const cell of box.querySelectorAll(`td.${kind}`)) {
    const from = cell.getBoundingClientRect();
    const to = box.querySelectorAll(`td.${into}`)[cell.dataset.output].getBoundingClientRect();
    const ghost = make("div", "ghost", cell.textContent);
    Object.assign(ghost.style, {
      left: `${from.left - edge.left + box.scrollLeft}px`, top: `${from.top - edge.top}px`,
      width: `${from.width}px`, height: `${from.height}px`,
      background: cell.style.background, color: cell.style.color,
    });
    box.append(ghost);
    const end = `translateY(${to.top - from.top}px)`;
    const moved = ghost.animate(
      [{ opacity: 1, transform: "none" }, { opacity: 1, transform: end, offset: 0.85 }, { opacity: 0, transform: end }],
      { duration: SLIDE_MS * 1.4, delay, easing: "ease-in" },
    );
    moved.finished.catch(() => {}).then(() => ghost.remove());
  }
}

// The words bring their rows, the rows become products, and both kinds slide into their sums.
function slide(bag) {
  if (calm()) return;
  stop(bag);
  const lines = [...bag.root.querySelectorAll("tbody tr:not(.sum, .note)")];
  if (!lines.length) return;
  const stagger = Math.min(STAGGER_MS, TOGETHER_MS / lines.length);
  const appear = { fill: "backwards", easing: "ease-out", duration: SLIDE_MS };
  lines.forEach((line, i) => {
    const delay = i * stagger;
    const rows = [...line.querySelectorAll(".row")], products = [...line.querySelectorAll(".product")];
    line.querySelector(".count").animate([{ opacity: 0 }, { opacity: 1 }], { ...appear, delay });
    for (const cell of rows) {
      cell.animate([{ opacity: 0, transform: "translateX(-24px)" }, { opacity: 1, transform: "none" }], { ...appear, delay });
    }
    products.forEach((cell, k) => {
      const way = rows[k].getBoundingClientRect().left - cell.getBoundingClientRect().left;
      cell.animate(
        [{ opacity: 0, transform: `translateX(${way}px)` }, { opacity: 1, transform: "none" }],
        { ...appear, delay: delay + SLIDE_MS },
      );
    });
  });
  const met = lines.length * stagger + 2 * SLIDE_MS;
  fall(bag, "row", "plain", met);
  fall(bag, "product", "sum", met);
  for (const cell of bag.root.querySelectorAll(".sum .cell, .note td")) {
    cell.animate([{ opacity: 0 }, { opacity: 1 }], { ...appear, delay: met + SLIDE_MS });
  }
}

function stop(bag) {
  for (const one of bag.root.getAnimations({ subtree: true })) one.cancel();
  for (const ghost of bag.root.querySelectorAll(".ghost")) ghost.remove();
}

function firstSight(bag) {
  if (window.embvizBagPlayed || bag.watch) return;
  bag.watch = new IntersectionObserver((seen) => {
    if (!seen.some((one) => one.isIntersecting) || window.embvizBagPlayed) return;
    window.embvizBagPlayed = true;
    bag.watch.disconnect();
    slide(bag);
  }, { threshold: 0.6 });
  bag.watch.observe(bag.root);
}

const bags = new WeakMap();

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".bag");
  const bag = bags.get(root) ?? { root, output: 0 };
  bags.set(root, bag);
  Object.assign(bag, { data: withNumbers(data), choose: (index) => setTriggerValue("row", index) });
  draw(bag);
  return () => {
    cancelAnimationFrame(bag.retry);
    bag.watch?.disconnect();
    bag.watch = null;
  };
}

function draw(bag) {
  const { root, data } = bag;
  const theme = readTheme(root);
  cancelAnimationFrame(bag.retry);
  if (theme.diverging.length < 2) { // Streamlit inserts the component, and its colours are missing
    bag.retry = requestAnimationFrame(() => { if (root.isConnected) draw(bag); });
    return;
  }
  firstSight(bag);
  const drawn = JSON.stringify([data, theme.name]);
  if (bag.drawn === drawn) return;
  const focused = root.getRootNode().activeElement;
  const chosen = focused?.closest?.(".documents [aria-pressed]"), word = focused?.dataset?.word;
  const all = [...data.words.flatMap((one) => [...one.row, ...one.product]), ...data.sum, ...data.plain];
  const scale = largest([all]);
  const whole = all.every(Number.isInteger);
  const short = !whole && scale < 100 ? (value) => written(value, 2) : numberFormat(whole, scale, 6);
  Object.assign(bag, { drawn, theme, scale, short: short ?? ((value) => value.toPrecision(3)) });
  bag.output = Math.min(bag.output, data.sum.length - 1);
  const box = make("div", "box");
  box.append(table(bag));
  for (const kind of ["pointerover", "focusin", "click"]) box.addEventListener(kind, (event) => lightFrom(bag, event));
  box.addEventListener("pointerleave", () => light(bag));
  root.replaceChildren(
    documents(bag), box, writtenOut(bag),
    make("div", "verdict", `${data.verdict[0] ? "✓" : "✗"} ${data.verdict[2]}`),
  );
  light(bag);
  // The focus stays where it was: on the chosen document, or on a word.
  root.querySelector(chosen ? '[aria-pressed="true"]' : word ? `button[data-word="${word}"]` : "none")?.focus();
}
