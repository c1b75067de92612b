// The measuring script in each page: the echo app, or the playground. Times are milliseconds on the
// page's own clock, of the first animation frame that shows a result.

(() => {
  const bench = (window.bench = { paintedAt: 0, pressedAt: 0 });
  let root; // the picture's shadow root
  const texts = (selector) => {
    if (!root?.host.isConnected) {
      const hosts = [...document.querySelectorAll("*")].filter((e) => e.shadowRoot);
      root = hosts.map((e) => e.shadowRoot).find((one) => one.querySelector(".chip"));
    }
    return [...(root ?? document).querySelectorAll(selector)].map((e) => e.textContent);
  };
  const echoed = () => document.querySelector("[data-testid=stText]")?.textContent;
  // A chip is a letter and its id; a space has a sign of its own.
  const drawn = (text) => {
    const chips = texts(".chip");
    return chips.length === text.length
      && chips.every((one, i) => text[i] === " " || one.startsWith(text[i]))
      && texts(".verdict").some((one) => one.includes(`(${text.length} token`));
  };
  const frames = (is, then) => requestAnimationFrame(() => (is() ? then() : frames(is, then)));

  document.addEventListener("pointerdown", (event) => { bench.pressedAt = event.timeStamp; }, true);
  document.addEventListener("keydown", (event) => { bench.pressedAt = event.timeStamp; }, true);
  frames(() => echoed() || texts(".chip").length,
    () => { bench.paintedAt = performance.timeOrigin + performance.now(); });

  // Once `is()` holds after the next press, `bench.painted` gives the time between them.
  const expect = (is, what) => {
    const before = bench.pressedAt;
    bench.painted = new Promise((resolve, reject) => {
      setTimeout(reject, 60_000, new Error(`not painted: ${what}`));
      frames(() => bench.pressedAt !== before && is(), () => resolve(performance.now() - bench.pressedAt));
    });
  };
  // Before the press of a world: the sizes of its table. Spaces that do not break stand among them.
  bench.expectTable = (sizes) => expect(
    () => texts(".layer").some((one) => one.replace("\u200b", "").replace("\u00a0", " ").startsWith(`nn.Embedding(${sizes}`)), sizes,
  );

  // Before a key: what the page will show.
  bench.expect = (text) => expect(() => (echoed() === undefined ? drawn(text) : echoed() === text), text);
})();
