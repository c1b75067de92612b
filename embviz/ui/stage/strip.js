// The token strip: a visible glyph and the id of each token, one of them selected.

const STRIP_TOKENS = 240; // drawn at once; a longer text shows those around the selection

function drawStrip(ui, data, selected) {
  const first = Math.max(data.firstToken, Math.min(selected - STRIP_TOKENS / 2, data.last - STRIP_TOKENS));
  const last = Math.min(data.last, first + STRIP_TOKENS);
  const text = data.unit !== "";
  write(ui.stripNames[0], data.unit.replace("character", "char") || "id");
  write(ui.stripNames[1], text ? "id" : "index");

  const { chips, strip } = ui;
  if (!ui.more) strip.append(...(ui.more = [more(), more()]));
  tellMore(ui.more[0], first > 0 && `… ${count(first)} before`);
  tellMore(ui.more[1], last < data.tokens && `${count(data.tokens - last)} after …`);
  // Where a person types, chips come and go; those behind keep their element.
  const size = last - first;
  const same = chips.findIndex((element, i) => i >= size || element.face !== face(data, first + i, text));
  const edit = same < 0 ? chips.length : same;
  for (const element of chips.splice(edit, Math.max(0, chips.length - size))) element.remove();
  const added = Array.from({ length: size - chips.length }, chip);
  (chips[edit] ?? ui.more[1]).before(...added);
  chips.splice(edit, 0, ...added);
  chips.forEach((element, i) => fill(element, data, first + i, text));
  if (first + edit <= selected) ui.revealed = null;
  ui.stripRange = [first, last];
}

function chip() {
  const element = document.createElement("div");
  element.className = "chip";
  element.role = "option";
  element.tabIndex = -1;
  element.append(document.createElement("b"), document.createElement("i"));
  return element;
}

// What a chip shows of a token.
function face(data, token, text) {
  const { label, standIn } = labelAt(data, token);
  return text ? `${idAt(data, token)} ${standIn} ${data.pieces} ${label}` : `${idAt(data, token)} ${indexOf(data, token)}`;
}

function fill(element, data, token, text) {
  const { label, standIn, name } = labelAt(data, token);
  const id = idAt(data, token);
  const index = indexOf(data, token).join(",");
  const title = text ? `${name}, id ${id}, index [${index}]` : `id ${id}, index [${index}]`;
  if (element.title !== title) {
    element.title = title;
    element.setAttribute("aria-label", title);
  }
  if (element.dataset.token !== String(token)) element.dataset.token = token;
  const shown = face(data, token, text);
  if (element.face === shown) return;
  element.face = shown;
  element.classList.toggle("stand-in", standIn);
  element.classList.toggle("piece", data.pieces);
  element.classList.toggle("long", label.length > 1 && !data.pieces);
  write(element.children[0], text ? label : count(id));
  write(element.children[1], String(text ? id : index));
}

function more() {
  const element = document.createElement("span");
  element.className = "more";
  element.role = "presentation";
  return element;
}

function tellMore(element, words) {
  element.hidden = !words;
  write(element, words || "");
}

function markStrip(ui, data, selected) {
  if (selected < ui.stripRange[0] || selected >= ui.stripRange[1]) drawStrip(ui, data, selected);
  const now = ui.chips[selected - ui.stripRange[0]];
  if (ui.marked !== now) {
    ui.marked?.classList.remove("selected");
    if (ui.marked) { ui.marked.ariaSelected = "false"; ui.marked.tabIndex = -1; }
    now.classList.add("selected");
    now.ariaSelected = "true";
    now.tabIndex = 0;
    ui.marked = now;
  }
  // At the next frame, which computes the layout in any case.
  const wanted = `${selected} ${data.tokens} ${ui.size.width}`;
  if (ui.revealed === wanted) return;
  ui.revealed = wanted;
  cancelAnimationFrame(ui.revealing);
  ui.revealing = requestAnimationFrame(() => revealChip(ui.strip, now));
}

// Scrolls the strip alone; scrollIntoView would move the page as well.
function revealChip(strip, chip) {
  const left = chip.offsetLeft - strip.offsetLeft;
  if (left < strip.scrollLeft + 30 || left + chip.offsetWidth > strip.scrollLeft + strip.clientWidth - 30) {
    strip.scrollLeft = left - strip.clientWidth / 2;
  }
}
