// The token strip: a visible glyph and the id of each token, one of them selected.

const STRIP_TOKENS = 240; // drawn at once; a longer text shows those around the selection

function drawStrip(ui, data, selected) {
  const first = Math.max(data.firstToken, Math.min(selected - STRIP_TOKENS / 2, data.last - STRIP_TOKENS));
  const last = Math.min(data.last, first + STRIP_TOKENS);
  const text = data.unit !== "";
  ui.stripNames[0].textContent = data.unit || "id";
  ui.stripNames[1].textContent = text ? "id" : "index";

  const drawn = new DocumentFragment();
  if (first > 0) drawn.append(more(`… ${count(first)} before`));
  for (let token = first; token < last; token++) drawn.append(chip(data, token, text));
  if (last < data.tokens) drawn.append(more(`${count(data.tokens - last)} after …`));
  ui.strip.replaceChildren(drawn);
  ui.stripRange = [first, last];
}

function chip(data, token, text) {
  const { label, standIn, name } = labelAt(data, token);
  const id = idAt(data, token);
  const element = document.createElement("div");
  element.className = "chip" + (standIn ? " stand-in" : "") + (label.length > 1 ? " long" : "");
  element.role = "option";
  element.dataset.token = token;
  element.tabIndex = -1;
  const index = indexOf(data, token).join(",");
  element.title = text ? `${name}, id ${id}, index [${index}]` : `id ${id}, index [${index}]`;
  element.setAttribute("aria-label", element.title);
  const top = document.createElement("b");
  const bottom = document.createElement("i");
  top.textContent = text ? label : count(id);
  bottom.textContent = text ? id : index;
  element.append(top, bottom);
  return element;
}

function more(words) {
  const element = document.createElement("span");
  element.className = "more";
  element.role = "presentation";
  element.textContent = words;
  return element;
}

function markStrip(ui, data, selected) {
  if (selected < ui.stripRange[0] || selected >= ui.stripRange[1]) drawStrip(ui, data, selected);
  const before = ui.strip.querySelector(".selected");
  if (before) {
    before.classList.remove("selected");
    before.ariaSelected = "false";
    before.tabIndex = -1;
  }
  const now = ui.strip.querySelector(`[data-token="${selected}"]`);
  if (!now) return;
  now.classList.add("selected");
  now.ariaSelected = "true";
  now.tabIndex = 0;
  // Scrolls the strip alone; scrollIntoView would move the page as well.
  const left = now.offsetLeft - ui.strip.offsetLeft;
  if (left < ui.strip.scrollLeft + 30 || left + now.offsetWidth > ui.strip.scrollLeft + ui.strip.clientWidth - 30) {
    ui.strip.scrollLeft = left - ui.strip.clientWidth / 2;
  }
}
