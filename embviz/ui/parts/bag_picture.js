// The bag of words: on the left its rows add up without their counts, on the right with them.

const LINE_MS = 700, PLAY_MS = 4000; // of a line and in all, at most

// Streamlit calls it on every data or theme change, on the same DOM.
export default function bag({ data, parentElement, setTriggerValue }) {
  const ui = (parentElement.embviz ??= mount(parentElement.querySelector(".bag")));
  themed(ui, ui.root, () => {
    ui.data = unpack(data);
    ui.lit = {};
    drawDocuments(ui, (row) => setTriggerValue("row", row));
    ui.player.stop();
  });
}

function mount(root) {
  const [play, documents, ways, said, whole] = root.children;
  const ui = { root, play, documents, ways, said, whole, board: board(ways) };
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

// The focus stays on the chosen document.
function drawDocuments({ data, documents }, choose) {
  const focused = documents.matches(":focus-within");
  documents.replaceChildren(...data.documents.map(([row, text]) => {
    const button = document.createElement("button");
    button.textContent = text;
    button.ariaPressed = row === data.row;
    button.onclick = () => choose(row);
    return button;
  }), data.more);
  if (focused) documents.querySelector("[aria-pressed=true]").focus();
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
