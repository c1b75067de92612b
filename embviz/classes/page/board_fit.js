// Places the parts of a board's question, and draws each as large as the window allows: a projector shows all of it.
//
// The parts are the question, its picture, and the answers of the class once they are told. Of the layouts that there
// are, it takes the one with the largest letters. Before the answers are told, a question that is large enough to be read
// comes before all else. After it, each part has the size that it needs first, and then the answers are as large as can be.

const LARGEST = 1.7, SMALLEST = 0.4, NEAR = 0.02;
// Zoom at which a question is read from the last row.
const READ = 1.3;
// Zooms that the parts need once the answers are told, when the question is known. Tables and code stay whole.
const NEEDS = { question: 1.06, answers: 1.15, picture: 0.9, code: 0.65 };
// px: a narrower window is scrolled
const WIDE_PX = 900;
// px between the question and the end of the window, and between two parts
const BELOW_PX = 10, GAP_PX = 12;
// Columns, each with its parts from the top, and their widths.
const LAYOUTS = [
  [[["question"]], "1fr"],
  [[["question"], ["picture"]], "3fr 2fr"],
  [[["question", "picture"], ["answers"]], "1fr 1fr"],
  [[["question", "picture"], ["answers"]], "2fr 3fr"],
  [[["question"], ["answers", "picture"]], "4fr 3fr"],
  [[["question"], ["answers", "picture"]], "1fr 1fr"],
  [[["question"], ["answers", "picture"]], "2fr 3fr"],
  [[["question"], ["answers"], ["picture"]], "5fr 4fr 3fr"],
  [[["question"], ["answers"], ["picture"]], "3fr 5fr 2fr"],
  [[["question"], ["answers"], ["picture"]], "3fr 4fr 3fr"],
];
const KEYS = { question: "lab_question", picture: "board_picture", answers: "board_answers" };

// px from the top of the page, however far it is scrolled.
const topOf = (board) => Math.round(board.getBoundingClientRect().top + (document.querySelector(".stMain")?.scrollTop ?? 0));

const height = (parts) => parts.reduce((sum, part) => sum + GAP_PX + part.getBoundingClientRect().height, -GAP_PX);

// The largest zoom of parts below each other that are at most so many px high. They have it then.
const largestZoom = (parts, room, most = LARGEST) => {
  const fits = (zoom) => {
    for (const part of parts) part.style.zoom = zoom;
    return height(parts) <= room;
  };
  if (fits(most)) return most;
  let low = SMALLEST, high = most;
  while (high - low > NEAR) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  fits(low);
  return low;
};

// The zooms of the parts of a column. A question that would be too small takes room from what is below it.
const fitColumn = (parts, room, { question, answers }) => {
  const most = answers && parts[0] === question ? READ : LARGEST;
  const all = largestZoom(parts, room, most), [first, ...others] = parts;
  if (answers || first !== question || all >= READ || !others.length) return parts.map(() => all);
  for (const part of others) part.style.zoom = SMALLEST;
  const asked = largestZoom([question], room - GAP_PX - height(others), READ);
  const rest = largestZoom(others, room - GAP_PX - height([question]));
  return [asked, ...others.map(() => rest)];
};

// Lines of code stay whole: their letters are as small as the widest one needs. The smallest, as a share of the usual.
const fitCode = (board) => {
  const shares = [...board.querySelectorAll("pre code")].map((code) => {
    const { clientWidth, scrollWidth } = code.closest("pre");
    const share = scrollWidth > clientWidth ? 0.9 * clientWidth / scrollWidth : 1;
    code.style.fontSize = `${share.toFixed(3)}rem`;
    return share;
  });
  return Math.min(1, ...shares);
};

// The zoom of the smallest letters of a picture: those of a wide one are smaller than its part's zoom says.
const pictureZoom = (picture) => {
  const zooms = [...picture.querySelectorAll(".drawn")].map((drawn) => parseFloat(getComputedStyle(drawn).fontSize) / 16);
  return Math.min(1, ...zooms) * picture.style.zoom;
};

// How good a layout is once the answers are told.
const toldScore = (zooms) => {
  const found = Object.entries(NEEDS).map(([name, zoom]) => zooms[name] / zoom);
  return 10 * Math.min(1, ...found) + zooms.answers + 0.1 * zooms.question;
};

// A layout as `grid-template`: the last part of a column is as high as what stands beside it.
const template = (columns, widths) => {
  const count = Math.max(...columns.map((parts) => parts.length));
  const row = (at) => columns.map((parts) => parts[Math.min(at, parts.length - 1)]).join(" ");
  const rows = Array.from({ length: count }, (_, at) => `"${row(at)}" ${count > 1 && at === count - 1 ? "1fr" : "auto"}`);
  return `${rows.join(" ")} / ${widths}`;
};

// Draws a layout; how good it is.
const drawLayout = (board, parts, [columns, widths]) => {
  board.style.gridTemplate = template(columns, widths);
  for (const code of board.querySelectorAll("pre code")) code.style.fontSize = "";
  const room = innerHeight - BELOW_PX - topOf(board);
  const zooms = columns.flatMap((names) => fitColumn(names.map((name) => parts[name]), room, parts));
  if (parts.answers) {
    const [question, answers] = ["question", "answers"].map((name) => zooms[columns.flat().indexOf(name)]);
    return toldScore({ question, answers, code: question * fitCode(board), picture: pictureZoom(parts.picture) });
  }
  return 10 * Math.min(zooms[0], READ) + Math.min(...zooms, zooms[0] * fitCode(board));
};

const fitBoard = (board) => {
  const found = Object.entries(KEYS).map(([name, key]) => [name, board.querySelector(`.st-key-${key}`)]);
  const parts = Object.fromEntries(found.filter(([, part]) => part));
  if (innerWidth < WIDE_PX) {
    for (const part of Object.values(parts)) part.style.zoom = "";
    return;
  }
  const names = Object.keys(parts).sort().join();
  const layouts = LAYOUTS.filter(([columns]) => columns.flat().sort().join() === names);
  const scores = layouts.map((layout) => drawLayout(board, parts, layout));
  const best = layouts[scores.indexOf(Math.max(...scores))];
  if (best && best !== layouts.at(-1)) drawLayout(board, parts, best);
};

export default function boardFit({ parentElement: root }) {
  root.ends?.abort();
  const ends = root.ends = new AbortController(), { signal } = ends;
  let asked = 0, before = "";
  const look = () => {
    asked = 0;
    const board = document.querySelector(".st-key-board_question");
    if (!board) return;
    const isFitted = !!board.querySelector(".st-key-lab_question")?.style.zoom;
    const now = [innerWidth, innerHeight, topOf(board), board.textContent].join();
    if (isFitted && now === before) return;
    fitBoard(board);
    before = now;
  };
  const soon = () => { asked ||= requestAnimationFrame(look); };
  const seen = new MutationObserver(soon); // of what is written, not of styles
  seen.observe(document.querySelector(".stMain"), { childList: true, characterData: true, subtree: true });
  const again = () => { before = ""; soon(); };
  addEventListener("resize", soon, { signal });
  document.fonts.addEventListener("loadingdone", again, { signal });
  soon();
  signal.addEventListener("abort", () => { seen.disconnect(); cancelAnimationFrame(asked); });
  return () => ends.abort();
}
