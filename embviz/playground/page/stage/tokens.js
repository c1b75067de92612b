// The strip of tokens: a visible glyph and the id of each one, one of them selected.

import { keepChildren, write } from "../../../picture/cells/paint.js";
import { orderOf } from "../../../picture/cells/direction.js";
import { count } from "../../../picture/cells/numbers.js";
import { plainText } from "../../../ui/elements/ask.js";
import { indexOf } from "./answer.js";

// Tokens drawn at once; a longer text shows those around the selection
const STRIP_TOKENS = 240;

export function drawTokens(ui, pointed) {
  const { data, strip, token: selected } = ui;
  const last = data.first + data.ids.length;
  const from = Math.max(data.first, Math.min(selected - STRIP_TOKENS / 2, last - STRIP_TOKENS));
  const to = Math.min(last, from + STRIP_TOKENS);
  keepChildren(strip, to - from, newToken);
  for (let token = from; token < to; token++) drawToken(strip.children[token - from], data, token, selected, pointed);
  write(strip.previousElementSibling, from > 0 ? `… ${count(from)} before` : orderOf(plainText(ui)));
  write(strip.nextElementSibling, to < data.tokens ? `${count(data.tokens - to)} after …` : "");
  const now = strip.children[selected - from];
  const wanted = `${selected} ${data.tokens} ${ui.width}`;
  if (!now || ui.revealed === wanted) return;
  ui.revealed = wanted;
  requestAnimationFrame(() => revealToken(strip, now));
}

function newToken() {
  const element = document.createElement("div");
  element.role = "option";
  element.append(...["b", "i", "i"].map((name) => document.createElement(name)));
  return element;
}

function drawToken(element, data, token, selected, pointed) {
  const id = data.ids[token - data.first];
  const [label, name, standIn] = data.names[data.slotOf.get(id)];
  const index = indexOf(data, token);
  const is = token === selected;
  const look = `${id} ${label} ${standIn} ${index} ${is} ${token === pointed}`;
  if (element.look === look) return;
  element.look = look;
  const classes = { chip: true, "stand-in": standIn, piece: data.pieces, selected: is, lit: token === pointed };
  element.className = Object.keys(classes).filter((name) => classes[name]).join(" ");
  element.tabIndex = is ? 0 : -1;
  element.ariaSelected = String(is);
  element.dataset.point = `token ${token}`;
  element.title = `${data.unit ? name : "row"}, id ${id}, index [${index.join(", ")}]`;
  element.setAttribute("aria-label", element.title);
  const hex = data.unit === "byte" && label.length === 1 ? id.toString(16).toUpperCase().padStart(2, "0") : "";
  [data.unit ? label : count(id), hex, data.unit ? String(id) : `[${index.join(", ")}]`]
    .forEach((text, k) => write(element.children[k], text));
}

// Scrolls the strip alone; scrollIntoView would move the page as well.
function revealToken(strip, now) {
  const left = now.offsetLeft - strip.offsetLeft;
  if (left < strip.scrollLeft + 30 || left + now.offsetWidth > strip.scrollLeft + strip.clientWidth - 30) {
    strip.scrollLeft = left - strip.clientWidth / 2;
  }
}
