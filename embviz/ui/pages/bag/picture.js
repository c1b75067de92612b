// The bag of words: a row of counts to press, and a weight with two sums out of it: on the left its
// rows add up without their counts, on the right with them.

const LINE_MS = 700, PLAY_MS = 4000; // of a line and in all, at most

// Streamlit calls it on every data or theme change, on the same DOM.
export default function bag({ data, parentElement, setTriggerValue }) {
  const ui = (parentElement.embviz ??= mount(parentElement.querySelector(".bag")));
  themed(ui, ui.root, () => {
    ui.data = unpack(data);
    ui.lit = {};
    buttons(ui.documents, data.documents, (row) => setTriggerValue("row", row), data.more);
    drawCounts(ui, new Map(data.edit), setTriggerValue);
    ui.player.stop();
  });
}

// A press makes a count one more, and 0 after 3. All that were pressed are sent: none gets lost.
function drawCounts(ui, edit, tell) {
  const shown = ui.data.counts.map(([column, count, word]) => [column, edit.get(column) ?? count, word, edit.has(column)]);
  buttons(ui.counts, shown, (column, count) => {
    edit.set(column, count >= 3 ? 0 : Math.max(0, Math.trunc(count)) + 1);
    drawCounts(ui, edit, tell);
    tell("edit", [...edit].map((pair) => pair.join(":")).join(" "));
  });
  write(ui.note, ui.data.note);
}

// A row of buttons: key, words, a note below them, whether it is chosen. The focus stays on its key.
function buttons(box, all, press, end = "") {
  const focused = box.querySelector(":focus")?.dataset.key;
  box.replaceChildren(...all.map(([key, words, note, chosen]) => {
    const button = Object.assign(document.createElement("button"), { type: "button", ariaPressed: chosen, onclick: () => press(key, Number(words)) });
    button.dataset.key = key;
    button.append(words, Object.assign(document.createElement("small"), { textContent: note }));
    return button;
  }), end);
  box.querySelector(`[data-key="${focused}"]`)?.focus();
}

function mount(root) {
  const [play, documents, row, ways, said, whole] = root.children;
  const [counts, note] = row.children;
  const ui = { root, play, documents, counts, note, ways, said, whole, board: board(ways) };
  const lines = () => ui.data.lines.length;
  ui.player = player(() => lines() + 1, () => Math.min(LINE_MS, PLAY_MS / lines()), () => draw(ui));
  const light = (lit) => { if (ui.player.step === null) { ui.lit = lit; draw(ui); } };
  const point = (at) => light(pointed(at));
  pointing(ways, point, point);
  play.onclick = () => { ui.lit = {}; ui.player.press(); };
  ways.onkeydown = (event) => { // arrow keys walk over words and columns, Escape leaves
    const [name, by] = { ArrowDown: ["row", 1], ArrowUp: ["row", -1], ArrowRight: ["column", 1], ArrowLeft: ["column", -1], Escape: [] }[event.key] ?? [event];
    if (name === event) return;
    event.preventDefault();
    if (!name) ui.player.stop();
    const last = (name === "row" ? ui.data.words.filter(([label]) => label).length : ui.count) - 1;
    light(name ? { [name]: Math.max(0, Math.min((ui.lit[name] ?? -1) + by, last)) } : {});
  };
  new ResizeObserver(() => { if (ui.data) draw(ui); }).observe(root);
  return ui;
}

function unpack(data) {
  const bytes = Uint8Array.from(atob(data.numbers), (letter) => letter.charCodeAt(0));
  const numbers = new Float64Array(bytes.buffer), size = data.columns, half = data.words.length + 1;
  const row = (k) => numbers.subarray(k * size, (k + 1) * size);
  const lines = data.words.map(([title, sub, factor, fold], key) => (
    { key, title, label: shortened(title, 12), sub, factor, fold, values: row(key), products: row(half + key) }
  ));
  const longest = (name) => Math.max(0, ...lines.map((line) => line[name].length));
  return {
    ...data, lines, scale: largest([numbers]), whole: numbers.every(Number.isInteger), total: size, arrow: true,
    labels: Math.max(8, longest("label") + 2), digits: longest("sub"), factors: longest("factor"), name: (column) => `output[${column}]`,
    left: { ...data.left, values: row(half - 1) }, right: { ...data.right, values: row(2 * half - 1) },
  };
}

function draw(ui) {
  const { data, lit, player: { step, timer } } = ui;
  if (!ui.root.clientWidth) return;
  const sizes = fit(data, ui.root.clientWidth);
  ui.count = sizes.count;
  const done = step === null ? Infinity : step + 1;
  const lines = data.lines.map((line, k) => ({ ...line, picked: k < done }));
  const shown = { ...data, lines, columns: { first: 0 } };
  const left = data.outputs - sizes.count;
  shown.heads = data.heads.map(([name, note, colour], k) => [name, k === 1 && left ? `${note}, ${sizes.count} drawn` : note, colour]);
  drawWays(ui.board, shown, sizes, ui.theme, { id: true, row: true, copied: true, at: step, done, end: done > lines.length }, lit);
  const line = lines[step ?? lit.row], column = lit.column ?? 0;
  write(ui.play, timer === null ? "▶ Play" : "❚❚ Pause");
  write(ui.said, line ? `${line.fold || line.title}: 1 × on the left, ${line.factor} × on the right.` : `${sumOf(shown, column)}; counts forgotten: ${precise(data.left.values[column])}`);
  write(ui.whole, step === null ? data.verdict : "");
  attribute(ui.ways, "aria-label", ui.said.textContent);
}
