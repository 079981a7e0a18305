import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, printableLines } from "./printable.ts";

const cases = [
  { name: "When a text is plain, it should stay", text: "größe 東京 🐙", shown: "größe 東京 🐙" },
  { name: "When it clears the screen, it should show that", text: "a\u001b[2Jb", shown: "a\\u001b[2Jb" },
  {
    name: "When it uses the second set of controls, it should show that",
    text: "\u009b31m",
    shown: "\\u009b31m",
  },
  { name: "When it turns the direction, it should show that", text: "\u202egpj", shown: "\\u202egpj" },
  {
    name: "When it goes back to the start of the line, it should show that",
    text: "a\rb",
    shown: "a\\u000db",
  },
];

test.for(cases)("$name", ({ text, shown }) => {
  expect(printable(text)).toBe(shown);
});

test("When a text has lines, they should stay lines only where lines are meant", () => {
  expect(printableLines("a\n\tb\r")).toBe("a\n\tb\\u000d");
  expect(printable("a\nb")).toBe("a\\u000ab");
});

test("When any text is shown, no control character should be left", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.nat({ max: 0x100 }).map((code) => String.fromCharCode(code)) }),
      (text) => {
        expect(printable(text)).not.toMatch(/\p{Cc}/u);
        expect(printableLines(text).replace(/[\n\t]/g, "")).not.toMatch(/\p{Cc}/u);
      },
    ),
  );
});
