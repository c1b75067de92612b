// The answer of `request/drawings/stage.py`, and the picture of it: which lines, columns and words are drawn.

function read(data) {
  const numbers = (text) => (text ?? null) === null ? null : unpacked(text, data.bits === 64 ? Float64Array : Float32Array);
  const [table, lookup, matmul] = [data.table, data.lookup, data.matmul].map(numbers);
  const cut = (array, k) => array.subarray(k * data.columns, (k + 1) * data.columns);
  const slotOf = new Map(data.distinct.map((id, k) => [id, k]));
  const known = [table, lookup, matmul].filter(Boolean);
  const scale = Math.max(...data.extremes.map(Math.abs)) || largest(known);
  const whole = known.every((array) => array.every((value) => Number.isInteger(value) || !Number.isFinite(value)));
  const sent = (row) => row >= data.row && row < data.row + data.labels.length;
  const lookupOf = (id) => (lookup ? cut(lookup, slotOf.get(id)) : cut(table, id - data.row));
  const labelled = data.unit ? Math.max(2, ...data.labels.map((label) => placesOf(shortened(label)))) : 0;
  return {
    ...data, labelled, pieces: data.unit === "piece", slotOf, scale, whole, sent, lookupOf,
    rowAt: (row) => (sent(row) ? cut(table, row - data.row) : lookup && slotOf.has(row) ? lookupOf(row) : null),
    matmulOf: (id) => (matmul ? cut(matmul, slotOf.get(id)) : lookupOf(id)),
  };
}

const add = (one, other) => (one === undefined ? other : one + other);

// Rows that are not drawn, as one line: their sum is what each adds, times 0.
function folded(data, from, to, outside, key) {
  if (from >= to) return [];
  const products = Array.from({ length: data.columns }, (_, column) => {
    let sum = outside.length ? outside[column] ?? NaN : undefined;
    for (let row = Math.max(from, data.row); row < to && data.sent(row); row++) sum = add(sum, 0 * data.rowAt(row)[column]);
    return sum ?? 0;
  });
  return [{ key, fold: `${count(to - from)} ${to - from === 1 ? "row" : "rows"} more`, factor: 0, products }];
}

// The picture of one token, or of a row that is pointed at; null where rows of it were not sent.
function model(ui, token, row, sizes) {
  const { data, turned } = ui;
  const id = data.tokens ? data.ids[token - data.first] : -1;
  const picked = row ?? id;
  const around = Math.min(data.rows, sizes.small ? (turned ? 4 : 7) : 11);
  const start = Math.max(0, Math.min(Math.max(id, 0) - Math.floor(around / 2), data.rows - around));
  const lines = [
    ...folded(data, 0, start, data.folded[0], "above"),
    ...Array.from({ length: around }, (_, k) => lineOf(data, start + k, picked)),
    ...folded(data, start + around, data.rows, data.folded[1], "below"),
  ];
  if (lines.some(({ values }) => values === null)) return null;
  const first = Math.max(0, Math.min(ui.column - data.column, data.columns - sizes.count));
  const columns = { first, count: sizes.count, total: data.dims };
  return { ...answers(data, id, picked, lines), lines, columns, turned, scale: data.scale, arrow: true, ...words(data, token) };
}

function lineOf(data, row, picked) {
  const values = data.rowAt(row);
  const factor = row === picked ? 1 : 0;
  const label = data.labels[row - data.row] ?? data.names[data.slotOf.get(row)]?.[0] ?? "";
  return {
    key: row, values, factor, picked: row === picked, label: data.unit ? shortened(label) : "", sub: String(row),
    title: `row ${count(row)} of weight`, products: values && Array.from(values, (value) => factor * value),
  };
}

// Both answers. Of a row that no token has picked, the sum is the one that is written here.
function answers(data, id, picked, lines) {
  if (picked < 0) return { left: { name: "", code: "embedding(ids)" }, right: { code: "one_hot @ weight" }, sign: "", said: "no token yet" };
  const own = picked === id;
  const left = own ? data.lookupOf(id) : data.rowAt(picked);
  const sums = Array.from({ length: data.columns }, (_, column) => totalOf(lines, lines.length, column));
  const right = own ? data.matmulOf(id) : sums;
  const slot = data.slotOf.get(id);
  const all = own ? data.dims : data.columns;
  const equal = own ? data.equal[slot] : sums.filter((sum, k) => Object.is(sum, left?.[k])).length;
  return {
    left: { name: "copied", values: left, code: "embedding(ids)" },
    right: { values: right, code: "added up: one_hot @ weight" },
    sign: equal === all ? "=" : "≠", alike: equal === all,
    said: `${equal === all ? "identical" : "the same"}\n${count(equal)} of ${count(all)}`,
    differs: own ? data.differs?.[slot] : undefined,
    odd: own ? sums.findIndex((sum, k) => !Object.is(sum, right[k])) : -1, sums,
  };
}

function words(data, token) {
  const index = data.tokens ? indexOf(data, token).join(", ") : "";
  const size = `${count(data.rows)} × ${count(data.dims)}`;
  return {
    heads: [["lookup", data.unit ? `${data.unit}, id` : "id", "blue"], ["weight", size, ""], ["one_hot", "as a column", "orange"], ["matmul", "each row × its 0 or 1, then add", "orange"]],
    turnedName: `linear.weight  ${count(data.dims)} × ${count(data.rows)}`, turnedCode: "one_hot @ linear.weight.T",
    name: (column) => `output[${index}${index && ", "}${data.column + column}]`,
  };
}

// The verdict on the whole text, in one line.
function verdict(data, { odd, sums, right }) {
  if (!data.tokens) return `No ${data.unit ? "tokens" : "ids"} yet. Type some above.`;
  const [equal, values] = data.same;
  const [places, total] = data.differing;
  const what = data.unit ? "Whole text" : "All ids";
  const size = `(${count(data.tokens)} ${data.tokens === 1 ? "token" : "tokens"} × ${count(data.dims)})`;
  const where = total ? ` Tokens that differ: ${places.map(count).join(", ")}${total > places.length ? ` and ${count(total - places.length)} more` : ""}.` : "";
  const note = odd >= 0 ? ` In column ${data.column + odd} the sum written here is ${precise(sums[odd])}, torch's is ${precise(right.values[odd])}.` : "";
  return `${what}: ${count(equal)} of ${count(values)} numbers identical, bit for bit ${size}.${where}${note}`;
}
