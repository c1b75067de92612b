// Sums of a column, as a number and written out.

import { bracketed, precise } from "./numbers.js";

// The sum of the products, or values, of the lines before `done`, column by column.
export function totalOf(lines, done, column, which = "products") {
  let total;
  for (const { [which]: numbers } of lines.slice(0, done)) total = total === undefined ? numbers[column] : total + numbers[column];
  return total ?? 0;
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
