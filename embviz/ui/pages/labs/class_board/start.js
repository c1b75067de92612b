// Starts a class by the route `class/start`, and goes to its board with a new page load: the board
// needs the cookie when it connects.

const START_MS = 15_000; // without an answer by then

export default function ({ data, parentElement: root }) {
  const form = root.querySelector("form");
  if (data.text === form.embvizText) return;
  form.embvizText = data.text;
  const given = JSON.parse(data.text);
  const select = root.querySelector("select");
  const chosen = select.value;
  select.replaceChildren(...Object.entries(given.labs).map(([code, title]) => new Option(title, code)));
  if (chosen) select.value = chosen;
  form.onsubmit = (event) => { event.preventDefault(); start(root, select.value); };
  form.querySelector("button").disabled = false; // before, a press would load the page again
  root.querySelector(".mine").hidden = !given.classes.length;
  root.querySelector("ul").replaceChildren(...given.classes.map(item));
}

function item({ code, lab, begun, ended }) {
  const line = document.createElement("li");
  const link = document.createElement("a");
  link.href = board(code);
  link.textContent = code;
  const when = new Date(begun * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  line.append(link, ` ${lab}, started ${when}${ended ? ", ended" : ""}`);
  return line;
}

// Of this page, without what is left of a lab.
function board(code) {
  const query = new URLSearchParams({ board: code });
  if (new URLSearchParams(location.search).get("projector") === "true") query.set("projector", "true");
  return `${location.pathname}?${query}`;
}

async function start(root, lab) {
  const button = root.querySelector("button");
  const refused = root.querySelector(".refused");
  button.disabled = true;
  refused.textContent = "";
  try {
    const response = await fetch(new URL("../class/start", import.meta.url), {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ lab }),
      cache: "no-store", redirect: "error", signal: AbortSignal.timeout(START_MS),
    });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) { location.assign(board(answer.code)); return; }
    refused.textContent = answer.refusal ?? `The server answered ${response.status}. Try again, or ask who runs it.`;
  } catch {
    refused.textContent = "The server does not answer. Check the connection, and press again.";
  }
  button.disabled = false;
}
