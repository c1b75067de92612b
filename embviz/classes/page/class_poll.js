// A student's page in a class: asks every 3 s for the class's version, and reruns the page where it is
// another one. It counts down. It says at once that there is no connection: Streamlit disables the page then, and
// its own dialog, which names the host's command, is hidden (`labs/page/looks.py`).

// ms from one question to the next
const POLL_MS = 3000;
// ms after the connection is back in which the field may still be emptied
const AGAIN_MS = 5000;
const LOST = "No connection. Check your Wi-Fi. Your answer stays here: press Answer when this line is gone.";
const STYLE = `<style>
  .lost { position: fixed; inset: auto 0 0 0; z-index: 999999; padding: 12px; text-align: center;
    font: 600 16px/1.3 var(--st-font); color: var(--st-background-color); background: var(--st-text-color); }
  .left { font: 600 20px/1.3 var(--st-font); color: var(--st-text-color); margin: 0; }
</style><p class="left" role="timer" hidden></p><p class="lost" role="alert" hidden></p>`;

// What stood in the field when the connection was lost. Streamlit may forget keys of just before, so it is written again.
let kept = null;
const question = () => document.querySelector(".st-key-lab_question h2")?.textContent;
const answerField = () => document.querySelector(".st-key-lab_answer input[type=text]");
const keepText = () => {
  const text = answerField()?.value;
  kept = text ? { text, question: question(), until: Infinity } : null;
};
const writeAgain = () => {
  const field = answerField();
  if (!kept || !field || field.disabled) return;
  kept.until = Math.min(kept.until, performance.now() + AGAIN_MS);
  if (performance.now() > kept.until || question() !== kept.question) kept = null;
  else if (!field.value) {
    // React hears of a value that is set as of one that is typed. Streamlit sends what is typed after a pause, or at
    // once when the focus leaves: a press of *Answer* may come before the pause ends.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, kept.text);
    for (const event of [new Event("input", { bubbles: true }), new FocusEvent("focusout", { bubbles: true })]) field.dispatchEvent(event);
  }
};

export default function classPoll({ data, parentElement: root, setTriggerValue, base }) {
  root.ends?.abort();
  const ends = root.ends = new AbortController(), { signal } = ends;
  if (!root.querySelector(".lost")) root.innerHTML = STYLE;
  // Streamlit's dialog, though hidden, hides all else from screen readers, but for what has this mark.
  (root.host ?? root).setAttribute("data-react-aria-top-layer", "true");
  const lost = root.querySelector(".lost"), left = root.querySelector(".left");
  const until = performance.now() + 1000 * data.left_s;
  const app = document.querySelector(".stApp");
  const say = (hasFailed) => {
    const isLost = hasFailed || app.dataset.testConnectionState !== "CONNECTED";
    if (lost.hidden !== isLost) return;
    lost.hidden = !isLost;
    if (isLost) keepText();
    lost.textContent = isLost ? LOST : "";
  };
  const poll = async () => {
    if (!root.isConnected) return ends.abort();
    const answer = await fetch(new URL(data.path, base)).catch(() => 0);
    say(!answer || answer.status >= 500);
    const version = answer && answer.status < 500 ? await answer.text() : data.version;
    // A run may be changing widgets just now. With their old values a second run would undo that.
    if (version !== data.version && app.dataset.testScriptState === "notRunning") setTriggerValue("news", 1);
  };
  const tick = () => {
    if (lost.hidden) writeAgain();
    const seconds = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    left.hidden = !data.left_s;
    left.textContent = seconds ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left` : "Time is up.";
  };
  const change = () => { say(!navigator.onLine); if (navigator.onLine) poll(); };
  const timers = [setInterval(poll, POLL_MS), setInterval(tick, 250)];
  const changes = new MutationObserver(change);
  changes.observe(app, { attributeFilter: ["data-test-connection-state"] });
  for (const name of ["offline", "online"]) addEventListener(name, change, { signal });
  tick();
  signal.addEventListener("abort", () => { timers.forEach(clearInterval); changes.disconnect(); });
  return () => ends.abort();
}
