// What is typed and chosen, what Python sends, and what is drawn of it. No server is asked.

import assert from "node:assert/strict";
import { test } from "node:test";

import { choose, fromPython, sameQuestion, wanted } from "../../embviz/ui/elements/ask.js";

const ASKED = { token: 0, text: "ab" };
const OTHER = { token: 2, text: "ab" };

// A component without elements, which notes what it draws.
function component() {
  const ui = { typed: null, chosen: {}, drawn: [] };
  ui.show = ({ name }) => ui.drawn.push(name);
  ui.redraw = () => ui.drawn.push("again");
  ui.refuse = (sentence) => { if (sentence) ui.drawn.push(sentence); };
  ui.report = (choice) => ui.drawn.push(choice);
  return ui;
}

// A message of Python, on a page without the route.
const sent = (question, answer, more = {}) => ({ question: JSON.stringify(question), answer: JSON.stringify(answer), field: "text", text: "ab", live: null, ...more });

test("an answer is shown once, also after a refusal; then it is drawn again, in another theme or view", () => {
  const ui = component();
  fromPython(ui, sent(ASKED, { name: "one" }));
  fromPython(ui, sent(ASKED, { name: "one" }, { view: "linear" }));
  fromPython(ui, sent({ ...ASKED, text: "é" }, { refusal: "No é.", fixes: {} }));
  fromPython(ui, sent(ASKED, { name: "one" }));
  fromPython(ui, sent(OTHER, { name: "two" }));
  assert.deepEqual(ui.drawn, ["one", "again", "No é.", "one", "two"]);
});

test("a choice is wanted until Python is told; what no answer depends on is not asked for", () => {
  const ui = component();
  fromPython(ui, sent(ASKED, { name: "one" }));
  choose(ui, { token: 2, view: "linear" });
  assert.deepEqual(wanted(ui), OTHER);
  fromPython(ui, sent(ASKED, { name: "one" }, { text: "ab\n" }));
  assert.deepEqual(ui.chosen, { token: 2, view: "linear" }, "an older page does not take it away");
  clearTimeout(ui.reporting);
  ui.reporting = null;
  fromPython(ui, sent(ASKED, { name: "one" }));
  assert.deepEqual(wanted(ui), ASKED);
  assert.deepEqual(ui.drawn, ["one", "again", "again"], "the picture has the page's token again");
});

test("questions are equal in any order; what is typed comes last", () => {
  const ui = component();
  fromPython(ui, sent({ token: 0 }, { name: "one" }));
  ui.typed = "x";
  assert.deepEqual(wanted(ui), { token: 0, text: "x" });
  assert.ok(sameQuestion(wanted(ui), { text: "x", token: 0 }));
  assert.ok(!sameQuestion(wanted(ui), { text: "x", token: 1 }));
  assert.ok(!sameQuestion(wanted(ui), { text: "x", token: 0, dim: 4 }));
  assert.ok(!sameQuestion({ text: "x" }, { ids: "x" }));
});
