import { expect, test } from "vitest";
import { processorSeconds } from "../../../test/support/setup/processor-seconds.ts";
import { readManifests } from "./manifests.ts";
import { parseYamlDocument, YamlDocumentError } from "./yaml-document.ts";

const megabyte = (unit: string) => unit.repeat(Math.ceil(1_000_000 / unit.length));

/** Reads nothing but the error and its place. */
function refusal(text: string): string {
  try {
    parseYamlDocument(text);
    return "none";
  } catch (error) {
    if (!(error instanceof YamlDocumentError)) throw error;
    return `${error.line}:${error.column} ${error.message}`;
  }
}

let measured: number | undefined;
/** Reading takes linear time: an eighth of a megabyte says how long all of it takes. */
const secondsForValid = () => (measured ??= 8 * processorSeconds(() => refusal("- a\n".repeat(31_250))));

const deep = "The content is nested too deeply";

test.for<[what: string, text: string, refused: string]>([
  ["opens lists without end", megabyte("["), `1:102 ${deep}`],
  ["opens maps without end", megabyte("{a: "), `1:405 ${deep}`],
  ["opens both without end", megabyte("[{a: "), `1:252 ${deep}`],
  ["opens a list a line", `a: [\n${megabyte(" [\n")}`, `101:2 ${deep}`],
  ["begins items on one line without end", megabyte("- "), `1:203 ${deep}`],
  ["closes lists that are not open", megabyte("]"), "1:1 Unexpected "],
  ["closes maps that are not open", `a: b\n${megabyte("}")}`, "2:1 Unexpected "],
  ["begins lists and closes none", megabyte("a: [\n"), "2:1 Flow sequence in block collection must be"],
  ["is nothing but invalid escapes", `a: "${megabyte("\\q")}"`, "1:5 Invalid escape sequence"],
])(
  "When a megabyte $0, it should be refused with the position, in less time than a valid one is read",
  ([, text, refused]) => {
    expect(processorSeconds(() => expect(refusal(text)).toContain(refused))).toBeLessThan(secondsForValid());
  },
);

test.for<[open: string, close: string]>([
  ["[", "]"],
  ["{a: ", "}"],
])("When %s is nested as deeply as is allowed, it should be read, and no deeper", ([open, close]) => {
  const nested = (depth: number) => `${open.repeat(depth)}b${close.repeat(depth)}`;
  expect(refusal(nested(100))).toBe("none");
  expect(refusal(nested(101))).toContain(deep);
});

test("When a scalar is the character that the lexer marks an early end with, the rest should still be read", () => {
  expect(parseYamlDocument("a: \u0018\nb: [c, \u0018]\nd: e").value).toEqual({
    a: "\u0018",
    b: ["c", "\u0018"],
    d: "e",
  });
});

test("When one document of a stream is truncated, it should read the others", () => {
  const one = (name: string) => `apiVersion: v1\nkind: A\nmetadata: {name: ${name}}\n`;
  const { objects, issues } = readManifests(`${one("a")}---\nb: [\nc: d\n---\n${one("e")}`, "a.yaml");
  expect(objects.map(({ object }) => object.metadata.name)).toEqual(["a", "e"]);
  expect(issues.map(({ path }) => path)).toEqual(["6:1"]);
});

/** The forms in which a line of a private key, which has none of a credential by itself, is where YAML cannot be. */
const keyLine = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";

test.for([
  `apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  tls.key: |\n-----BEGIN PRIVATE KEY-----\n${keyLine}\n-----END PRIVATE KEY-----\n`,
  `a: b\n${keyLine}\n`,
  `a: | ${keyLine}\n  b\n`,
  `a: !${keyLine} {}\n`,
  `a: !x!${keyLine} b\n`,
  `a: !<${keyLine}\n`,
  `%${keyLine}\n---\na: [\n`,
  `a: "\\${keyLine}"\n`,
  `a: [b\n${keyLine}\n`,
  `{"a": ${keyLine}}x\n`,
  `a: b: ${keyLine}\n`,
  `\u0001${keyLine}\n`,
  `a: \`${keyLine}\n`,
  `{{ ${keyLine} }}\n`,
])("When %j cannot be parsed, no issue should quote the line", (text) => {
  const { issues } = readManifests(text, "a.yaml");
  expect(issues).not.toEqual([]);
  expect(JSON.stringify(issues)).not.toContain(keyLine.slice(0, 12));
});
