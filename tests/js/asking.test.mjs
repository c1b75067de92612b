// The address to which a question leads.

import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, ending } from "../../embviz/ui/frame/asking.js";

// A form as the page has it: what is typed, what was asked before, and the settings of every page.
function form(typed, { before = "", most = 6000, settings = {} } = {}) {
  const field = { name: "find", value: typed, defaultValue: before };
  globalThis.FormData = function entries() { return { ...settings, find: typed }; };
  return { action: "http://host/base/limits", dataset: { most }, querySelector: () => field };
}

test("a question is the address of its answer", () => {
  assert.equal(addressOf(form(" is <unk> wrong? ")), "http://host/base/limits?find=is+%3Cunk%3E+wrong%3F");
  assert.equal(addressOf(form("a", { settings: { projector: "true" } })), "http://host/base/limits?projector=true&find=a");
});

test("an emptied field leads to the page, and an empty one nowhere", () => {
  assert.equal(addressOf(form("  ", { before: "nan" })), "http://host/base/limits");
  assert.equal(addressOf(form("  ")), null);
});

test("of a long text the end is asked, as much as an address can hold", () => {
  for (const part of ["abcdefghij", "  File \"x.py\"\n", "ш", "😀"]) {
    const end = ending(`${part.repeat(5000)}IndexError: the last line`, 6000);
    assert.ok(end.endsWith("IndexError: the last line"));
    const bytes = new URLSearchParams({ text: end }).toString().length - 5;
    assert.ok(bytes > 5000 && bytes <= 6000, `${part}: ${bytes}`);
  }
  assert.equal(ending("nan", 6000), "nan");
});
