// Tokens from right to left: a strip says its order, and a sentence isolates them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isolate, isolated, orderOf } from "../../embviz/picture/cells/direction.js";

const points = Array.from({ length: 0x110000 }, (_, point) => point).filter((point) => point < 0xd800 || point > 0xdfff);
const letters = (script) => points.map((point) => String.fromCodePoint(point)).filter((one) => script.test(one));

test("every letter of a script from right to left counts, and none of another script", () => {
  const turned = letters(/[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u);
  assert.deepEqual(turned.filter((one) => !orderOf(`a ${one}`)), []);
  const others = letters(/[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Devanagari}\p{Script=Han}\p{Script=Hangul}]/u);
  assert.deepEqual(others.filter((one) => orderOf(one)), []);
  assert.equal(orderOf("ab 12"), "");
});

test("only what is from right to left stands in an isolate", () => {
  assert.equal(isolate("\u05d1"), "\u2068\u05d1\u2069");
  assert.equal(isolate("\u0663"), "\u2068\u0663\u2069");
  assert.equal(isolate("é"), "é");
  assert.equal(isolated("No id for '\u05d1', 'x', 'a \u0642'."), "No id for '\u2068\u05d1\u2069', 'x', '\u2068a \u0642\u2069'.");
});
