// The bag of words: a row of counts to press, and a weight with two sums out of it: on the left its
// rows add up without their counts, on the right with them.

const LETTERS = 12; // of a word

// Streamlit calls it on every data or theme change, on the same DOM.
export default function bag({ data, parentElement, setTriggerValue }) {
  const ui = (parentElement.embviz ??= mount(parentElement.querySelector(".bag")));
  themed(ui, ui.root, () => {
    ui.data = modelOf(data);
    ui.lit = {};
    const documents = data.documents.map(([row, words]) => [row, words, "", row === data.row]);
    buttons(ui.documents, documents, (row) => setTriggerValue("row", row));
    drawCounts(ui, data, new Map(data.edit), setTriggerValue);
    ui.player.stop();
  });
}

// What `drawWays` draws.
function modelOf({ lines, named, shape, sums, codes, wrong, verdict }) {
  const drawn = [...lines.flatMap(({ numbers }) => numbers), ...sums];
  const equal = wrong.filter((one) => !one).length, alike = equal === wrong.length;
  const longest = (of) => Math.max(1, ...lines.map(({ [of]: words = "" }) => words.length));
  return {
    lines: lines.map((line) => ({ ...line, label: shortened(line.title ?? "", LETTERS), values: line.numbers[0], products: line.numbers[1] })),
    heads: [["lookup", named ? "word, id" : "column", "blue"], ["weight", "", ""], ["count", "", "orange"], ["matmul", "each row × its count, then add", "orange"]],
    left: { name: "without\ncounts", adds: true, values: sums[0], code: broken(codes[0]), differs: wrong },
    right: { values: sums[1], code: broken(codes[1]) },
    sign: alike ? "=" : "≠", alike, said: `${equal} of ${wrong.length}\nequal`, verdict,
    shape, scale: largest(drawn), whole: drawn.flat().every(Number.isInteger), total: sums[0].length,
    labels: Math.max(8, ...lines.map(({ title = "" }) => placesOf(shortened(title, LETTERS)))), digits: named ? String(shape[0]).length : 0, factors: longest("factor"),
    arrow: true, columns: { first: 0 }, name: (column) => `output[${column}]`,
  };
}

// Code that may break after a bracket before a long name, and before a dot: not inside a word.
const broken = (code) => code.replace(/[(](?=\w{4})|(?=[.])/g, "$&\u200b");

// A press makes a count one more, and 0 after 3. All that were pressed are sent: none gets lost.
function drawCounts(ui, data, edit, tell) {
  const shown = data.counts.map(([column, count, word]) => [column, edit.get(column) ?? count, word, edit.has(column)]);
  buttons(ui.counts, shown, (column, count) => {
    edit.set(column, count >= 3 ? 0 : Math.max(0, Math.trunc(count)) + 1);
    drawCounts(ui, data, edit, tell);
    tell("bag_edit", [...edit].map((pair) => pair.join(":")).join(" "));
  });
  write(ui.note, data.note);
}

// A row of buttons: key, words, a note below them, whether it is chosen. The focus stays on its key.
function buttons(box, all, press) {
  const focused = box.querySelector(":focus")?.dataset.key;
  box.replaceChildren(...all.map(([key, words, note, chosen]) => {
    const button = Object.assign(document.createElement("button"), { ariaPressed: chosen, onclick: () => press(key, Number(words)) });
    button.dataset.key = key;
    button.append(words, Object.assign(document.createElement("small"), { textContent: note }));
    return button;
  }));
  box.querySelector(`[data-key="${focused}"]`)?.focus();
}

function mount(root) {
  const [play, documents, row, ways, whole, said] = root.children;
  const [counts, note] = row.children;
  const ui = { root, play, documents, counts, note, ways, said, whole, board: board(ways) };
  ui.player = player(() => ui.data.lines.length + 1, () => 500, () => draw(ui));
  const light = (lit) => { if (ui.player.step === null) { ui.lit = lit; draw(ui); } };
  const point = (at) => light(pointed(at));
  pointing(ways, point, point);
  play.onclick = () => { ui.lit = {}; ui.player.press(); };
  ways.onkeydown = (event) => {
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [];
    if (event.key === "Escape") { ui.lit = {}; ui.player.stop(); }
    if (down === undefined) return;
    event.preventDefault();
    const [name, count] = down ? ["row", ui.data.lines.filter(({ fold }) => !fold).length] : ["column", ui.count];
    light({ [name]: Math.max(0, Math.min((ui.lit[name] ?? -1) + down + right, count - 1)) });
  };
  new ResizeObserver(() => { if (ui.data) draw(ui); }).observe(root);
  return ui;
}

function draw(ui) {
  const { data, lit, player: { step, timer } } = ui;
  if (!ui.root.clientWidth) return;
  const sizes = fit(data, ui.root.clientWidth);
  ui.count = sizes.count;
  data.heads[1][1] = data.shape.join(" × ") + (sizes.count < data.shape[1] ? `, ${sizes.count} drawn` : "");
  const done = step === null ? Infinity : step + 1;
  const lines = data.lines.map((line, key) => ({ ...line, key, picked: key < done }));
  const shown = { ...data, lines };
  drawWays(ui.board, shown, sizes, ui.theme, { id: true, row: true, copied: true, at: step, done, end: done > lines.length }, lit);
  const line = lines[step ?? lit.row], column = lit.column ?? 0;
  write(ui.play, timer === null ? "▶ Play" : "❚❚ Pause");
  write(ui.said, line ? `${line.fold || line.title}: 1 × on the left, ${line.factor} × on the right.` : `${sumOf(shown, column)}; without counts: ${precise(data.left.values[column])}`);
  write(ui.whole, step === null ? data.verdict : "");
  attribute(ui.ways, "aria-label", ui.said.textContent);
}
