// Sums of a column, as a number and written out; and where a number that is no sum was copied from.

import { bracketed, count, precise } from "./numbers.js";

// The sum of the products, or values, of the lines before `done`, column by column.
export function totalOf(lines, done, column, which = "products") {
  let total;
  for (const { [which]: numbers } of lines.slice(0, done)) total = total === undefined ? numbers[column] : total + numbers[column];
  return total ?? 0;
}

// Where a number comes from: one of the sums, of the left answer, or of the weight; "" where it is not there. `first` is
// the place of the model's first column in the weight.
export function sourceOf(model, { column, copy, weight }, first = 0) {
  const line = weight && model.lines.find(({ key }) => key === weight[0]);
  if (line) return weightOf(model, line, [weight[1], first + weight[1]]);
  if (!model.right.values) return "";
  if (column !== undefined) return sumOf(model, column);
  if (copy === undefined) return "";
  if (model.left.adds) return addedOf(model, copy);
  const copied = model.lines.find(({ picked }) => picked); // none where a low window leaves its row out
  return copied ? copyOf(model, copied, [copy, first + copy]) : "";
}

// The sum that a number of the answer is, written out.
export function sumOf({ lines, right, name }, column) {
  const terms = lines.map(({ omitted, factor, values }) => {
    if (omitted) return `${omitted} × ${factor}`;
    return `${factor} × ${values ? bracketed(values[column]) : "?"}`;
  });
  const sum = terms.length ? `${terms.join(" + ")} = ` : "";
  return `${name(column)} = ${sum}${right.values ? precise(right.values[column]) : "?"}`;
}

// The sum that a number of the left answer is, where it is one: of the rows that are looked up alone. Each is taken
// times its number, or once where `forget` says so.
export function addedOf({ lines, left, forget, noun }, column) {
  const terms = lines.filter(({ picked, omitted, factor }) => picked || (omitted && factor !== 0)).map(({ omitted, factor, values }) => {
    const number = omitted ? `the looked up of ${omitted}` : bracketed(values[column]);
    if (forget) return number;
    return omitted ? `${number}, each × its ${noun}` : `${factor} × ${number}`;
  });
  return `${left.sum}[${count(column)}] = ${terms.length ? `${terms.join(" + ")} = ` : ""}${precise(left.values[column])}`;
}

// What a number of the weight is, and what becomes of it. `line` is its row, `place` its column of the weight.
export function weightOf({ right, forget }, line, [column, place]) {
  const begin = `weight[${count(line.key)}, ${count(place)}] = ${precise(line.values[column])}`;
  if (!right.values) return `${begin}: no token looks it up yet.`;
  const multiplied = `nn.Linear multiplies it by ${line.factor}`;
  if (!line.picked) return `${begin}: ${multiplied}; nn.Embedding does not read it.`;
  if (line.times === undefined) return `${begin}: nn.Embedding copies it, ${multiplied}.`;
  return `${begin}: nn.Embedding copies it, the sum takes it × ${forget ? 1 : line.factor}; ${multiplied}.`;
}

// Where a number of the copy was copied from: `weight[2, 1]`. `line` is the row, `place` the column of the weight.
export function copyOf({ left, name }, line, [column, place]) {
  return `${name(column)} = weight[${count(line.key)}, ${count(place)}] = ${precise(left.values[column])}: copied, nothing is multiplied or added.`;
}
