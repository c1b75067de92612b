// The heads of the stage's picture: two layers over one table, and what comes into each.
//
// The brackets stand on the table's bar, and each name stands above the table. The inputs stand outside.

import { put } from "../parts/cells/board.js";

// Rows of the grid that the heads take
const TOP = 4;

// The name of a layer, which may break after its bracket and before `bias`: not inside a word or the sizes.
const layerName = (code) => code.replace("(", "(\u200b").replace(/, (?=\d)/, ",\u00a0");

// Of a table with rows below it: `half`, if nn.Linear's own weight stands beside it.
export function drawBrackets(on, model, { count }) {
  const { names, note, half, lines } = model;
  if (!half) bracket(on, "linear", "outer", "orange", [1, 3, 2, count], names.linear);
  bracket(on, "embedding", half ? "outer" : "inner", "blue", half ? [1, 3, 2, count] : [2, 3, 1, count], names.embedding);
  put(on, "bar", `weight ${half ? "blue" : "both"}`, [3, 3, 1, count], half ? "embedding.weight" : "weight: one table, used by both layers");
  put(on, "note", "note", [TOP, 3, 1, count], note);
  put(on, "frame", `frame ${half ? "blue" : "both"}`, [3, 3, 2 + lines.length, count]);
  drawInput(on, "left", "blue", [1, 2], "input:\nid", names.input);
  if (half) return TOP;
  drawInput(on, "right", "orange", [3 + count, 3], "input:\none_hot", "1 at the id,\nelse 0");
  drawInput(on, "sum", "orange", [6 + count, count], "products", "each row × its 0 or 1");
  return TOP;
}

// One bracket, with a name below its line.
export function bracket(on, key, place, colour, at, name) {
  const [row, column, , columns] = at;
  put(on, `bracket ${key}`, `bracket ${place} ${colour}`, at);
  put(on, `layer ${key}`, `layer ${colour}`, [row, column, 1, columns], layerName(name));
}

function drawInput(on, key, colour, [column, columns], name, words) {
  put(on, `head ${key}`, `head ${colour}`, [1, column, 3, columns], name);
  put(on, `note ${key}`, "note", [TOP, column, 1, columns], words);
}
