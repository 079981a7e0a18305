import { expect, test } from "vitest";
import { dropInPath } from "../../openshift/machine-config/fixtures.ts";
import { nodePaths, textFile } from "../../openshift/machine-config/node-file.ts";
import { tryLoadRegistries } from "./load-registries.ts";
import { scopeOf } from "./registries-conf.ts";

const { registriesConf, searchRegistries } = nodePaths;

function registry(scope: string, mirror: string): string {
  return `[[registry]]\nlocation = "${scope}"\n[[registry.mirror]]\nlocation = "${mirror}"\n`;
}

/** Maps each scope to its mirrors and its file. */
function entriesOf(...files: Parameters<typeof tryLoadRegistries>): Record<string, string> {
  const loaded = tryLoadRegistries(...files);
  if ("problem" in loaded) throw new Error(loaded.problem);
  const { entries, fileOf } = loaded;
  return Object.fromEntries(
    entries.map((entry) => [
      scopeOf(entry),
      `${entry.mirrors.map(({ location }) => location)} ${fileOf(entry).path}`,
    ]),
  );
}

const main = textFile(registriesConf, registry("a.io", "m.lan") + registry("b.io", "m.lan"));

test("When a drop-in has the scope of another entry, it should replace that as a whole", () => {
  const dropIn = textFile(dropInPath, `${registry("a.io/", "tags.lan")}${registry("a.io", "unused.lan")}`);
  expect(entriesOf([main, dropIn])).toEqual({
    "a.io/": `tags.lan ${dropInPath}`,
    "b.io": `m.lan ${registriesConf}`,
  });
});

test("When several drop-ins have one scope, the last by name should count", () => {
  const path = (name: string) => `/etc/containers/registries.conf.d/${name}.conf`;
  const some = ["10", "9", "Z"].map((name) => textFile(path(name), registry("a.io", `${name}.lan`)));
  expect(entriesOf([...some, main])["a.io"]).toBe(`Z.lan ${path("Z")}`);
});

test("When a file is missing, the template should stand for it", () => {
  expect(entriesOf([], registry("a.io", "t.lan"))).toEqual({ "a.io": `t.lan ${registriesConf}` });
  expect(entriesOf([textFile(nodePaths.policy, "{}")])).toEqual({});
});

test("When drop-ins have lists, the last list should count, an empty one included", () => {
  const lists = (list: string) =>
    tryLoadRegistries([
      textFile(registriesConf, `unqualified-search-registries = ["a.io"]\n[aliases]\nx = "a.io/x"\n`),
      textFile(searchRegistries, `${list}[aliases]\ny = "a.io/y"\n`),
    ]);
  expect(lists("unqualified-search-registries = []\n")).toMatchObject({
    search: [],
    aliases: { x: "a.io/x", y: "a.io/y" },
    searchFile: { path: searchRegistries },
  });
  expect(lists("")).toMatchObject({ search: ["a.io"], searchFile: { path: registriesConf } });
});

test("When registries.conf has version 1, its tables should count, and be named", () => {
  const text =
    '[registries.search]\nregistries = ["a.io/"]\n[registries.block]\nregistries = ["b.io"]\n[registries.insecure]\nregistries = ["b.io/", "c.io"]\n';
  expect(tryLoadRegistries([textFile(registriesConf, text)])).toMatchObject({
    search: ["a.io"],
    entries: [
      { location: "b.io", blocked: true, insecure: true },
      { location: "c.io", blocked: false, insecure: true },
    ],
    version1: { version1: "[registries.search], [registries.insecure], [registries.block]" },
  });
});

test.for([
  { name: "not TOML", contents: "[[", problem: "" },
  { name: "version 1", contents: "[registries.search]\nregistries = ['a.io']\n", problem: "version 1" },
  {
    name: "both versions",
    contents: "unqualified-search-registries = ['a.io']\n[registries.block]\nregistries = ['a.io']\n",
    problem: "mixes version 1",
  },
  {
    name: "a scheme",
    contents: registry("https://a.io", "m.lan"),
    problem: "the container runtime refuses it",
  },
  {
    name: "an unknown kind of mirror",
    contents: `${registry("a.io", "m.lan")}pull-from-mirror = "digests"\n`,
    problem: "unsupported pull-from-mirror",
  },
])("When a drop-in is or has $name, it should be named with the problem", ({ contents, problem }) => {
  expect(tryLoadRegistries([main, textFile(dropInPath, contents)])).toEqual({
    file: textFile(dropInPath, contents),
    problem: expect.stringContaining(problem),
  });
});

const folder = "/etc/containers/registries.d/";
const rendered = textFile(
  nodePaths.sigstoreRegistries,
  "docker:\n  quay.io/a:\n    use-sigstore-attachments: true\n",
);
const beside = (text: string, name = "a.yaml") => textFile(`${folder}${name}`, text);

test.for([
  { name: "there is only the rendered one", files: [rendered], problem: undefined },
  {
    name: "another has other names",
    files: [rendered, beside("docker: {quay.io/b: {}}")],
    problem: undefined,
  },
  { name: "another is empty", files: [rendered, beside("")], problem: undefined },
  { name: "another has no .yaml", files: [rendered, beside("docker: [", "a.yml")], problem: undefined },
  { name: "it is in a subfolder", files: [beside("docker: [", "a/b.yaml")], problem: undefined },
  {
    name: "two define one name",
    files: [beside("docker: {quay.io/a: {}}"), rendered],
    problem: `a.yaml: ${rendered.path} defines docker quay.io/a, too`,
  },
  {
    name: "two define the default",
    files: [beside("default-docker: {}"), beside("default-docker: {}", "b.yaml")],
    problem: `b.yaml: ${folder}a.yaml defines default-docker, too`,
  },
  { name: "one is a list", files: [beside("[]")], problem: "a.yaml: it is not a YAML object" },
  {
    name: "one has a list of names",
    files: [beside("docker: [quay.io/a]")],
    problem: "a.yaml: docker or default-docker is not a YAML object",
  },
  {
    name: "one has a text for a namespace",
    files: [beside("docker: {quay.io/a: https://a.lan}")],
    problem: "a.yaml: quay.io/a is not an object",
  },
  {
    name: "one has a list for a place",
    files: [beside("default-docker: {lookaside: [a]}")],
    problem: "a.yaml: default-docker is not an object",
  },
  {
    name: "one has a text for a switch",
    files: [beside("docker: {quay.io/a: {use-sigstore-attachments: maybe}}")],
    problem: "a.yaml: quay.io/a is not an object",
  },
  {
    name: "one has an empty namespace and a switch",
    files: [beside("docker: {quay.io/a: , quay.io/b: {use-sigstore-attachments: true, lookaside: 1}}")],
    problem: undefined,
  },
  { name: "one has no names", files: [beside("docker:\ndefault-docker:\n")], problem: undefined },
  { name: "one is no YAML", files: [beside("docker: [a")], problem: "a.yaml: it is not YAML: " },
])(
  "When files of registries.d are read and $name, it should return the problem: $problem",
  ({ files, problem }) => {
    const loaded = tryLoadRegistries(files);
    const found =
      "problem" in loaded ? `${loaded.file.path.slice(folder.length)}: ${loaded.problem}` : undefined;
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  },
);
