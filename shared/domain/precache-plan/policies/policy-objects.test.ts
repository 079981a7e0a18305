import { describe, expect, test } from "vitest";
import { aPolicy, aWantedRelease } from "../../../../test/support/precache/precache-plan-objects.ts";
import { processorSeconds } from "../../../../test/support/setup/processor-seconds.ts";
import { hasTemplate, inspectPolicy, policyObjects } from "./policy-objects.ts";

const rawSpec = (text: string) => aPolicy("p", [], {}, { raw: text }).spec;
const raw = (text: string) => objectsOf(rawSpec(text));
const read = (spec: unknown) => {
  const found = policyObjects(spec);
  return found.ok ? found.objects : [];
};
const objectsOf = (spec: unknown) => read(spec).map(({ object }) => object);

describe("the objects of a policy", () => {
  test("When some must not exist, it should return the others in order", () => {
    const kinds = ["A", "B", "C"].map((kind) => ({ kind }));
    const spec = {
      "policy-templates": [
        {
          objectDefinition: {
            spec: {
              "object-templates": [
                { complianceType: "musthave", objectDefinition: kinds[0] },
                { complianceType: "mustnothave", objectDefinition: kinds[1] },
                { complianceType: "MustNotHave", objectDefinition: kinds[1] },
                { complianceType: "Mustnothave", objectDefinition: kinds[1] },
                { objectDefinition: kinds[2] },
              ],
            },
          },
        },
      ],
    };
    expect(objectsOf(spec)).toEqual([{ kind: "A" }, { kind: "C" }]);
    expect(read(spec).map(({ specPath }) => specPath)).toEqual(
      [0, 4].map(
        (index) =>
          `spec.policy-templates[0].objectDefinition.spec.object-templates[${index}].objectDefinition.spec`,
      ),
    );
  });

  test("When templates are raw, it should replace variables and fields by a word and delete the others", () => {
    const text = `
{{- range $cluster := (lookup "v1" "ConfigMap" "" "").items }}
- complianceType: musthave
  objectDefinition:
    kind: ClusterVersion
    spec:
      channel: {{ $channel }}
      upstream: "{{ .data.upstream }}"
      desiredUpdate:
        version: 4.20.3{{ if true }}
{{- end }}
`;
    expect(raw(text)).toEqual([
      {
        kind: "ClusterVersion",
        spec: { channel: "placeholder", upstream: "placeholder", desiredUpdate: { version: "4.20.3" } },
      },
    ]);
  });

  test("When a raw text has several documents, the first should count", () => {
    const text =
      "# what it needs\n---\n- objectDefinition:\n    kind: A\n---\n- objectDefinition:\n    kind: B\n";
    expect(raw(text)).toEqual([{ kind: "A" }]);
  });

  test.for([
    { what: "no YAML", text: "- [", message: "unmmarshalled" },
    { what: "no list", text: "kind: ClusterVersion", message: "unmmarshalled" },
    { what: "a list without objects", text: "- complianceType: musthave", message: "any objectDefinition" },
  ])("When raw templates are $what, it should say so", ({ text, message }) => {
    expect(policyObjects(rawSpec(text))).toMatchObject({
      ok: false,
      message: expect.stringContaining(message),
    });
  });

  const withSpec = (spec: object) => ({ "policy-templates": [{ objectDefinition: { spec } }] });
  const bothForms = withSpec({ "object-templates": [], "object-templates-raw": "" });
  test.for([
    ["no policy-templates", {}, "policy-templates not found"],
    ["neither form", withSpec({}), "can't find object-templates or object-templates-raw"],
    ["both forms", bothForms, "found both object-templates and object-templates-raw"],
  ] as const)("When a policy has $0, it should say so", ([, spec, message]) => {
    expect(policyObjects(spec)).toMatchObject({ ok: false, message: expect.stringContaining(message) });
  });

  test("When a template is a wall of braces, it should be read in the time that its length takes", () => {
    const seconds = processorSeconds(() => {
      raw("{{".repeat(200_000));
      hasTemplate("{{".repeat(200_000));
    });
    expect(seconds).toBeLessThan(5);
  });
});

describe("the form of a policy", () => {
  test("When an object has a status, it should be reported", () => {
    const waiting = { ...aWantedRelease(), status: { history: [{ state: "Completed" }] } };
    expect(inspectPolicy(aPolicy("p", [waiting]).spec)).toEqual({ hasStatus: true });
  });

  const metadata = { name: "x" };
  const specified = (spec: object) => ({ objectDefinition: { metadata, spec } });
  const [both, bothText] = [
    specified({ "object-templates": [], "object-templates-raw": "" }),
    "It has both object-templates and object-templates-raw.",
  ];
  const neitherText = "It has neither object-templates nor object-templates-raw.";
  const unreadKind = { objectDefinition: { kind: "CertificatePolicy", metadata, spec: {} } };
  const unreadText =
    "Pre-caching reads ConfigurationPolicies and OperatorPolicies, and not the kind CertificatePolicy.";
  const noYaml = specified({ "object-templates-raw": "{{ if }} : [" });
  const noYamlText = "Its object-templates-raw is not YAML once the templates are removed.";
  const empty = specified({ "object-templates": [{ complianceType: "musthave" }] });
  const good = specified({ "object-templates": [] });

  test.for<readonly [what: string, template: object, at: string | undefined, problem: string]>([
    ["a template has no definition", {}, ".objectDefinition", "It is not an object."],
    [
      "the definition has no metadata",
      { objectDefinition: { spec: { "object-templates": [] } } },
      ".objectDefinition.metadata",
      "It is missing.",
    ],
    ["there is no spec", { objectDefinition: { metadata } }, ".objectDefinition.spec", "It is missing."],
    ["there are templates of both kinds", both, ".objectDefinition.spec", bothText],
    ["there are templates of neither", specified({}), ".objectDefinition.spec", neitherText],
    ["pre-caching does not read its kind", unreadKind, ".objectDefinition.kind", unreadText],
    ["raw templates are no YAML", noYaml, ".objectDefinition.spec", noYamlText],
    ["a template has no object", empty, undefined, "An object template has no objectDefinition."],
  ])("When $0, it should be invalid, and the problem should say where", ([, template, at, problem]) => {
    const policy = { "policy-templates": [good, template] };
    const path = `spec.policy-templates${at === undefined ? "" : `[1]${at}`}`;
    expect(inspectPolicy(policy).problem).toEqual({ path, message: problem });
    expect(inspectPolicy({ "policy-templates": [good] }).problem).toBeUndefined();
  });

  test("When there are no policy templates, it should be reported", () => {
    const problem = { path: "spec.policy-templates", message: "It is not a list." };
    expect(inspectPolicy({}).problem).toEqual(problem);
  });

  test("When a raw template has no object, it should be valid all the same, as for TALM", () => {
    const policy = aPolicy("p", [], {}, { raw: "- complianceType: musthave" });
    expect(inspectPolicy(policy.spec).problem).toBeUndefined();
  });
});

test.for(["{{ if false }}{{ end }}", "kind: ClusterVersion", "- kind", "- objectDefinition: kind"])(
  "When raw templates leave no list of objects, as %s does, the policy should be invalid",
  (text) => {
    expect(inspectPolicy(aPolicy("p", [], {}, { raw: text }).spec).problem).toBeDefined();
  },
);

test.for([
  ["{{hub .x hub}}", true],
  ["a {{ }} b", true],
  ["{{ never closed", false],
  ["}} {{", false],
  ["{{ on\ntwo }} lines", false],
] as const)("When a value is %j, having a template should be %s", ([text, expected]) => {
  expect(hasTemplate(text)).toBe(expected);
});
