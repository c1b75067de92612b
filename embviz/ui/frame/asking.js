// A question of the form `ask_field.py`: the page that answers comes within the session.
//
// A browser would load the whole app again for it. So the address of the answer becomes an entry of the
// history, and Streamlit is told as if somebody had gone forward to it.
// What an address cannot hold is cut at its begin: an error ends with its message.

// The characters that an address takes for a text.
const length = (text) => new URLSearchParams({ text }).toString().length - "text=".length;

// The end of a text that an address of at most so many characters can hold.
export function ending(text, most) {
  let end = text.slice(-most);
  while (length(end) > most) end = end.slice(Math.ceil(end.length / 20));
  return end;
}

// The address to which a form with a question leads; null for an empty one where nothing was asked before.
export function addressOf(form) {
  const field = form.querySelector("input[type=search]"), asked = field.value.trim();
  if (!asked && !field.defaultValue) return null;
  const query = new URLSearchParams(new FormData(form));
  if (asked) query.set(field.name, ending(asked, Number(form.dataset.most)));
  else query.delete(field.name);
  return [form.action, String(query)].filter(Boolean).join("?");
}

export function asking(hear) {
  const lead = (event) => {
    const form = event.target;
    if (!form.matches?.("form.ask")) return;
    event.preventDefault();
    const address = addressOf(form);
    if (!address) return;
    document.activeElement?.blur(); // a phone closes its keyboard: the answer is behind it
    history.pushState({}, "", address);
    dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  };
  hear({ submit: lead });
}
