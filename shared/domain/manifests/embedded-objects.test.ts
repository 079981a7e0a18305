import { expect, test } from "vitest";
import { displayName } from "../kubernetes/object.ts";
import { configureMirrors, mirrorInputOf } from "../mirrors/configuration.ts";
import { mirrorSetsOf } from "../mirrors/input/assisted-mirrors.ts";
import { withPlaces } from "./issue-places.ts";
import { joined, type LocatedObject, type ReadManifests } from "./located-object.ts";
import { readManifests } from "./manifests.ts";

const options = { readsEmbedded: true, readRegistriesConf: mirrorSetsOf };

const mirrors = (name: string, indent: number) =>
  [
    "apiVersion: config.openshift.io/v1",
    "kind: ImageDigestMirrorSet",
    `metadata: {name: ${name}}`,
    "spec:",
    "  imageDigestMirrors:",
    `  - source: ${name}.example`,
  ]
    .map((line) => `${" ".repeat(indent)}${line}`)
    .join("\n");

/** A template of a policy, in a list that is indented by eight columns. */
const template = (name: string, compliance = "musthave") =>
  `        - complianceType: ${compliance}\n          objectDefinition:\n${mirrors(name, 12)}`;

const policy = (action: string, templates: string) => `apiVersion: policy.open-cluster-management.io/v1
kind: Policy
metadata: {name: mirrors, namespace: policies}
spec:
  remediationAction: ${action}
  policy-templates:
  - objectDefinition:
      apiVersion: policy.open-cluster-management.io/v1
      kind: ConfigurationPolicy
      metadata: {name: mirrors}
      spec:
${templates}
`;
const templates = (...items: readonly string[]) => `        object-templates:\n${items.join("\n")}`;
const raw = (...items: readonly string[]) =>
  `        object-templates-raw: |\n${items.join("\n").replaceAll(/^/gm, "  ")}`;
const configMap = (field: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: clusters}\ndata:\n${field}\n`;

const enforced = policy("enforce", templates(template("a")));
const disabled = (text: string) => text.replace("spec:", "spec:\n  disabled: true");

/** Reads also what policies hold; a ClusterGroupUpgrade may enforce them. */
function read(text: string, isEnforced = false): ReadManifests {
  const { informing = [], ...one } = readManifests(text, "f.yaml", { readsEmbedded: true });
  return joined([one, ...informing.map(({ contents }) => contents(isEnforced))]);
}

/** Where an issue about this path of an object has its line. */
function placeOf(located: LocatedObject, path: string, text: string) {
  const { kind, metadata } = located.object;
  const about = { code: "InvalidSource", severity: "error", value: 1, message: "m", remedy: "r" } as const;
  const issue = { ...about, object: { kind, name: metadata.name }, path };
  return withPlaces([issue], [located], [{ file: "f.yaml", text }])[0];
}

/** The objects inside, each with the line that has its source. */
function found(text: string): readonly string[] {
  const { embedded = [] } = read(text);
  return embedded.map((located) => {
    const { kind, metadata } = located.object;
    const path = kind === "Image" ? "spec.registrySources" : "spec.imageDigestMirrors[0].source";
    const placed = placeOf(located, path, text);
    return `${metadata.name} in ${located.within?.kind}: ${placed?.line}:${placed?.column}`;
  });
}
const lineOf = (text: string, part: string) => text.split("\n").findIndex((line) => line.includes(part)) + 1;

test.for([
  ["a policy", enforced, "a in Policy", 17],
  ["a raw text of a policy", policy("Enforce", raw(template("a", "mustonlyhave"))), "a in Policy", 19],
  ["a block of a ConfigMap", configMap(`  config: |-\n\n${mirrors("a", 4)}`), "a in ConfigMap", 9],
  [
    "the second document of a ConfigMap",
    configMap(`  a.yaml: | # two\n    # nothing\n    ---\n${mirrors("a", 4)}`),
    "a in ConfigMap",
    9,
  ],
  [
    "a work",
    `apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {name: w, namespace: c}\nspec:\n  workload:\n    manifests:\n    -\n${mirrors("a", 6)}`,
    "a in ManifestWork",
    11,
  ],
] as const)("When %s holds an object, its fields should have their own lines", ([, text, name, column]) => {
  expect(found(text)).toEqual([`${name}: ${lineOf(text, "source: a.example")}:${column}`]);
});

const registries = `  registries.conf: |
    unqualified-search-registries = ["a.io"]
    [[registry]]
    location = "quay.io/first"
    [[registry.mirror]]
    location = "m.lan/first"
    [[registry]]
    location = "quay.io/second"
    [[registry.mirror]]
    location = "m.lan/tags"
    pull-from-mirror = "tag-only"
    [[registry.mirror]]
    location = "m.lan/digests"
    [[registry.mirror]]
    location = "m.lan/neither"
    pull-from-mirror = "all"`;

test("When a ConfigMap has the mirrors of clusters to install, they should be mirror sets with the lines of their tables", () => {
  const text = configMap(registries);
  const { embedded = [] } = readManifests(text, "f.yaml", options);
  const [first, second] = [lineOf(text, 'location = "quay.io/first') - 1, lineOf(text, "quay.io/second") - 1];
  const shown = embedded.flatMap((located) =>
    Object.entries(Object(located.object.spec)).flatMap(([field, rules]) =>
      (rules as readonly { source: string; mirrors: string[] }[]).map(({ source, mirrors }, index) => {
        const line = placeOf(located, `spec.${field}[${index}].source`, text)?.line;
        return [located.object.kind, source, mirrors.join(), line].join(" ");
      }),
    ),
  );
  expect(shown).toEqual([
    `ImageDigestMirrorSet quay.io/first m.lan/first ${first}`,
    `ImageDigestMirrorSet quay.io/second m.lan/digests ${second}`,
    `ImageTagMirrorSet quay.io/second m.lan/tags ${second}`,
  ]);
});

const ofConfigMap = 'ConfigMap/clusters/extra data["registries.conf"].registry';
const hostedCluster = (image: string) => `apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata: {name: h, namespace: clusters}
spec:
  configuration:
    image:
      ${image}
`;

test.for([
  [
    "mirrors of clusters to install",
    configMap(
      registries
        .replace("m.lan/digests", "https://m.lan/digests")
        .replace("quay.io/first", "quay.io/first:1"),
    ),
    [
      `${ofConfigMap}[0].location invalid format for source "quay.io/first:1"`,
      `${ofConfigMap}[1].mirror[1].location invalid format for mirror "https://m.lan/digests"`,
    ],
  ],
  [
    "the Image of a hosted cluster",
    hostedCluster("registrySources: {insecure: [], blockedRegistries: 1}"),
    [
      "HostedCluster/clusters/h spec.configuration.image.registrySources.insecure HostedCluster has no such field",
      "HostedCluster/clusters/h spec.configuration.image.registrySources.blockedRegistries spec.configuration.image.registrySources.blockedRegistries must be a list of strings, but is a number Write spec.configuration.image.registrySources.blockedRegistries as",
    ],
  ],
] as const)(
  "When %s has issues, they should have the names of the object that holds it",
  ([, text, expected]) => {
    const { embedded = [] } = readManifests(text, "f.yaml", options);
    const { issues } = configureMirrors(mirrorInputOf(embedded.map(({ object }) => object)));
    const placed = withPlaces(issues, embedded, [{ file: "f.yaml", text }]);
    expect(
      placed.map(
        ({ object, path, message, remedy }) => `${displayName(object)} ${path} ${message} ${remedy}`,
      ),
    ).toEqual(expected.map((start) => expect.stringContaining(start)));
  },
);

test("When the mirrors of clusters to install are no TOML, the issue should be at the line", () => {
  const text = configMap(`${registries}\n    [[registry`);
  const { issues } = readManifests(text, "f.yaml", options);
  expect(issues).toMatchObject([{ code: "InvalidManifest", line: text.split("\n").length - 1 }]);
});

test("When a ConfigMap holds an object in quotes, its fields should have the line of the text", () => {
  const text = configMap(`  config: ${JSON.stringify(mirrors("a", 0))}`);
  expect(found(text)).toEqual(["a in ConfigMap: 5:3"]);
});

test("When a HostedCluster configures images, the field should be the Image of its nodes", () => {
  expect(found(hostedCluster("registrySources: {}"))).toEqual(["cluster in HostedCluster: 7:7"]);
});

test.for([
  ["only informs", policy("inform", templates(template("a"))), "not-enforced"],
  ["removes", policy("enforce", templates(template("a", "mustnothave"))), "not-enforced"],
  ["is disabled", disabled(enforced), "not-enforced"],
  ["has a template", enforced.replace("a.example", "'{{hub .x hub}}'"), "template"],
  ["has a template in raw text", policy("enforce", raw("        # {{ range }}", template("a"))), "template"],
  ["holds a policy of another kind", enforced.replace("ConfigurationPolicy", "OperatorPolicy"), "kind"],
  ["only informs of other kinds", policy("inform", templates(template("a")).replace("ImageDi", "Di")), ""],
  ["holds other kinds", configMap("  a.yaml: |\n    kind: Service\n    apiVersion: v1"), ""],
  ["holds image streams", configMap("  a.yaml: |\n    kind: ImageStream\n    metadata: {"), ""],
  ["holds a script", configMap(`  a.sh: |\n    cat <<EOF\n${mirrors("a", 4)}\n    EOF`), ""],
  ["is given to a reader of a hub", "", ""],
] as const)("When an object %s, nothing in it should be read, and it should say so", ([, text, why]) => {
  expect(found(text)).toEqual([]);
  const { unread = [], issues } = read(text);
  expect(issues).toEqual([]);
  expect(unread).toEqual(why === "" ? [] : [{ what: "Policy/policies/mirrors", why, count: 1 }]);
  expect(readManifests(text, "f.yaml").embedded).toBeUndefined();
});

test.for([
  ["it informs", policy("inform", templates(template("a"))), 1],
  ["its template informs", enforced.replace("  remediationAction: enforce\n", ""), 1],
  [
    "its template never acts",
    policy("inform", `        remediationAction: InformOnly\n${templates(template("a"))}`),
    0,
  ],
  ["it removes", policy("inform", templates(template("a", "mustnothave"))), 0],
  ["it is disabled", disabled(policy("inform", templates(template("a")))), 0],
] as const)(
  "When another object has a policy enforced and %s, it should hold %i object",
  ([, text, count]) => {
    expect(read(text, true).embedded ?? []).toHaveLength(count);
  },
);

test("When a text in a ConfigMap has a template, it should be named as unread", () => {
  const text = configMap(`  config: |\n${mirrors("a", 4).replace("a.example", "{{ .source }}")}`);
  const { unread } = readManifests(text, "f.yaml", { readsEmbedded: true });
  expect(unread).toEqual([{ what: "ConfigMap/clusters/extra", why: "template", count: 1 }]);
});

test("When a text in a ConfigMap is no YAML, the issue should be at its line", () => {
  const text = configMap(`  config: |\n${mirrors("a", 4)}\n    }`);
  const { issues } = readManifests(text, "f.yaml", { readsEmbedded: true });
  expect(issues).toMatchObject([{ code: "InvalidManifest", file: "f.yaml", line: lineOf(text, "    }") }]);
});
