// The words: the verdict in a line, and what folds behind it.

function drawVerdict(ui, data) {
  const v = data.verdict;
  ui.section.classList.toggle("unequal", !v.bitwiseEqual);
  const where = v.differing.length
    ? ` Tokens that differ: ${v.differing.map(count).join(", ")}${v.differingTotal > v.differing.length ? ` and ${count(v.differingTotal - v.differing.length)} more` : ""}.`
    : "";
  if (data.stale) parts(ui.answer, [["", "Below, faint: the last input that could be used."]]);
  else if (!data.tokens) parts(ui.answer, [["", "Nothing to compare yet."]]);
  else parts(ui.answer, [
    ["mark", v.bitwiseEqual ? "=" : "≠"],
    ["strong", v.bitwiseEqual ? "Both routes give the same bits" : "The routes do not give the same bits"],
    ["", `: ${count(v.equal)} of ${count(v.values)} numbers.${where}`],
  ]);
  parts(ui.exact, [
    ["", v.bitwiseEqual ? "The outputs are " : "The outputs are not "], ["term", "bitwise equal"],
    ["", `: max |difference| ${v.maxAbsError}, max `], ["term", "ulp"], ["", ` ${v.maxUlp}.`],
  ]);
  parts(ui.shapes, [
    ["", "ids "], ["code", v.idsShape], ["", " → one_hot "], ["code", v.oneHotShape],
    ["", " → output "], ["code", v.outputShape], ["", ` ${data.dtype}`],
  ]);
  write(ui.sizes, data.sizes);
  ui.sizes.hidden = data.tokens === 0;
  const trip = data.roundTrip;
  ui.roundTrip.hidden = !trip || data.tokens === 0;
  if (trip) parts(ui.roundTrip, [
    ["code", "decode(encode(text)) == text"], ["", " is "], ["strong", trip.equal ? "True" : "False"],
    ["", `: ${trip.why}`], ["code", trip.back],
  ]);
}

function drawWords(ui, data) {
  const c = data.cost;
  parts(ui.counts, [
    ["strong", "lookup"], ["", ` reads ${count(c.read)} numbers. `],
    ["strong", "matmul"], ["", ` is ${count(c.multiplications)} multiplications, ${count(c.byZero)} of them by zero. `],
    ["", `The ids take ${c.ids}.`],
  ]);
  ui.counts.children[0].className = "lookup-word";
  ui.counts.children[2].className = "matmul-word";
  write(ui.heads[0], `nn.Embedding(${data.rows}, ${data.dims})(ids)`);
  write(ui.heads[1], `nn.Linear(${data.rows}, ${data.dims}, bias=False)(one_hot)`);
  ui.pan.hidden = data.dimsLoaded === data.dims;
  write(ui.panText, `dimensions ${data.firstDim}-${data.firstDim + data.dimsLoaded - 1} of ${count(data.dims)}`);
  ui.earlier.disabled = data.firstDim === 0;
  ui.later.disabled = data.firstDim + data.dimsLoaded >= data.dims;
  ui.wantedDim = data.firstDim;
  const [low, bar, high] = ui.legend.children;
  const [least, most] = data.extremes;
  write(low, precise(least));
  write(high, precise(most));
  const stops = Array.from({ length: 21 }, (_, i) => least + ((most - least) * i) / 20);
  const colours = `linear-gradient(90deg, ${stops.map((v) => css(valueColour(ui.theme, v, data.scale))).join(",")})`;
  if (bar.colours !== colours) bar.style.background = bar.colours = colours;
}
