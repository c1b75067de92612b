// Draws both columns of a board's question as large as the window allows: a projector shows all of it.

const LARGEST = 1.7, SMALLEST = 0.5, NEAR = 0.03;
// px: a narrower window is scrolled
const WIDE_PX = 900;
// px between the question and the end of the window
const BELOW_PX = 10;

// The largest zoom at which a column ends in the window.
const fitColumn = (column) => {
  const fits = (zoom) => {
    column.style.zoom = zoom;
    return column.getBoundingClientRect().bottom <= innerHeight - BELOW_PX;
  };
  if (fits(LARGEST)) return;
  let low = SMALLEST, high = LARGEST;
  while (high - low > NEAR) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  fits(low);
};

export default function boardFit({ parentElement: root }) {
  root.end?.();
  let asked = 0;
  const fit = () => {
    asked = 0;
    const row = document.querySelector(".st-key-board_question .stHorizontalBlock");
    const columns = [...row?.children ?? []].map((column) => column.firstElementChild);
    // A column is as high as the highest: all are small while one is tried.
    for (const column of columns) column.style.zoom = innerWidth < WIDE_PX ? "" : SMALLEST;
    if (innerWidth >= WIDE_PX) columns.forEach(fitColumn);
  };
  const soon = () => { asked ||= requestAnimationFrame(fit); };
  const seen = new MutationObserver(soon); // of what is written, not of styles
  seen.observe(document.querySelector(".stMain"), { childList: true, characterData: true, subtree: true });
  addEventListener("resize", soon);
  soon();
  root.end = () => {
    seen.disconnect();
    removeEventListener("resize", soon);
    cancelAnimationFrame(asked);
  };
  return root.end;
}
