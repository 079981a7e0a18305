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
  ["not TOML", "[[", ""],
  ["version 1", "[registries.search]\nregistries = ['a.io']\n", "version 1"],
  ["a scheme", registry("https://a.io", "m.lan"), "the container runtime refuses it"],
  ["an odd kind of mirror", `${registry("a.io", "m.lan")}pull-from-mirror = "digests"\n`, "pull-from-mirror"],
] as const)("When a drop-in is or has %s, it should be named with the problem", ([, contents, problem]) => {
  expect(tryLoadRegistries([main, textFile(dropInPath, contents)])).toEqual({
    file: textFile(dropInPath, contents),
    problem: expect.stringContaining(problem),
  });
});

/* What containers/image refuses of registries.d is compared in test/parity/node-files.test.ts; here is what a message names. */
const folder = "/etc/containers/registries.d/";
const rendered = textFile(
  nodePaths.sigstoreRegistries,
  "docker:\n  quay.io/a:\n    use-sigstore-attachments: true\n",
);
const beside = (text: string, name = "a.yaml") => textFile(`${folder}${name}`, text);

test.for([
  ["there is only the rendered one", [rendered], undefined],
  ["another has no .yaml", [rendered, beside("docker: [", "a.yml")], undefined],
  ["it is in a subfolder", [beside("docker: [", "a/b.yaml")], undefined],
  [
    "two define one name",
    [beside("docker: {quay.io/a: {}}"), rendered],
    `a.yaml: ${rendered.path} defines docker quay.io/a`,
  ],
  [
    "two define the default",
    [beside("default-docker: {}"), beside("default-docker: {}", "b.yaml")],
    `b.yaml: ${folder}a.yaml defines default-docker, too`,
  ],
  ["one is a list", [beside("[]")], "a.yaml: it is not a YAML object"],
  ["names a list", [beside("docker: [quay.io/a]")], "a.yaml: docker or default-docker is not a YAML object"],
  ["one has a text", [beside("docker: {quay.io/a: https://a.lan}")], "a.yaml: quay.io/a is not an object"],
  ["one is no YAML", [beside("docker: [a")], "a.yaml: it is not YAML: "],
] as const)(
  "When files of registries.d are read and $0, it should return the problem: $2",
  ([, files, problem]) => {
    const loaded = tryLoadRegistries(files);
    const found =
      "problem" in loaded ? `${loaded.file.path.slice(folder.length)}: ${loaded.problem}` : undefined;
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  },
);
