import { expect, test } from "vitest";
import { code, plain } from "./markdown-text.ts";

test.for([
  { text: "see @octocat", shown: "see &#64;&#8203;octocat" },
  { text: "see &#64;octocat", shown: "see &#38;&#35;64;octocat" },
  { text: "see &commat;octocat", shown: "see &#38;commat;octocat" },
])("When a text names a person as $text, the comment should notify nobody", ({ text, shown }) => {
  expect(plain(text)).toBe(shown);
});

test("When code has a backtick before a person, it should stay code", () => {
  expect(code("` @octocat")).toBe("`' @octocat`");
});
