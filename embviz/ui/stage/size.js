// Geometry: read when the layout is done, in a ResizeObserver, and kept in `ui.size`. Nothing else reads
// sizes or places while it draws: a read after a write forces a layout.

function watchSize(ui) {
  ui.resized = new ResizeObserver(() => measure(ui));
  // All that can move the outputs: what is above them on the stage, and what holds the stage.
  for (const box of [...ui.section.children, ...ui.body.children]) ui.resized.observe(box);
  for (let box = ui.section; box; box = box.parentElement ?? box.getRootNode().host) ui.resized.observe(box);
}

function measure(ui) {
  const width = ui.body.clientWidth;
  if (!width) return;
  const fold = ui.scroller.getBoundingClientRect().top + scrolled(ui.section);
  const zoom = ui.picture.getBoundingClientRect().width / ui.picture.offsetWidth || 1; // projector mode
  const ratio = (window.devicePixelRatio || 1) * zoom;
  // 0 px of outputs: folded
  const size = { width, ratio, outputs: ui.scroller.clientWidth, below: window.innerHeight / zoom - fold / zoom };
  if (ui.size && Object.keys(size).every((name) => size[name] === ui.size[name])) return;
  ui.size = size;
  if (ui.data?.tokens && loaded(ui.data, ui.state.selected)) layout(ui);
}

// How far the page is scrolled: the outputs' height must not depend on it.
function scrolled(element) {
  let total = 0;
  for (let box = element.getRootNode().host; box; box = box.parentElement) total += box.scrollTop;
  return total;
}
