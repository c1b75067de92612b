// A refusal as one line, with what would correct it. What else is drawn is then of the input before: it
// is marked as such, cannot be used, its Play ends, and its sentences are hidden (`refusal.css`).

import { isolated } from "../../picture/cells/direction.js";

// Returns `refuse(sentence, fixes)`, which draws in `ui.refusal`; without a sentence it hides it.
export function refusalLine(ui) {
  const element = ui.refusal, around = element.parentElement;
  around.classList.add("bare"); // nothing is drawn yet
  const note = Object.assign(document.createElement("span"), { className: "note", textContent: "The picture still shows the input before." });
  return (sentence, fixes) => {
    const isRefused = Boolean(sentence);
    element.hidden = !isRefused;
    if (!isRefused) around.classList.remove("bare");
    around.classList.toggle("past", isRefused);
    for (const child of around.children) if (child !== element) child.inert = isRefused;
    if (isRefused && ui.player && ui.player.step !== null) ui.player.stop();
    const buttons = Object.entries(fixes).map(([label, changes]) => {
      const button = document.createElement("button");
      button.textContent = label;
      button.addEventListener("click", () => { ui.typed = null; ui.report({ ...changes }); });
      return button;
    });
    element.replaceChildren(isolated(sentence ?? ""), " ", ...buttons, " ", note);
  };
}
