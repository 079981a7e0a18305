import { describe, expect, test } from "vitest";
import { maxDepth } from "../../manifests/yaml-value.ts";
import { migrateOcCompat } from "./migrate-oc-compat.ts";
import { isKnownToOc } from "./oc-kinds.ts";

const policy = (metadata: string, spec = "spec: {}") =>
  `apiVersion: operator.openshift.io/v1alpha1\nkind: ImageContentSourcePolicy\nmetadata: ${metadata}\n${spec}\n`;
const mirrorSet = (metadata: string, rules = "imageDigestMirrors: []") =>
  `apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata:${metadata}\nspec:\n    ${rules}\n`;
const named = (name: string) => mirrorSet(`\n    name: ${name}`);

describe("results", () => {
  test("When all metadata is there, it should keep everything but creationTimestamp", () => {
    const text = `
apiVersion: operator.openshift.io/v1alpha1
kind: ImageContentSourcePolicy
metadata:
  name: acme
  uid: "1234"
  resourceVersion: "55"
  generation: 3
  creationTimestamp: "2020-01-01T00:00:00Z"
  labels: {on: "yes", v10: "1e3", v9: a}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"kind":"ImageContentSourcePolicy"}
  finalizers: [a/b]
  ownerReferences:
  - {apiVersion: v1, kind: ConfigMap, name: x, uid: "y", controller: true}
  unknown: field
spec:
  repositoryDigestMirrors:
  - source: quay.io/a
    mirrors: []
  - source: quay.io/b
    mirrors: [m1:5000/b, m1:5000/b, "*.bad"]
    mirrorSourcePolicy: NeverContactSource
  - mirrors: [null]
status: {}
`;
    expect(migrateOcCompat(text, "icsp.yaml")).toEqual({
      name: "acme",
      text: `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
    annotations:
        kubectl.kubernetes.io/last-applied-configuration: |
            {"kind":"ImageContentSourcePolicy"}
    finalizers:
        - a/b
    generation: 3
    labels:
        "true": "yes"
        v9: a
        v10: "1e3"
    name: acme
    ownerReferences:
        - apiVersion: v1
          controller: true
          kind: ConfigMap
          name: x
          uid: "y"
    resourceVersion: "55"
    uid: "1234"
spec:
    imageDigestMirrors:
        - source: quay.io/a
        - mirrors:
            - m1:5000/b
            - m1:5000/b
            - '*.bad'
          source: quay.io/b
        - mirrors:
            - ""
          source: ""
`,
    });
  });

  test.for([
    {
      name: "JSON",
      text: '{"apiVersion":"operator.openshift.io/v1alpha1","kind":"ImageContentSourcePolicy","metadata":{"name":"j"}}',
      expected: { name: "j", text: named("j") },
    },
    {
      name: "two documents",
      text: `---\n${policy("{name: a}")}--- # b\r\n${policy("{name: b}")}---\n`,
      expected: { name: "a", text: `${named("a")}---\n${named("b")}` },
    },
    {
      name: "Windows line ends and no line end in the last line",
      text: policy("{name: a}").replaceAll("\n", "\r\n").trimEnd(),
      expected: { name: "a", text: named("a") },
    },
    {
      name: "a byte order mark",
      text: `\uFEFF${policy("{name: a}")}`,
      expected: { name: "a", text: named("a") },
    },
    {
      name: "JSON with nulls",
      text: '{"apiVersion":"operator.openshift.io/v1alpha1","kind":"ImageContentSourcePolicy","metadata":{"name":"j"},"spec":null}',
      expected: { name: "j", text: named("j") },
    },
    { name: "an object without a name", text: policy("{}"), expected: { name: "", text: mirrorSet(" {}") } },
    {
      name: "a key that is given twice",
      text: policy("{name: a, name: b}"),
      expected: { name: "b", text: named("b") },
    },
  ])("When the file is $name, it should convert it", ({ text, expected }) => {
    expect(migrateOcCompat(text, "icsp.yaml")).toEqual(expected);
  });
});

describe("refusals", () => {
  const decoding = "error decoding ImageContentSourcePolicy from f:";
  const scheme =
    'in scheme "github.com/openshift/client-go/operator/clientset/versioned/scheme/register.go:15"';
  const good = policy("{name: a}");
  const kindMissing = (text: string) => `${decoding} Object 'Kind' is missing in '${text}'`;

  test.for([
    { text: "", error: "no data found in ImageContentSourceFile f" },
    { text: "\n", error: kindMissing("\n") },
    { text: "# only", error: kindMissing("# only\n") },
    { text: "---\n---\n", error: kindMissing("---\n") },
    { text: `# a\n---\n${good}`, error: kindMissing("# a\n") },
    { text: `${good}---\n---\n`, error: kindMissing("---\n") },
    { text: "apiVersion: v1\nkind:\n", error: kindMissing("apiVersion: v1\nkind:\n") },
    {
      text: "kind: ImageContentSourcePolicy",
      error: `${decoding} Object 'apiVersion' is missing in 'kind: ImageContentSourcePolicy\n'`,
    },
    {
      text: `${good}--- x\n`,
      error: "error reading ImageContentSourcePolicy from f: invalid Yaml document separator: x",
    },
    {
      text: `kind: 3\n--- x\n`,
      error: "error reading ImageContentSourcePolicy from f: invalid Yaml document separator: x",
    },
    { text: "apiVersion: a/b/c\nkind: x", error: `${decoding} unexpected GroupVersion string: a/b/c` },
    {
      text: "apiVersion: v1\nkind: List",
      error: `${decoding} no kind "List" is registered for version "v1" ${scheme}`,
    },
    {
      text: good.replace("v1alpha1", "v1"),
      error: `${decoding} no kind "ImageContentSourcePolicy" is registered for version "operator.openshift.io/v1" ${scheme}`,
    },
    { text: good.replace("Policy", "PolicyList"), error: "could not decode ImageContentSourcePolicy from f" },
    {
      text: "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet",
      error: "could not decode ImageContentSourcePolicy from f",
    },
    {
      text: `${good}---\napiVersion: operator.openshift.io/v1\nkind: OLM`,
      error: "could not decode ImageContentSourcePolicy from f",
    },
    {
      text: "kind: 3",
      error: `${decoding} couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string`,
    },
    {
      text: "[]",
      error: `${decoding} couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    },
    {
      text: policy("{name: a}", "spec: {repositoryDigestMirrors: [{source: y, mirrors: [no]}]}"),
      error: `${decoding} json: cannot unmarshal bool into Go struct field RepositoryDigestMirrors.spec.repositoryDigestMirrors.mirrors of type string`,
    },
    {
      text: policy("{name: a}", "spec: {repositoryDigestMirrors: [x]}"),
      error: `${decoding} json: cannot unmarshal string into Go struct field ImageContentSourcePolicySpec.spec.repositoryDigestMirrors of type v1alpha1.RepositoryDigestMirrors`,
    },
    {
      text: policy("{name: a}", "spec: {repositoryDigestMirrors: 5}"),
      error: `${decoding} json: cannot unmarshal number into Go struct field ImageContentSourcePolicySpec.spec.repositoryDigestMirrors of type []v1alpha1.RepositoryDigestMirrors`,
    },
    {
      text: "apiVersion: /v1\nkind: List",
      error: `${decoding} no kind "List" is registered for version "v1" ${scheme}`,
    },
    // YAML's keys are sorted before they are decoded, JSON's are not.
    {
      text: policy("1", "spec: 2"),
      error: `${decoding} json: cannot unmarshal number into Go struct field ImageContentSourcePolicy.metadata of type v1.ObjectMeta`,
    },
    {
      text: ' \t\r\n{"spec": 2, "metadata": 1, "apiVersion": "operator.openshift.io/v1alpha1", "kind": "ImageContentSourcePolicy"}',
      error: `${decoding} json: cannot unmarshal number into Go struct field ImageContentSourcePolicy.spec of type v1alpha1.ImageContentSourcePolicySpec`,
    },
  ])("When the file is $text, it should refuse it in oc's words", ({ text, error }) => {
    expect(migrateOcCompat(text, "f")).toEqual({ error });
  });

  test("When JSON is nested as deeply as can be read, it should be read, and no deeper", () => {
    const nested = (lists: number) =>
      migrateOcCompat(`{"z": 1, "a": ${"[".repeat(lists)}${"]".repeat(lists)}}`, "f");
    expect(nested(maxDepth)).toEqual({ error: expect.stringContaining("Object 'Kind' is missing") });
    expect(nested(maxDepth + 1)).toEqual({ error: expect.stringContaining("exceeded max depth") });
  });

  test.for([
    {
      name: "JSON after a vertical tab",
      text: "\v{}",
      begin: `${decoding} couldn't get version/kind; json parse`,
    },
    { name: "YAML", text: `${good}  a: [b\n`, begin: `${decoding} yaml: line ` },
    {
      name: "JSON that can be read",
      text: `{"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      begin: `${decoding} couldn't get version/kind; json parse error: `,
    },
    { name: "JSON", text: "{a: 1}", begin: `${decoding} couldn't get version/kind; json parse error: ` },
  ])("When the file is not $name, it should report that", ({ text, begin }) => {
    const result = migrateOcCompat(text, "f");
    expect("error" in result && result.error.startsWith(begin)).toBe(true);
  });
});

test.for([
  { apiVersion: "operator.openshift.io/v1alpha1", kind: "OLMList", known: true },
  { apiVersion: "config.openshift.io/v1", kind: "WatchEvent", known: true },
  { apiVersion: "config.openshift.io/v1", kind: "APIServer", known: true },
  { apiVersion: "config.openshift.io/v1", kind: "ImageTagMirrorSetList", known: true },
  { apiVersion: "config.openshift.io/v1", kind: "SchedulerList", known: true },
  { apiVersion: "operator.openshift.io/v1", kind: "IngressController", known: true },
  { apiVersion: "operator.openshift.io/v1", kind: "KubeSchedulerList", known: true },
  { apiVersion: "operator.openshift.io/v1", kind: "Storage", known: true },
  { apiVersion: "operator.openshift.io/v1", kind: "UpdateOptions", known: true },
  { apiVersion: "operator.openshift.io/v1alpha1", kind: "GenericOperatorConfig", known: true },
  { apiVersion: "operator.openshift.io/v1alpha1", kind: "GenericOperatorConfigList", known: false },
  { apiVersion: "v1", kind: "Status", known: true },
  { apiVersion: "v1", kind: "StatusList", known: false },
  { apiVersion: "v1", kind: "ConfigMap", known: false },
  { apiVersion: "constructor", kind: "name", known: false },
  { apiVersion: "v1", kind: "", known: false },
])("When the kind is $apiVersion $kind, oc should know it: $known", ({ apiVersion, kind, known }) => {
  expect(isKnownToOc(apiVersion, kind)).toBe(known);
});
