// The measuring script in each page. A script before it sets `benchKind`, the name of the page.
// Times are milliseconds on the page's own clock, of the first animation frame that shows a result.

(() => {
  const bench = (window.bench = { paintedAt: 0, pressedAt: 0 });
  let root; // the component's shadow root, or the document
  const find = () => {
    if (benchKind === "echo") return document;
    if (!root?.host.isConnected) {
      const hosts = [...document.querySelectorAll("*")].filter((e) => e.shadowRoot);
      root = hosts.map((e) => e.shadowRoot).find((one) => one.querySelector(".chip, .strip, .picture"));
    }
    return root;
  };
  const all = (selector) => [...(find()?.querySelectorAll(selector) ?? [])];
  const texts = (selector) => all(selector).map((e) => e.textContent);
  const strips = (_text, ids) => String(texts(".id")) === String(ids) && all(".strip canvas").length % ids.length === 0;
  const SHOWS = {
    echo: (text) => texts("[data-testid=stText]")[0] === text,
    // A space has a sign of its own.
    step: (text) => texts(".walk .strip > div").length === text.length
      && texts(".walk .strip > div").every((one, i) => text[i] === " " || one === text[i]),
    static: strips,
    contextual: strips,
  };
  const stage = (_text, ids) => String(all(".chip").map((e) => e.lastChild.textContent)) === String(ids)
    && texts(".whole").some((one) => one.includes(`(${ids.length} token`));
  const shows = SHOWS[benchKind] ?? stage;
  const frames = (is, then) => requestAnimationFrame(() => (is() ? then() : frames(is, then)));

  document.addEventListener("keydown", (event) => { bench.pressedAt = event.timeStamp; }, true);
  frames(() => all(benchKind === "echo" ? "[data-testid=stText]" : ".chip").length,
    () => { bench.paintedAt = performance.timeOrigin + performance.now(); });

  // Before a key: what the page will show. `bench.painted` gives the time from the key to its paint.
  bench.expect = (text, ids) => {
    const before = bench.pressedAt;
    bench.painted = new Promise((resolve) => frames(
      () => bench.pressedAt !== before && shows(text, ids),
      () => resolve(performance.now() - bench.pressedAt),
    ));
  };
})();
