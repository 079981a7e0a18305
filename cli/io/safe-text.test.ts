import fc from "fast-check";
import { expect, test } from "vitest";
import { lines, painted, safe, verbatim } from "./safe-text.ts";

const cases = [
  { name: "When a text is plain, it should not change", text: "größe 東京 🐙", shown: "größe 東京 🐙" },
  { name: "When it clears the screen, it should be escaped", text: "a\u001b[2Jb", shown: "a\\u001b[2Jb" },
];

test.for(cases)("$name", ({ text, shown }) => {
  expect(safe`${text}`.toString()).toBe(shown);
  expect(safe`${painted("red", text)}`.toString()).toBe(shown);
});

test("When a text has lines, only `lines` should keep the line breaks", () => {
  expect(lines("a\n\tb\r").toString()).toBe("a\n\tb\\u000d");
  expect(safe`${"a\nb"}\n`.toString()).toBe("a\\u000ab\n");
});

test("When a template holds texts, numbers and lists, it should join them and escape each text once", () => {
  const inner = safe`<${"\u0007"}>`;
  expect(safe`${1} ${inner}${[inner, inner]}${"\\u0007"}`.toString()).toBe(
    "1 <\\u0007><\\u0007><\\u0007>\\u0007",
  );
});

test("When a text is verbatim, it should not change", () => {
  expect(safe`${verbatim("\u202e\u0085\n")}`.toString()).toBe("\u202e\u0085\n");
});

test("When a stream is a terminal, it should have the colours of hubrelay and none from the data", () => {
  const terminal = Object.assign(Object.create(process.stdout), {
    isTTY: true,
    getColorDepth: () => 8,
    hasColors: () => true,
  });
  const text = safe`${painted("red", "\u001b[32mdata")} ${"\u001b[32mdata"}`;
  expect(text.for(terminal)).toBe("\u001b[31m\\u001b[32mdata\u001b[39m \\u001b[32mdata");
  expect(text.width).toBe("\\u001b[32mdata \\u001b[32mdata".length);
});

test("When any text is shown, no control character should be left", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.nat({ max: 0x100 }).map((code) => String.fromCharCode(code)) }),
      (text) => {
        expect(safe`${text}`.toString()).not.toMatch(/\p{Cc}/u);
        expect(
          lines(text)
            .toString()
            .replace(/[\n\t]/g, ""),
        ).not.toMatch(/\p{Cc}/u);
      },
    ),
  );
});
