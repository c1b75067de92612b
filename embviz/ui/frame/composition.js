// The letters of a composed Latin word, which fields hear one by one.
//
// Keyboards of Android compose each word until a space. Streamlit's fields, and `ui/elements/ask.js`, take
// what is typed at the end of a composition. So they are told of an end at each letter. The browser's
// own composition goes on, and the keyboard notices nothing.
// A text with letters of East Asia waits for its true end: until then it is not what its writer means.

// Han, kana, Hangul, Bopomofo, their punctuation, and the wide letters with which kana begin.
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\u30fc\uff00-\uffef]/u;

// Whether a composed text is unfinished. After one with such letters the next may begin with Latin
// letters, which become such: Chinese is typed so.
const isUnfinished = (composed, before) => EAST_ASIAN.test(composed) || EAST_ASIAN.test(before);

export function composition(hear) {
  let composed = "", before = "";
  hear({
    compositionend: ({ data }) => { before = data || before; }, // ours, too: no such letters then
    compositionupdate: ({ data }) => { composed = data; },
    input: ({ target, isComposing }) => {
      if (!isComposing || !target.matches?.(".stTextInput input")) return;
      const name = isUnfinished(composed, before) ? "compositionstart" : "compositionend";
      target.dispatchEvent(new CompositionEvent(name, { data: composed, bubbles: true }));
    },
  });
}
