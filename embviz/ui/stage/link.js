// The selection goes into the address: Python writes it there, after a pause.

const REPORT_MS = 500;

// `picked` has a value for each setting that was chosen here: `token`, `view`.
function report(ui, picked) {
  clearTimeout(ui.reporting);
  ui.reporting = setTimeout(() => {
    ui.reporting = null;
    ui.known = JSON.stringify(picked);
    ui.report?.(picked);
  }, REPORT_MS);
}

// What Python has in the address, such as after Back; not where something newer was chosen here.
function takePicked(ui, picked) {
  const known = JSON.stringify(picked);
  if (known === ui.known || ui.reporting) return;
  ui.known = known;
  choose(ui, picked);
}
