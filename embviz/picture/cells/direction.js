// Text from right to left in pictures and sentences that run from left to right.

// The blocks of Hebrew, of Arabic and their kin
const FROM_THE_RIGHT = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]";
const LETTER = new RegExp(FROM_THE_RIGHT, "u");
const QUOTED = new RegExp(`'([^']*${FROM_THE_RIGHT}[^']*)'`, "gu");

// What a strip of tokens says before them: in a text these run from right to left, in the strip they do not.
export const orderOf = (text) => (LETTER.test(text) ? "left to right:" : "");

// A token or word for a sentence; one from right to left stands in an isolate, and reorders nothing around it.
export const isolate = (token) => (LETTER.test(token) ? `\u2068${token}\u2069` : token);

// The sentence; what it quotes from right to left stands in an isolate.
export const isolated = (sentence) => sentence.replace(QUOTED, "'\u2068$1\u2069'");
