import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { issueCodes } from "#shared/domain/issues/issue-codes.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { corpusTopics, objectsIn } from "./support/corpus/corpus.ts";
import { corpusReport } from "./support/corpus/corpus-report.ts";

const topics = corpusTopics();
const files = topics
  .flatMap(({ cases }) => cases)
  .map((file) => ({ ...file, read: readManifests(file.text, "file.yaml") }));

// `npx vitest run --project fast test/corpus.test.ts -u` writes what is found into the files: review what changes.
test.for(topics)(
  "When the manifests of $topic are read, the results should be what its .expected file says",
  async ({ topic, cases, expected }) => {
    const results = cases.map(({ name, text }) => `# ${name.slice(topic.length + 1)}\n${corpusReport(text)}`);
    await expect(results.join("\n")).toMatchFileSnapshot(expected);
  },
);

test.for(files)("When $name is read, every issue should name object, field and remedy", ({ read }) => {
  const { objects, issues: unreadable } = read;
  const { issues } = configureMirrors({ objects: objects.map(({ object }) => object) });
  for (const { object, path, message, remedy } of [...unreadable, ...issues]) {
    for (const part of [object.kind, object.name, path, message, remedy]) expect(part).not.toBe("");
  }
});

test("When the files have issues, the severity of each should be that of its code", async () => {
  const severities = new Map(issueCodes.map(({ code, severity }) => [code, severity]));
  const reports = await Promise.all(topics.map(({ expected }) => readFile(expected, "utf8")));
  const found = reports.flatMap((report) => [...report.matchAll(/^ +(error|warning) ([A-Z]\w+) /gm)]);
  expect(found.length).toBeGreaterThan(100);
  const others = found.filter(
    ([, severity = "", code = ""]) => ![severity, "either"].includes(severities.get(code) ?? ""),
  );
  expect(others.map(([line]) => line.trim())).toEqual([]);
});

const spellings: readonly Readonly<{ name: string; spelled: (text: string) => string }>[] = [
  { name: "has Windows line ends", spelled: (text) => text.replaceAll(/\r?\n/g, "\r\n") },
  { name: "has no Windows line ends", spelled: (text) => text.replaceAll("\r\n", "\n") },
  { name: "begins with a byte order mark", spelled: (text) => `\uFEFF${text}` },
  { name: "lacks the last line end", spelled: (text) => text.replace(/\r?\n$/, "") },
  { name: "ends with blank lines", spelled: (text) => `${text}\n\n  \n` },
  { name: "ends with a separator", spelled: (text) => `${text.replace(/\r?\n$/, "")}\n---\n` },
];

test.for(spellings)("When a file $name, its objects and issues should be the same", ({ spelled }) => {
  for (const { name, text, read } of files)
    expect(readManifests(spelled(text), "file.yaml"), name).toEqual(read);
});

test("When objects come as a JSON list, they should be the same as in YAML", () => {
  for (const { name, text } of files) {
    const objects = objectsIn(text);
    expect(objectsIn(JSON.stringify({ apiVersion: "v1", kind: "List", items: objects })), name).toEqual(
      objects,
    );
  }
});
