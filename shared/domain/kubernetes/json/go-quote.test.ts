import { expect, test } from "vitest";
import { goQuote } from "./go-quote.ts";

test.for([
  ["quay.io/x", '"quay.io/x"'],
  ["", '""'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ["\u0007\b\f\n\r\t\u000b", '"\\a\\b\\f\\n\\r\\t\\v"'],
  ["\u0000\u001f\u007f", '"\\x00\\x1f\\x7f"'],
  ["é*$", '"é*$"'],
  ["\u0080\u00a0\u00ad", '"\\u0080\\u00a0\\u00ad"'],
  ["\u200b\uffff", '"\\u200b\\uffff"'],
  ["\u{10000}\u{e0001}\u{1f600}", '"\u{10000}\\U000e0001\u{1f600}"'],
  ["\ud800", '"\ufffd"'],
] as const)("When the text is %j, it should be quoted as %s", ([text, quoted]) => {
  expect(goQuote(text)).toBe(quoted);
});
