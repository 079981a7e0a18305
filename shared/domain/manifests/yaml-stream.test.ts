import { expect, test } from "vitest";
import { emptyDocuments } from "./yaml-stream.ts";

test.for([
  { name: "one document", text: "a: 1\n", places: [] },
  { name: "several documents", text: "---\na: 1\n---\nb: 2\n", places: [] },
  { name: "comments before the first separator", text: "# about\n\n---\na: 1\n", places: [] },
  { name: "a closing separator", text: "a: 1\n---\n", places: [] },
  { name: "a byte order mark", text: "\uFEFF---\na: 1\n", places: [] },
  { name: "JSON", text: '{"a": 1}', places: [] },
  { name: "nothing", text: "", places: ["1:1"] },
  { name: "blanks", text: " \n\n", places: ["1:1"] },
  { name: "comments", text: "# a\n# b\n", places: ["1:1"] },
  { name: "separators", text: "---\n---\n", places: ["1:1"] },
  { name: "a blank document in front", text: "---\n---\na: 1\n", places: ["1:1"] },
  { name: "a blank document between", text: "a: 1\n---\n\n---\nb: 2\n", places: ["2:1"] },
  { name: "comments at the end", text: "a: 1\n---\n# b: 2\n", places: ["2:1"] },
])("When a text is $name, it should refuse the empty documents", ({ text, places }) => {
  const issues = emptyDocuments(text, "a.yaml");
  expect(issues.map(({ path }) => path)).toEqual(places);
  for (const issue of issues) {
    expect(issue).toMatchObject({ severity: "error", object: { kind: "File", name: "a.yaml" } });
  }
});
