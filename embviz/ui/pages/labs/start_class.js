// The forms of classes: one starts a class and goes to its board; the other needs no script.
export default function ({ data, parentElement: root }) {
  const start = root.querySelector(".start"), said = root.querySelector("output");
  root.querySelector("[name=code]").value ||= data.code;
  start.onsubmit = async (event) => {
    event.preventDefault();
    said.textContent = "";
    try {
      const body = new URLSearchParams(new FormData(start));
      const answer = await fetch(new URL("../class/start", import.meta.url), { method: "POST", body });
      if (answer.redirected) location.assign(answer.url);
      else said.textContent = await answer.text();
    } catch {
      said.textContent = "The server does not answer. Press again.";
    }
  };
}
