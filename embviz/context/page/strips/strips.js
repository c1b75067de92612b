// A text as letters, each with its vectors as strips of colour. Letters slide to their new places with
// their strips; what is pointed at lights every place of its id and says what it holds.

import { chooseAnswer, following, plainText } from "../../../ui/elements/ask.js";
import { followWidth } from "../../../ui/elements/mount.js";
import { attribute, grid, write } from "../../../picture/cells/paint.js";
import { valueColour } from "../../../picture/cells/colours.js";
import { orderOf } from "../../../picture/cells/direction.js";
import { precise, unpacked } from "../../../picture/cells/numbers.js";
import { calm } from "../../../picture/cells/play.js";
import { arrowKeys, inside, pointAt, pointed } from "../../../picture/cells/pointing.js";

// px of a number in a strip
const CELL_PX = 12;
// px of a strip at most: alone, of two, of two in three sentences or of one in two texts
const STRIP_PX = 132, LOW_PX = 99, LOWEST_PX = 48;
// px of a letter, at least and at most
const NARROW_PX = 26, WIDE_PX = 66;
// px of the names beside the strips: turned, and level where strips are too low for turned ones
const NAMES_PX = 26, LEVEL_PX = 58;
// px of a strip that has room for a turned name
const TURNED_PX = 41;
// ms of a letter's way to its new place
const SLIDE_MS = 900;
// Number of the last order that presses ask for; a link may have any
const LAST_SEED = 999;

export default function strips(given) { return following(given, mountStrips); }

// `lit` and `kept` are a place of the text, and a number of its vector or null; `slides` says that the letters of the
// next drawing come from where they are.
function mountStrips(ui) {
  const { picture } = ui;
  Object.assign(ui, { on: grid(picture), lit: null, kept: null });
  ui.receive = (answer) => receiveLetters(ui, unpackBands(answer));
  ui.draw = () => arrangeLetters(ui);
  const light = (lit) => { ui.lit = lit; drawLetters(ui); };
  const keep = (lit) => { ui.kept = lit; light(lit); };
  ui.go.onclick = () => moveLetters(ui);
  ui.back.onclick = () => { ui.moved = false; ui.slides = true; arrangeLetters(ui); };
  picture.onpointermove = (event) => { if (event.pointerType === "mouse") light(pointedPlace(ui, event)); };
  picture.onpointerleave = () => light(ui.kept);
  picture.onclick = (event) => keep(pointedPlace(ui, event));
  arrowKeys(picture, (down, right) => keep(stepped(ui, down, right)), { Escape: () => keep(null) });
  followWidth(ui, picture);
}

// ---- what arrives, and where it moves -----------------------------------------------------------

function unpackBands(data) {
  for (const text of [data, data.then]) for (const band of text?.bands ?? []) {
    band.values = unpacked(band.values);
  }
  return data;
}

function receiveLetters(ui, data) {
  const before = ui.data, { then } = data;
  const same = String(before?.ids) === String(data.ids);
  const isWanted = ui.wanted === then?.seed; // the order that a press asked for
  ui.moved = Boolean(then) && (before ? isWanted || (same && ui.moved) : then.open);
  ui.wanted = undefined;
  ui.data = data;
  if (!same) ui.lit = ui.kept = data.lit === null ? null : { place: data.lit, cell: null };
  ui.slides = before && same;
}

// The first press moves to the order that is there; each further one asks for the next order.
function moveLetters(ui) {
  const { seed } = ui.data.then;
  if (!ui.moved) {
    ui.moved = ui.slides = true;
    arrangeLetters(ui);
    return;
  }
  ui.wanted = seed < LAST_SEED ? seed + 1 : 0;
  chooseAnswer(ui, { shuffle: ui.wanted });
}

// The text that is shown: before the letters move, or after.
const shownText = ({ data, moved }) => (moved ? { ...data, ...data.then } : data);

// ---- drawing ------------------------------------------------------------------------------------

// Draws all. Where it is another order, letters slide from where they were, and take their strips along.
function arrangeLetters(ui) {
  if (!ui.theme) return;
  const { known } = ui.on, slides = ui.slides && !calm();
  ui.slides = false;
  const were = new Map(slides ? [...known].map(([key, element]) => [key, element.getBoundingClientRect()]) : []);
  drawLetters(ui);
  if (slides) for (const [key, element] of known) slideLetter(element, were.get(key));
  for (const [strip, numbers, largest] of ui.strips) paintStrip(ui.theme, strip, numbers, largest);
}

function drawLetters(ui) {
  const { on, data: { then } } = ui, text = shownText(ui);
  ui.width = on.root.clientWidth;
  ui.strips = [];
  const bands = text.bands.filter((band) => band.shown);
  const most = text.numbers.length > 2 || (text.numbers.length && bands.length === 1) ? LOWEST_PX : bands.length > 1 ? LOW_PX : STRIP_PX;
  const high = Math.min(text.dims * CELL_PX, most);
  const isLevel = high < TURNED_PX, lines = layOutLetters(ui, text, isLevel ? LEVEL_PX : NAMES_PX), numbered = numberedPlaces(text);
  const id = text.ids[ui.lit?.place];
  const cell = id === undefined ? null : ui.lit.cell;
  on.root.style.setProperty("--from", cell / text.dims);
  on.root.style.setProperty("--share", 1 / text.dims);
  on.put("id", "name", [2, 1], "id");
  bands.forEach(({ name }, k) => on.put(`band ${k}`, `name ${isLevel ? "level" : "band"}`, [3 + k, 1], name));
  let place = 0;
  lines.forEach((length, line) => {
    for (let k = 0; k < length; k++, place++) {
      // The letter of place 3 has the name 3 wherever it goes.
      const name = ui.moved ? then.origin[place] : place;
      const [row, column] = [1 + line * (2 + bands.length), k + 2], point = { point: `place ${place}` };
      if (numbered.has(place)) on.put(`number ${place}`, "name number", [row, 1], numbered.get(place));
      const label = text.labels[place], lit = text.ids[place] === id ? " lit" : "";
      on.put(`label ${name}`, `label${[...label].length > 1 || numbered.size ? " piece" : ""}${lit}`, [row, column], label, point);
      on.put(`id ${name}`, "id", [row + 1, column], text.ids[place] < 0 ? "" : String(text.ids[place]), point);
      bands.forEach(({ values }, b) => {
        const numbers = values.subarray(place * text.dims, (place + 1) * text.dims);
        if (Number.isNaN(numbers[0])) return; // it has no vector of this kind
        const key = `strip ${name} ${b}`, look = `${b ? " later" : ""}${id === undefined || lit ? "" : " dim"}${lit && cell !== null ? " cell" : ""}`;
        const strip = on.put(key, `strip${look}`, [row + 2 + b, column], "", { ...point, paint: `height: ${high}px` });
        if (!strip.firstChild) strip.append(document.createElement("canvas"));
        ui.strips.push([strip, numbers, ui.data.largest[b]]);
      });
    }
  });
  on.sweep();
  attribute(on.root, "aria-label", text.alt);
  ui.top.hidden = !text.said.length;
  writeBold(ui.verdict, text.said);
  write(ui.order, orderOf([plainText(ui), ...text.labels].join(" ")));
  write(ui.go, then?.go ?? "");
  ui.go.hidden = !then;
  ui.back.hidden = !ui.moved;
  writeBold(ui.holds, id === undefined ? [pointAt("a token.")] : text.alike[id]);
  write(ui.sum, cell === null ? text.cut : sumIn(text, ui.lit.place, cell));
  write(ui.about, text.about);
}

// The number of each sentence or text, by its first place.
function numberedPlaces({ lines, numbers }) {
  let place = 0;
  return new Map(numbers.map((number, k) => [(place += lines[k - 1] ?? 0), String(number)]));
}

// The lengths of the lines: as many letters as fit beside the names, and lines of equal length.
function layOutLetters(ui, text, names) {
  const { root } = ui.on;
  const needed = text.labels.map((label, k) => Math.max(widthOf([...label].length), String(text.ids[k]).length * 7) + 6);
  const width = Math.min(Math.max(NARROW_PX, ...needed), WIDE_PX);
  const most = Math.max(1, Math.floor((ui.width - names) / (width + 3)));
  const lines = (text.lines ?? [text.labels.length]).flatMap((length) => {
    const each = Math.ceil(length / Math.ceil(length / most));
    return Array.from({ length: Math.ceil(length / each) }, (_, k) => Math.min(each, length - k * each));
  });
  root.style.gridTemplateColumns = `${names}px repeat(${Math.max(...lines)}, minmax(0, ${Math.max(width, 56)}px))`;
  return lines;
}

// px of so many characters: one of several has smaller type
const widthOf = (count) => count * (count > 1 ? 7.3 : 9);

function slideLetter(element, was) {
  if (!was) { element.animate([{ opacity: 0 }, {}], SLIDE_MS); return; }
  const now = element.getBoundingClientRect(), zoom = element.currentCSSZoom ?? 1; // in projector mode
  const [x, y] = [(was.left - now.left) / zoom, (was.top - now.top) / zoom];
  if (x || y) element.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: SLIDE_MS, easing: "ease-in-out" });
}

// One pixel a number.
function paintStrip(theme, { firstChild: canvas }, numbers, largest) {
  const image = new ImageData(1, numbers.length);
  numbers.forEach((value, k) => image.data.set([...valueColour(theme, value, largest), 255], 4 * k));
  Object.assign(canvas, { width: 1, height: numbers.length });
  canvas.getContext("2d").putImageData(image, 0, 0);
}

// Pieces of a sentence; each second one is bold.
function writeBold(into, pieces) {
  if (into.pieces === pieces.join("\0")) return;
  into.pieces = pieces.join("\0");
  const bold = (words) => Object.assign(document.createElement("strong"), { textContent: words });
  into.replaceChildren(...pieces.map((piece, k) => (k % 2 ? bold(piece) : piece)));
}

// ---- what is pointed at -------------------------------------------------------------------------

// A place, and the number of its vector where the pointer is on a strip; null elsewhere.
function pointedPlace({ data: { dims } }, { target, clientY }) {
  const { place } = pointed(target.closest("[data-point]")?.dataset.point ?? "");
  if (place === undefined) return null;
  const { top, height } = target.getBoundingClientRect();
  const cell = Math.floor((clientY - top) / height * dims);
  return { place, cell: target.matches("canvas, .strip") ? inside(cell, dims) : null };
}

// The place and the number that an arrow key leads to; the first one where none is lit.
function stepped({ data, lit, ...ui }, down, right) {
  const { ids, dims } = shownText({ data, ...ui });
  const place = lit ? inside(lit.place + right, ids.length) : 0;
  const cell = down ? inside((lit?.cell ?? -down) + down, dims) : lit?.cell ?? null;
  return { place, cell };
}

// `Place 4, dimension 3 of its row: 0.4321`, or the sum of the parts, each number before its name: `row 1` would be
// read as the number of a row. Each sentence counts its own places, as the
// model does.
function sumIn({ bands, dims, lines, numbers }, place, cell) {
  const parts = bands.map(({ name, values }) => [name, values[place * dims + cell]])
    .filter(([, value]) => !Number.isNaN(value));
  const terms = parts.map(([name, value]) => `${precise(value)} (${name})`), [[first, value]] = parts;
  const alone = ` of ${first === "row" ? "its row" : first}: ${precise(value)}`;
  const sum = parts.length > 1 ? `: ${terms.slice(0, -1).join(" + ")} = ${terms.at(-1)}` : alone;
  const starts = [...numberedPlaces({ lines, numbers }).keys()].filter((start) => start <= place);
  return `Place ${place - (starts.at(-1) ?? 0)}, dimension ${cell}${sum}`;
}
