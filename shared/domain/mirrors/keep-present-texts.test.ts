import { expect, test } from "vitest";
import { namespacePolicyPath, nodePaths, textFile } from "../machine-config/node-file.ts";
import { isEveryFilePresent, withPresentTexts } from "./keep-present-texts.ts";

const { registriesConf, searchRegistries, policy, sigstoreRegistries } = nodePaths;
const conf = (lines: string) =>
  `unqualified-search-registries = ["a.io"]\nshort-name-mode = ""\n${lines}\n[[registry]]\n  location = "b.io"\n`;
const helper = 'additional-layer-store-auth-helper = ""\n';

type Case = Readonly<{ name: string; path: string; present: string; rendered: string }>;

test.for<Case>([
  { name: "the line of 4.19 is missing", path: registriesConf, present: conf(""), rendered: conf(helper) },
  {
    name: "it is missing in the drop-in",
    path: searchRegistries,
    present: 'unqualified-search-registries = ["a.io"]\n',
    rendered: `unqualified-search-registries = ["a.io"]\n${helper}`,
  },
  {
    name: "policy.json is in one line",
    path: policy,
    present: '{"a":[1,{}]}',
    rendered: '{\n  "a": [1, {}]\n}',
  },
  {
    name: "the policy of a namespace has one blank",
    path: namespacePolicyPath("n"),
    present: '{\n "a": 1\n}',
    rendered: '{\n  "a": 1\n}',
  },
  {
    name: "the requirements of a scope are in another order",
    path: policy,
    present: '{"b.io": [{"keyData": "2", "type": "x"}, {"type": "x", "keyData": "1"}]}',
    rendered: '{"b.io": [{"type": "x", "keyData": "1"}, {"type": "x", "keyData": "2"}]}',
  },
  { name: "the text is the same", path: sigstoreRegistries, present: "docker:\n", rendered: "docker:\n" },
])("When $name, it should keep the present text", ({ path, present, rendered }) => {
  const before = [textFile("/etc/other", "x"), textFile(path, present)];
  expect(withPresentTexts([textFile(path, rendered)], before)).toEqual([textFile(path, present)]);
});

test.for<Case>([
  {
    name: "an entry differs",
    path: registriesConf,
    present: conf("").replace("b.io", "c.io"),
    rendered: conf(""),
  },
  {
    name: "the line has a value",
    path: registriesConf,
    present: conf(helper.replace('""', '"x"')),
    rendered: conf(""),
  },
  { name: "the present file cannot be parsed", path: registriesConf, present: "=", rendered: conf("") },
  { name: "a value of policy.json differs", path: policy, present: '{"a":1}', rendered: '{"a":2}' },
  { name: "the present policy.json is no JSON", path: policy, present: "{", rendered: "{}" },
  {
    name: "other files differ in a blank",
    path: sigstoreRegistries,
    present: "docker: \n",
    rendered: "docker:\n",
  },
])("When $name, it should keep the rendered text", ({ path, present, rendered }) => {
  const files = [textFile(path, rendered)];
  expect(withPresentTexts(files, [textFile(path, present)])).toEqual(files);
});

test("When the mode differs, it should keep the rendered file", () => {
  const file = textFile(policy, "{}");
  expect(withPresentTexts([file], [{ ...file, mode: 0o600 }])).toEqual([file]);
});

const [a, b] = [textFile("/a", "1"), textFile("/b", "2")];
test.for([
  { name: "the same files are present in another order", present: [b, a], is: true },
  { name: "one is missing", present: [a], is: false },
  { name: "there is one more", present: [a, b, textFile("/c", "3")], is: false },
  { name: "one differs", present: [a, textFile("/b", "3")], is: false },
])("When $name, every file should be present: $is", ({ present, is }) => {
  expect(isEveryFilePresent([a, b], present)).toBe(is);
});
