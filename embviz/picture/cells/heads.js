// The heads of the stage's picture: two layers side by side, one table below both, and what comes into each.
//
// The layers stand on one line and meet over the middle of the table: each points down to its bar.

// Rows of the grid that the heads take
const TOP = 4;
// What comes in on both sides, and what stands above the right: a name and a note, where a model has no other
const INPUTS = { right: ["input:\none_hot", "1 at id,\nelse 0"], sum: ["products", "each row × its 0 or 1"] };

// What the bar of the table says: both layers point at it, and each has a weight of its own
const TWO_WEIGHTS = "Two layers, two weights: one was copied into the other, so they are equal";

// The names of both layers over a table.
export const layersOver = (rows, dims) => ({ embedding: `nn.Embedding(${rows}, ${dims})`, linear: `nn.Linear(${rows}, ${dims}, bias=False)` });

// The name of a layer, which may break before its bracket and before `bias`: not inside a word or the sizes.
const layerName = (code) => code.replace("(", "\u200b(").replace(/, (?=\d)/, ",\u00a0");

// Draws the heads above a table, and returns the rows that they take; `drawing` as in `ways.js`.
// `model.half`: nn.Linear's own weight stands beside the table.
export function drawHeads({ on, model, sizes: { count, cell } }) {
  const { names, note, half, lines, inputs = { left: ["input:\nid", names.input], ...INPUTS } } = model;
  on.root.style.setProperty("--half-table", `${(count * cell) / 2}px`);
  if (half) pointer(on, "embedding", "blue", [3, count], names.embedding);
  else {
    pointer(on, "embedding", "blue left", [1, 2 + count], names.embedding);
    pointer(on, "linear", "orange right", [3, 3 + 2 * count], names.linear);
  }
  on.put("bar", "weight", [3, 3, 1, count], TWO_WEIGHTS);
  on.put("note", "note", [TOP, 3, 1, count], note);
  on.put("frame", "frame", [3, 3, 2 + lines.length, count]);
  drawInput(on, "left", "blue", [1, 2], inputs.left);
  if (half) return TOP;
  drawInput(on, "right", "orange", [3 + count, 3], inputs.right);
  drawInput(on, "sum", "orange", [6 + count, count], inputs.sum);
  return TOP;
}

export function layer(on, key, colour, [column, columns], name) {
  on.put(`layer ${key}`, `layer ${colour}`, [1, column, 1, columns], layerName(name));
}

// A layer, and the arrow from it to the table.
function pointer(on, key, colour, at, name) {
  layer(on, key, colour, at, name);
  on.put(`arrow ${key}`, `arrow ${colour}`, [2, at[0], 1, at[1]], "▼");
}

function drawInput(on, key, colour, [column, columns], [name, words]) {
  on.put(`head ${key}`, `head ${colour}`, [2, column, 2, columns], name);
  on.put(`note ${key}`, "note", [TOP, column, 1, columns], words);
}
