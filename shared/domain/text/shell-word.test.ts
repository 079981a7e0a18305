import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

test.for([
  ["fleet/up-1", "fleet/up-1"],
  ["a b", "'a b'"],
  ["it's; rm -rf /", "'it'\\''s; rm -rf /'"],
])("When a command has %s, a shell should read it as one word", ([text = "", word]) => {
  expect(shellWord(text)).toBe(word);
});
