// The bar of the tour stays above its page, and would cover what Tab leads to: the browser takes that for seen, also
// with `scroll-padding`.

const BAR = ".st-key-tour";
// px between the bar and what Tab leads to
const SPACE_PX = 8;

export function uncover(hear) {
  let isTab = false;
  const show = (event) => {
    const bar = document.querySelector(BAR), reached = event.composedPath()[0], main = event.target.closest?.(".stMain");
    if (!isTab || !bar || !main || bar.contains(event.target)) return;
    requestAnimationFrame(() => { // the browser has scrolled by then
      const hidden = bar.getBoundingClientRect().bottom + SPACE_PX - reached.getBoundingClientRect().top;
      if (hidden > 0) main.scrollBy(0, -hidden);
    });
  };
  hear({ keydown: ({ key }) => { isTab = key === "Tab"; }, pointerdown: () => { isTab = false; }, focusin: show });
}
