// What is typed and chosen, what Python sends, and what is drawn of it. No server is asked: `fetch` is a stub.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { ask, choose, chooseAnswer, fromPython, sameQuestion, wanted } from "../../embviz/ui/elements/ask.js";

const ASKED = { token: 0, text: "ab" };
const OTHER = { token: 2, text: "ab" };

// A component without elements, which notes what it draws.
function component() {
  const ui = { typed: null, chosen: {}, drawn: [] };
  ui.receive = ({ name }) => { ui.news = name; };
  ui.redraw = () => { ui.drawn.push(ui.news ?? "again"); ui.news = null; };
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

test("a route without an answer is asked again after the seconds that it names, 0 too; else after 30", async () => {
  const clock = mock.method(performance, "now", () => clock.ms);
  const busy = mock.method(globalThis, "fetch", async () => new Response("", busy.says));
  clock.ms = 1e6;
  const ui = { ...component(), root: { isConnected: true }, base: "http://localhost/" };
  fromPython(ui, sent(ASKED, { name: "one" }, { live: "live", most: 1e3 }));
  const says = [
    [503, { "Retry-After": "0" }, 0], [503, { "Retry-After": "2" }, 2e3], [503, {}, 30e3], [503, { "Retry-After": "soon" }, 30e3],
    [404, {}, 30e3], [200, { "Content-Type": "text/html" }, 30e3], [413, {}, 0],
  ];
  for (const [status, headers, pause] of says) {
    busy.says = { status, headers };
    assert.ok(ask(ui));
    while (ui.asking) await new Promise(setImmediate);
    if (pause) {
      clock.ms += pause - 1;
      assert.ok(!ask(ui), `${status} ${JSON.stringify(headers)}: too early`);
      clock.ms += 1;
    }
  }
  assert.equal(busy.mock.callCount(), says.length);
  mock.restoreAll();
});

test("a choice that needs an answer is told at once where no route answers", () => {
  const ui = component();
  fromPython(ui, sent(ASKED, { name: "one" }));
  chooseAnswer(ui, { token: 2 });
  assert.deepEqual(ui.drawn, ["one", { token: 2 }]);
  assert.equal(ui.reporting, null);
  fromPython(ui, sent(OTHER, { name: "two" }));
  assert.deepEqual([ui.drawn.at(-1), ui.chosen], ["two", {}]);
});

test("the route draws the answer to what is wanted, and none that came late", async () => {
  const asked = [], answers = [];
  mock.method(performance, "now", () => 1e9); // after every pause of the test above
  mock.method(globalThis, "fetch", (_, { body }) => {
    asked.push(JSON.parse(new TextDecoder().decode(body)).settings);
    return new Promise((answer) => answers.push((name) => answer(new Response(JSON.stringify({ name }), { status: 200, headers: { "Content-Type": "application/json" } }))));
  });
  const ui = { ...component(), root: { isConnected: true }, base: "http://localhost/" };
  const rest = async () => { for (let k = 0; k < 5; k += 1) await new Promise(setImmediate); };
  fromPython(ui, sent(ASKED, { name: "one" }, { live: "live", most: 1e3 }));
  chooseAnswer(ui, { token: 2 });
  chooseAnswer(ui, { token: 3 });
  chooseAnswer(ui, { token: 4 });
  assert.deepEqual(asked, [{ ...ASKED, token: 2 }], "one at a time");
  answers.shift()("late");
  await rest();
  assert.deepEqual(asked.slice(1), [{ ...ASKED, token: 4 }], "the newest next");
  answers.shift()("four");
  await rest();
  assert.deepEqual(ui.drawn, ["one", "four"]);
  clearTimeout(ui.reporting);
  mock.restoreAll();
});
