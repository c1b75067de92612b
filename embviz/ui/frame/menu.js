// The menu of pages: the first stop of Tab, and on a phone it closes after a choice.
//
// Streamlit puts the sidebar before the menu in the order of Tab, and leaves its menu open.

const MENU_PHONE_PX = 768; // up to here Streamlit draws the menu in the sidebar

// Returns a function that stops it.
function listenToMenu() {
  const find = (name) => document.querySelector(`[data-testid=${name}]`);
  const key = (event) => {
    const nowhere = !document.activeElement || document.activeElement === document.body;
    if (event.key !== "Tab" || event.shiftKey || !nowhere) return;
    const menu = find("stTopNav")?.querySelector("[aria-current]") ?? find("stTopNavLink") ?? find("stExpandSidebarButton");
    if (!menu) return;
    event.preventDefault();
    menu.focus({ focusVisible: true });
  };
  const click = (event) => {
    if (!event.target.closest?.("[data-testid=stSidebarNavLink]") || window.innerWidth > MENU_PHONE_PX) return;
    find("stSidebarCollapseButton")?.querySelector("button").click();
  };
  const name = () => {
    const button = find("stExpandSidebarButton");
    if (button && button.getAttribute("aria-label") !== "Menu and settings") button.setAttribute("aria-label", "Menu and settings");
  };
  const named = new MutationObserver(name);
  if (find("stHeader")) named.observe(find("stHeader"), { childList: true, subtree: true });
  name();
  document.addEventListener("keydown", key, true);
  document.addEventListener("click", click);
  return () => {
    named.disconnect();
    document.removeEventListener("keydown", key, true);
    document.removeEventListener("click", click);
  };
}
