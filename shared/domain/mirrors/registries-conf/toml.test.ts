import { expect, test } from "vitest";
import { parseToml } from "./base-file.ts";

const word = "hunter2hunter2";

test.for([
  { text: `a = 1\nb ${word}`, line: 2 },
  { text: `a = ${word}`, line: 1 },
  { text: `a = 1\n${word} = 1\n${word} = 2`, line: 3 },
  { text: `a = "\\q${word}"`, line: 1 },
  { text: `a = "${word}`, line: 1 },
  { text: `[${word}`, line: 1 },
  { text: `a = ${"[".repeat(1_000_000)}`, line: 1 },
  { text: `${"a.".repeat(1_000_000)}b = 1`, line: 1 },
])("When TOML is invalid in line $line, the error should say so without quoting it", ({ text, line }) => {
  const refused = expect(() => parseToml(text));
  refused.toThrow(expect.objectContaining({ name: "TomlError", line }));
  refused.not.toThrow(word);
});
