import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../test/support/outside-names/inherited-names.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { readManifests, writeManifest } from "./manifests.ts";

const idms = (name: string) =>
  `apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata:\n  name: ${name}\n`;

const json = (name: string) =>
  JSON.stringify({ apiVersion: "config.openshift.io/v1", kind: "ImageDigestMirrorSet", metadata: { name } });

const streams: readonly [name: string, text: string, found: readonly string[]][] = [
  ["When there is one document, it should read it", idms("a"), ["a@1:1"]],
  [
    "When a stream has several documents, it should return their numbers and lines",
    `${idms("a")}---\n${idms("b")}---\n# last\n${idms("c")}`,
    ["a@1:1", "b@2:6", "c@3:12"],
  ],
  [
    "When documents hold comments, blanks or nothing, it should skip them without counting",
    `# head\n\n---\n# only this\n---\n${idms("a")}---\n   \n---\n~\n---`,
    ["a@1:6"],
  ],
  [
    "When a marker is followed by a comment, it should still split",
    `--- # one\n${idms("a")}--- # two\r\n${idms("b")}`,
    ["a@1:2", "b@2:7"],
  ],
  [
    "When lines end as on Windows, it should still read them",
    `${idms("a")}---\n${idms("b")}`.replaceAll("\n", "\r\n"),
    ["a@1:1", "b@2:6"],
  ],
  ["When the file begins with a byte order mark, it should ignore it", `\uFEFF${idms("a")}`, ["a@1:1"]],
  ["When the file is empty, it should find nothing", "", []],
  ["When a block holds a marker, it should not split", `${idms("a")}data: |\n  ---\n  x: y\n`, ["a@1:1"]],
  [
    "When a stream has a List, it should expand it in place",
    `apiVersion: v1\nkind: List\nmetadata: {resourceVersion: ""}\nitems:\n- ${idms("a").replaceAll("\n", "\n  ")}\n- ${idms("b").replaceAll("\n", "\n  ")}`,
    ["a@1:5", "b@1:10"],
  ],
  [
    "When a typed list has items without kind, as the API server returns it, it should infer kind and version",
    "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSetList\nitems:\n- metadata:\n    name: a\n",
    ["a@1:4"],
  ],
  ["When a List is empty, it should find nothing", "kind: List\nitems:\n", []],
  ["When the text is JSON, it should read it", json("a"), ["a@1:1"]],
  [
    "When JSON objects follow, as of jq -c, it should read each",
    `${json("a")}\n${json("b")}`,
    ["a@1:1", "b@2:2"],
  ],
  [
    "When it is empty, it should be left out",
    `${idms("a")}  labels:\n  creationTimestamp: null\n`,
    ["a@1:1"],
  ],
];

test.for(streams)("$0", ([, text, found]) => {
  const { objects, issues } = readManifests(text, "mirrors.yaml");
  expect(issues).toEqual([]);
  expect(objects.map((at) => `${at.object.metadata.name}@${at.document}:${at.line}`)).toEqual(found);
  for (const { object, file } of objects) {
    expect(object).toEqual({
      apiVersion: "config.openshift.io/v1",
      kind: "ImageDigestMirrorSet",
      metadata: { name: object.metadata.name },
      ...("data" in object ? { data: "---\nx: y\n" } : {}),
    });
    expect(file).toBe("mirrors.yaml");
  }
});

const refused: readonly [
  name: string,
  text: string,
  issues: readonly string[],
  objects: readonly string[],
][] = [
  [
    "When one document is broken, it should name the position and read the others",
    `${idms("a")}---\nspec:\n  source: [a\n---\n${idms("b")}`,
    ["8:1 8:1 "],
    ["a", "b"],
  ],
  [
    "When a key is repeated, it should refuse the document instead of dropping a value",
    `${idms("a")}spec: {}\nspec: {}\n`,
    ['6:1 6:1 The key "spec" is given twice.'],
    [],
  ],
  ["When a tab indents, it should report the position", `${idms("a")}spec:\n\tx: y\n`, ["6:1 6:1 "], []],
  [
    "When apiVersion and name are missing, it should name both fields with their line",
    "# head\n---\nkind: ImageDigestMirrorSet\nmetadata:\n  labels: {}\n",
    ["3:1 apiVersion It is missing.", "4:1 metadata.name It is missing."],
    [],
  ],
  [
    "When a label is a boolean for YAML, it should ask for quotes",
    `${idms("a")}  labels:\n    on: "1"\n    example.org/old: yes\n`,
    ['7:5 metadata.labels["example.org/old"] It is a boolean and must be a string.'],
    [],
  ],
  [
    "When an item of a List is not an object, it should name the item",
    `kind: List\nitems:\n- text\n- ${idms("a").replaceAll("\n", "\n  ")}`,
    ["3:3 items[0] It is a string where a Kubernetes object was expected."],
    ["a"],
  ],
  [
    "When a document is a list or a text, it should give line and column",
    "- a\n- b\n---\nhello\n",
    [
      "1:1 1:1 It is a list where a Kubernetes object was expected.",
      "4:1 4:1 It is a string where a Kubernetes object was expected.",
    ],
    [],
  ],
  [
    "When a second document follows an end marker only, it should not lose it silently",
    `${idms("a")}...\n${idms("b")}`,
    ["6:1 6:1 A second document begins without a --- line."],
    [],
  ],
  [
    "When aliases multiply, it should stop",
    `a: &a [${"x,".repeat(9)}x]\n${["b", "c", "d", "e", "f", "g"].map((key, index) => `${key}: &${key} [${`*${"abcdef"[index]},`.repeat(9)}*${"abcdef"[index]}]`).join("\n")}\n`,
    ["5:29 5:29 The aliases add up to more than 100000 values."],
    [],
  ],
  [
    "When the content is nested too deeply, it should say so",
    `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`,
    ["1:106 1:106 The content is nested too deeply."],
    [],
  ],
  ["When YAML is nested too deeply, it should say so", `a: ${"[".repeat(5000)}`, ["nested too deeply"], []],
  ["When JSON is truncated, it should give its place", `{"apiVersion": "v1",\n "kind": `, ["2:10 2:10 "], []],
];

test.for(refused)("$0", ([, text, issues, objects]) => {
  const read = readManifests(text, "mirrors.yaml");
  expect(read.objects.map(({ object }) => object.metadata.name)).toEqual(objects);
  const reported = read.issues.map(
    ({ line, column, path, message }) => `${line}:${column} ${path} ${message}`,
  );
  for (const issue of issues) expect(reported.join("\n")).toContain(issue);
  for (const issue of read.issues) {
    expect(issue).toMatchObject({ code: "InvalidManifest", severity: "error", file: "mirrors.yaml" });
    expect(issue.object).toEqual({ kind: "File", name: "mirrors.yaml" });
    expect(issue.remedy).not.toBe("");
  }
});

test("When metadata is invalid, it should return the readable part, with the object's own paths", () => {
  const item = `kind: Image\n  apiVersion: config.openshift.io/v1\n  metadata:\n    name: a\n    annotations: {x: true, b: z}\n`;
  const { objects, damaged } = readManifests(`kind: List\nitems:\n- ${item}`, "mirrors.yaml");
  expect(objects).toEqual([]);
  expect(damaged).toMatchObject([
    {
      object: { kind: "Image", metadata: { name: "a", annotations: { b: "z" } } },
      issues: [{ object: { kind: "Image", name: "a" }, path: "metadata.annotations.x", line: 7, column: 19 }],
    },
  ]);
});

const written = [
  ["plain", "a b", "a b"],
  ["a word that YAML 1.1 takes for a boolean", "yes", '"yes"'],
  ["a text that YAML 1.1 has a type of its own for", "=", '"="'],
  ["a number", "010", '"010"'],
  ["a number with underscores", "1_000", '"1_000"'],
  ["a date", "2026-03-01", '"2026-03-01"'],
  ["a base-60 number", "1:30", '"1:30"'],
  ["several lines", "a\nb\n", "|\n  a\n  b"],
  ["several lines, the first with a tab", "\ta\nb", '"\\ta\\nb"'],
  ["several lines, the first empty", "\n\ta", '"\\n\\ta"'],
  ["a line of blanks", "a\n  \nb", '"a\\n \\ \\nb"'],
  ["a character that readers drop", "a\uFEFFb", '"a\\ufeffb"'],
  ["long", "word ".repeat(50).trim(), "word ".repeat(50).trim()],
] as const;

test.for(written)(
  "When a text is %s, it should be written so that every reader gets it back",
  ([, value, yaml]) => {
    expect(writeManifest({ apiVersion: "v1", kind: "A", metadata: { name: "a" }, text: value })).toBe(
      `apiVersion: v1\nkind: A\nmetadata:\n  name: a\ntext: ${yaml}\n`,
    );
  },
);

const key = fc.oneof(fc.string(), fc.constantFrom("on", "y", "<<", "1", "null", "__proto__", "a: b"));
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: anyCharacter }),
  fc.stringMatching(/^[\d_.eE+:xob-]{1,8}$/),
  fc.constantFrom("yes", "No", "~", "2024-01-01", "1:30", "a\n\n", " a\n b ", "\u0085", "\uFEFF", "--- a\n"),
);
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number || 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

test("When an object is written and read again, it should be the same", () => {
  fc.assert(
    fc.property(anyJson, text, (spec, annotation) => {
      const object: KubernetesObject = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a", annotations: { note: annotation } },
        spec,
      };
      expect(readManifests(writeManifest(object), "a.yaml")).toEqual({
        objects: [{ object, file: "a.yaml", document: 1, line: 1, path: [] }],
        issues: [],
      });
    }),
    { numRuns: 300 },
  );
});

test("When any text is read, it should return and never throw", () => {
  const soup = fc
    .array(
      fc.oneof(
        fc.string(),
        fc.constantFrom("---\n", "- ", "a: ", "{", "[", "&a ", "*a", "\n  ", "<<: ", "'", "|\n"),
      ),
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(soup, (input) => {
      const { objects, issues } = readManifests(input, "a.yaml");
      for (const { path, message } of issues) expect([path, message]).not.toContain("");
      expect(objects).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test.for([
  ["in a folder", true],
  ["as itself", false],
] as const)("When a source of a generator is read %s, it should count as a template", ([, isInFolder]) => {
  const text =
    "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata: {name: a-$ns}\nspec: {}\n";
  const read = readManifests(text, "f.yaml", { isInFolder });
  expect(read.issues.map(({ code }) => code)).toEqual([]);
  expect(read.unread).toEqual([{ what: "f.yaml", why: "template", count: 1 }]);
});

const filledIn = (kind: string, spec: string) =>
  `apiVersion: ${kind === "MachineConfig" ? "machineconfiguration" : "config"}.openshift.io/v1\nkind: ${kind}\nmetadata: {name: a}\nspec: ${spec}\n`;
const fileOf = (source: string) => `{config: {storage: {files: [{contents: {source: "data:${source}"}}]}}}`;

test.for([
  ["Go's", filledIn("ImageDigestMirrorSet", '{imageDigestMirrors: [{source: "{{ .registry }}/a"}]}'), true],
  ["Jinja's", filledIn("Image", '{registrySources: {blockedRegistries: ["{% if a %}b{% endif %}"]}}'), true],
  ["OpenShift's", filledIn("ImageTagMirrorSet", `{imageTagMirrors: [{source: "\${REGISTRY}/a"}]}`), true],
  ["the shell's", filledIn("ImageDigestMirrorSet", '{imageDigestMirrors: [{mirrors: ["$REG/a"]}]}'), true],
  [
    "a whole file",
    filledIn("MachineConfig", fileOf("text/plain;base64,{{ lookup('f') | b64encode }}")),
    true,
  ],
  ["no", filledIn("MachineConfig", fileOf(",echo%20$HOME")), false],
] as const)(
  "When a command reads an object with %s placeholder, it should count as a template: $2",
  ([, text, isTemplate]) => {
    const read = readManifests(text, "f.yaml", { readsEmbedded: true });
    expect(read.objects).toHaveLength(isTemplate ? 0 : 1);
    expect(read.unread).toEqual(isTemplate ? [{ what: "f.yaml", why: "template", count: 1 }] : undefined);
  },
);

test.for([
  ["no kind", "[[registry]]\n  location = a", 0],
  ["a kind of another program", "kind: Deployment\nspec: [", 0],
  ["a kind that is read", "items:\n- kind: ImageDigestMirrorSet\n  spec: [", 1],
  ["a kind that cannot be read", "kind: [", 1],
  ["the field of an install-config", "baseDomain: lab\nplatform: [", 1],
] as const)(
  "When a file in a folder is no YAML and names %s, it should have %2$i errors",
  ([, text, errors]) => {
    const read = readManifests(text, "f.yaml", { isInFolder: true });
    expect(read.issues).toHaveLength(errors);
    expect(read.ignored ?? 0).toBe(1 - errors);
  },
);

test.for([
  ["IngressController", 0],
  ["ImageDigestMirrorSet", 1],
  ["ImageDigestMirrorset", 1],
] as const)("When an object without a name is of kind %s, it should have %i errors", ([kind, errors]) => {
  const text = `apiVersion: operator.openshift.io/v1\nkind: ${kind}\nmetadata: {namespace: a}\n`;
  const read = readManifests(text, "f.yaml", { isInFolder: true });
  expect(read.issues).toHaveLength(errors);
  expect(read.ignored ?? 0).toBe(1 - errors);
});
