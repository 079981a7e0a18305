import { expect, test } from "vitest";
import { sizeIssues } from "./object-size.ts";

const limit = 262_144;
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const objectOf = (text: string, annotations?: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "x", ...(annotations ? { annotations } : {}) },
  data: { text },
});
/** As kubectl writes it: without the annotation itself, with the line break of Go's JSON. */
const around =
  JSON.stringify({ ...objectOf(""), metadata: { name: "x", annotations: {} } }).length +
  1 +
  lastApplied.length;

test.for([
  ["fits", "a".repeat(limit - around), []],
  ["is one byte too large", "a".repeat(limit - around + 1), ["warning ObjectTooLargeForApply"]],
  ["has characters that Go escapes", "<".repeat(limit / 5), ["warning ObjectTooLargeForApply"]],
  ["has characters of several bytes", "ü".repeat(limit / 2), ["warning ObjectTooLargeForApply"]],
] as const)("When an object %s, it should report %2$o", ([, text, issues]) => {
  expect(sizeIssues(objectOf(text)).map(({ severity, code }) => `${severity} ${code}`)).toEqual(issues);
});

test("When the object was applied before, the annotation of that should not count", () => {
  expect(sizeIssues(objectOf("a".repeat(limit - around), { [lastApplied]: "a".repeat(limit) }))).toEqual([]);
});

test("When other annotations are too large, it should be an error", () => {
  expect(sizeIssues(objectOf("", { own: "a".repeat(limit) }))).toMatchObject([
    { code: "TooLong", severity: "error", path: "metadata.annotations" },
  ]);
});
