// The measuring script in each page. A script before it sets `window.benchKind`.
//
// All times are milliseconds on the page's own clock. "Painted": the first animation frame in which
// the page shows what a key must give. "Settled": the first frame of a rest in which, besides,
// address and panel have it, no script runs, and nothing is sent, received or changed.

(() => {
  const kind = window.benchKind;
  const EVERY = { childList: true, characterData: true, subtree: true };
  // A chart may change nothing but these attributes.
  const ALSO = { ...EVERY, attributes: true, attributeFilter: ["d", "href", "aria-label", "points"] };
  const bench = (window.bench = {
    paintedAt: 0, pressedAt: 0, sentAt: 0, heardAt: 0, changedAt: 0, drawnAt: 0,
    traffic: { received: 0, receivedBytes: 0, sent: 0, sentBytes: 0 },
  });

  // ---- what a page shows -----------------------------------------------------------------

  let stage; // the component's shadow root
  const findStage = () => {
    if (!stage?.host.isConnected) {
      const all = [...document.querySelectorAll("*")];
      stage = all.find((e) => e.shadowRoot?.querySelector(".stage"))?.shadowRoot;
    }
    return stage;
  };
  const chips = () => [...(findStage()?.querySelectorAll(".chip") ?? [])];
  const roots = () => {
    const parts = [...document.querySelectorAll("[data-testid=stBidiComponentRegular], [data-testid=stBidiComponentIsolated]")];
    return [document, ...parts.map((e) => e.shadowRoot ?? e.querySelector("*")?.shadowRoot).filter(Boolean)];
  };
  // Whether the training page offers the letters of a text; a space has a sign of its own.
  const offers = (text) => {
    const letters = roots().flatMap((root) => [...root.querySelectorAll(".walk .strip > div")]);
    return letters.length === text.length
      && letters.every((one, i) => text[i] === " " || one.textContent === text[i]);
  };
  // Whether the letters of the context page are a text's, with the strips of all of them; an answer to
  // an earlier key of equal length is not.
  const spelt = (_text, ids) => {
    const root = roots().find((one) => one.querySelector(".picture"));
    const shown = [...(root?.querySelectorAll(".id") ?? [])].map((one) => Number(one.textContent));
    return String(shown) === String(ids) && root.querySelectorAll(".strip canvas").length % ids.length === 0;
  };
  // The first number that a pattern catches in the page's sentences.
  const said = (pattern) => {
    for (const one of roots().flatMap((root) => [...root.querySelectorAll("[data-testid=stMarkdownContainer] p, [data-testid=stCaptionContainer] p, .words p, [data-testid=stCode] pre")])) {
      const found = pattern.exec(one.textContent);
      if (found) return Number(found[1].replaceAll(",", ""));
    }
    return undefined;
  };
  const echo = () => document.querySelector("[data-testid=stText]")?.textContent;
  const stageShows = (_text, ids) => {
    const shown = chips();
    return shown.length === ids.length
      && findStage().querySelector(".whole").textContent.includes(`(${ids.length} token`)
      && shown.every((chip, i) => chip.lastChild.textContent === String(ids[i]));
  };
  const SHOWS = {
    echo: (text) => echo() === text,
    training: offers,
    static: spelt,
    contextual: spelt,
  };
  const shows = SHOWS[kind] ?? stageShows;
  const showsAny = () => (kind === "echo" ? echo() !== undefined : chips().length > 0);
  const panelShows = (text) => kind !== "panel" || said(/\(([\d,]+)x\d+ and/) === text.length;
  const linked = ({ parameter, value, default: absent }) => parameter === null
    || (new URLSearchParams(location.search).get(parameter) ?? absent) === value;
  const idle = (bench.idle = () => document.querySelector(".stApp")?.dataset.testScriptState === "notRunning");

  // ---- what happens ----------------------------------------------------------------------

  const Native = window.WebSocket;
  const size = (data) => data.byteLength ?? data.size ?? data.length;
  window.WebSocket = class extends Native {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        bench.heardAt = performance.now();
        bench.traffic.received += 1;
        bench.traffic.receivedBytes += size(data);
      });
    }
    send(data) {
      bench.sentAt = performance.now();
      bench.traffic.sent += 1;
      bench.traffic.sentBytes += size(data);
      super.send(data);
    }
  };
  // An event's time is on performance.now()'s clock.
  document.addEventListener("keydown", (event) => { bench.pressedAt = event.timeStamp; }, true);

  const lookForFirstPaint = () => {
    if (showsAny()) bench.paintedAt = performance.timeOrigin + performance.now();
    else requestAnimationFrame(lookForFirstPaint);
  };
  if (kind === "echo" || kind === "playground") requestAnimationFrame(lookForFirstPaint);

  // ---- what is measured ------------------------------------------------------------------

  // Before a key: what the page will show. `bench.painted` gives the time from the last key to its
  // paint. Each key must come after this call, so an earlier picture does not count.
  bench.expect = ({ shown, ids }, limit) => {
    const before = bench.pressedAt;
    bench.painted = new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`"${shown}" was not painted`)), limit);
      const observer = new MutationObserver(() => {
        if (bench.pressedAt === before || !shows(shown, ids)) return;
        observer.disconnect();
        clearTimeout(late);
        requestAnimationFrame(() => resolve(performance.now() - bench.pressedAt));
      });
      for (const root of findStage() ? [findStage()] : roots()) observer.observe(root, EVERY);
    });
    bench.painted.catch(() => {}); // reported when it is awaited
  };

  const changed = new MutationObserver(() => {
    bench.changedAt = performance.now();
    requestAnimationFrame(() => { bench.drawnAt = performance.now(); });
  });

  // The rest after a key: `bench.settled` gives the times from the last key until everything is
  // drawn and until the page has settled, once it has rested for `quiet`.
  bench.rest = (expected, quiet, limit) => {
    const main = document.querySelector("[data-testid=stMain]");
    const roots = [...main.querySelectorAll("*")].map((e) => e.shadowRoot).filter(Boolean);
    for (const root of [main, ...roots]) changed.observe(root, ALSO);
    const [before, end] = [bench.pressedAt, performance.now() + limit];
    bench.settled = new Promise((resolve, reject) => {
      let since; // the first frame of this rest
      const look = () => {
        const now = performance.now();
        const last = Math.max(bench.pressedAt, bench.sentAt, bench.heardAt, bench.changedAt);
        const rests = bench.pressedAt !== before && bench.sentAt > bench.pressedAt
          && bench.heardAt > bench.sentAt && idle() && linked(expected) && shows(expected.shown, expected.ids)
          && panelShows(expected.shown);
        since = rests ? (since > last ? since : now) : undefined;
        if (rests && now - since >= quiet) {
          changed.disconnect();
          resolve({ drawn: bench.drawnAt - bench.pressedAt, settled: since - bench.pressedAt });
        } else if (now > end) {
          reject(new Error(`"${expected.shown}" has not settled`));
        } else {
          requestAnimationFrame(look);
        }
      };
      requestAnimationFrame(look);
    });
    bench.settled.catch(() => {});
  };

  // Press the tokens in turn, point at the numbers in turn, or play; give the frames' times.
  bench.frames = (what, milliseconds) => new Promise((resolve) => {
    const root = findStage();
    const times = [];
    const enter = new PointerEvent("pointerover", { bubbles: true });
    const key = new KeyboardEvent("keydown", { key: what === "playing" ? " " : "Escape" });
    const act = {
      scrubbing: () => chips()[times.length % chips().length].click(),
      pointing: () => {
        const cells = root.querySelectorAll(".ways .cell");
        cells[times.length % cells.length].dispatchEvent(enter);
      },
      playing: () => {},
    }[what];
    root.querySelector(".ways").dispatchEvent(key);
    const frame = (now) => {
      times.push(now);
      act();
      if (now - times[0] < milliseconds) requestAnimationFrame(frame);
      else resolve(times);
    };
    requestAnimationFrame(frame);
  });
})();
