import { expect, test } from "vitest";
import { aHostedCluster } from "../fixtures.ts";
import { validateHostedCluster } from "./validate-hosted-cluster.ts";

type Spec = Readonly<Record<string, unknown>>;

const errorsOf = (stored: Spec | undefined, spec: Spec) =>
  validateHostedCluster(aHostedCluster({ spec }), stored && aHostedCluster({ spec: stored }))
    .filter(({ severity, code }) => severity === "error" || code === "RulesNotChecked")
    .map(({ code, path, message }) => `${code === "RulesNotChecked" ? "<nil>" : path}: ${message}`);

const disabled = (...names: readonly unknown[]): Spec => ({ capabilities: { disabled: names } });
const disruptive = "Changes might result in unpredictable and disruptive behavior.";
const capabilitiesChanged = `spec.capabilities: Invalid value: Capabilities is immutable. ${disruptive}`;
const disabledChanged = `spec.capabilities.disabled: Invalid value: Disabled is immutable. ${disruptive}`;
const supported =
  'supported values: "ImageRegistry", "openshift-samples", "Insights", "baremetal", "Console", "NodeTuning", "Ingress"';
const notChecked =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
const pausedUntil = (value: string) =>
  `spec.pausedUntil: Invalid value: "${value}": PausedUntil must be a date in RFC3339 format or 'True', 'true', 'False' or 'false'`;

test.for([
  { spec: {}, errors: [] },
  { spec: disabled("ImageRegistry"), errors: [] },
  { spec: disabled("Ingress", "Console"), errors: [] },
  { spec: { capabilities: { enabled: [], disabled: [] } }, errors: [] },
  { spec: disabled("Console", "Console"), errors: [] },
  {
    spec: disabled("Ingress"),
    errors: [
      "spec.capabilities.disabled: Invalid value: Ingress capability can only be disabled if Console capability is also disabled",
    ],
  },
  {
    spec: { capabilities: { disabled: ["Console"], enabled: ["Console"] } },
    errors: ["spec.capabilities: Invalid value: Capabilities can not be both enabled and disabled at once."],
  },
  {
    spec: disabled("marketplace"),
    errors: [`spec.capabilities.disabled[0]: Unsupported value: "marketplace": ${supported}`, notChecked],
  },
  {
    spec: { capabilities: { enabled: Array.from({ length: 26 }, () => "Insights") } },
    errors: ["spec.capabilities.enabled: Too many: 26: must have at most 25 items", notChecked],
  },
  { spec: { olmCatalogPlacement: "guest" }, errors: [] },
  {
    spec: { olmCatalogPlacement: "Guest" },
    errors: [
      'spec.olmCatalogPlacement: Unsupported value: "Guest": supported values: "management", "guest"',
      notChecked,
    ],
  },
  { spec: { pausedUntil: "true" }, errors: [] },
  { spec: { pausedUntil: "2026-12-01T00:00:00Z" }, errors: [] },
  { spec: { pausedUntil: "2026-12-01T00:00:00 and so on" }, errors: [] },
  { spec: { pausedUntil: "tomorrow" }, errors: [pausedUntil("tomorrow")] },
  { spec: { pausedUntil: "TRUE" }, errors: [pausedUntil("TRUE")] },
  { spec: { pausedUntil: "xtrue" }, errors: [pausedUntil("xtrue")] },
  {
    spec: { pausedUntil: "no" },
    errors: [
      'spec.pausedUntil: Invalid value: "no": spec.pausedUntil in body should be at least 4 chars long',
      pausedUntil("no"),
    ],
  },
  {
    spec: { imageContentSources: [{ source: "a.io", mirrors: ["m.lab", "m.lab"] }, { mirrors: [] }] },
    errors: [
      "spec.imageContentSources[1].source: Required value",
      'spec.imageContentSources[0].mirrors[1]: Duplicate value: "m.lab"',
      notChecked,
    ],
  },
  {
    spec: { imageContentSources: Array.from({ length: 256 }, () => ({ source: "" })) },
    errors: ["spec.imageContentSources: Too many: 256: must have at most 255 items", notChecked],
  },
  {
    spec: { imageContentSources: [{ source: "a".repeat(256) }] },
    errors: ["spec.imageContentSources[0].source: Too long: may not be more than 255 bytes", notChecked],
  },
  {
    spec: { configuration: { operatorhub: { disableAllDefaultSources: "true" } } },
    errors: [
      'spec.configuration.operatorhub.disableAllDefaultSources: Invalid value: "string": spec.configuration.operatorhub.disableAllDefaultSources in body must be of type boolean: "string"',
      notChecked,
    ],
  },
])("When a new HostedCluster has $spec, it should be told $errors", ({ spec, errors }) => {
  expect(errorsOf(undefined, spec)).toEqual(errors);
});

test.for([
  { stored: {}, spec: disabled("ImageRegistry"), errors: [capabilitiesChanged] },
  { stored: {}, spec: { capabilities: {} }, errors: [] },
  { stored: disabled("Console"), spec: disabled("Console"), errors: [] },
  {
    stored: disabled("Console", "Insights"),
    spec: disabled("Insights", "Console"),
    errors: [capabilitiesChanged, disabledChanged],
  },
  { stored: {}, spec: disabled(), errors: [capabilitiesChanged] },
  { stored: disabled("Console"), spec: {}, errors: [capabilitiesChanged] },
  {
    stored: { capabilities: { enabled: ["baremetal"] } },
    spec: { capabilities: { enabled: [] } },
    errors: [
      capabilitiesChanged,
      `spec.capabilities.enabled: Invalid value: Enabled is immutable. ${disruptive}`,
    ],
  },
  {
    stored: { olmCatalogPlacement: "guest" },
    spec: {},
    errors: ['spec.olmCatalogPlacement: Invalid value: "management": OLMCatalogPlacement is immutable'],
  },
  { stored: {}, spec: { olmCatalogPlacement: "management" }, errors: [] },
  { stored: { pausedUntil: "true" }, spec: { imageContentSources: [{ source: "a.io" }] }, errors: [] },
  { stored: disabled("Ingress"), spec: { ...disabled("Ingress"), pausedUntil: "true" }, errors: [] },
])("When $stored becomes $spec, it should be told $errors", ({ stored, spec, errors }) => {
  expect(errorsOf(stored, spec)).toEqual(errors);
});

test.for([
  ["disabledCapabilities", "spec.capabilities.disabled"],
  ["enabledCapabilities", "spec.capabilities.enabled"],
])("When capabilities are written as %s, it should refuse that and name the real field", ([field, real]) => {
  const spec = { capabilities: { [field ?? ""]: ["ImageRegistry"] } };
  expect(validateHostedCluster(aHostedCluster({ spec }))).toEqual([
    expect.objectContaining({
      code: "UnknownField",
      severity: "error",
      path: `spec.capabilities.${field}`,
      message: `unknown field "spec.capabilities.${field}"`,
      remedy: `The field is called ${real}.`,
    }),
  ]);
});

const annotation = (name: string, value: string) => ({ [`hypershift.openshift.io/${name}`]: value });
const byDigest = (catalog: string) =>
  annotation(`${catalog}-operators-catalog-image`, `m.lab/${catalog}@sha256:${"0".repeat(64)}`);
const allByDigest = { ...byDigest("certified"), ...byDigest("community"), ...byDigest("redhat") };
const overrides = (value: string) => annotation("olm-catalogs-is-registry-overrides", value);

test.for([
  {
    name: "all is usable",
    spec: { imageContentSources: [{ source: "a.io", mirrors: ["m.lab"] }] },
    codes: [],
  },
  {
    name: "a source is none",
    spec: { imageContentSources: [{ source: "https://a.io", mirrors: ["m.lab"] }] },
    codes: ["InvalidSource spec.imageContentSources[0].source"],
  },
  {
    name: "a mirror is none",
    spec: { imageContentSources: [{ source: "a.io", mirrors: ["m.lab", "m.lab:tag/x"] }] },
    codes: ["InvalidMirror spec.imageContentSources[0].mirrors[1]"],
  },
  {
    name: "a source is there twice and without mirrors",
    spec: { imageContentSources: [{ source: "a.io", mirrors: ["m.lab"] }, { source: "a.io" }] },
    codes: [
      "DuplicateSource spec.imageContentSources[1].source",
      "NoMirrors spec.imageContentSources[1].mirrors",
    ],
  },
  { name: "three catalog images", annotations: allByDigest, codes: [] },
  {
    name: "one catalog image",
    annotations: byDigest("redhat"),
    codes: [
      'CatalogsIncomplete metadata.annotations["hypershift.openshift.io/certified-operators-catalog-image"]',
    ],
  },
  {
    name: "a catalog image by its tag",
    annotations: { ...allByDigest, ...annotation("redhat-operators-catalog-image", "m.lab/redhat:v4.20") },
    codes: [
      'CatalogNotByDigest metadata.annotations["hypershift.openshift.io/redhat-operators-catalog-image"]',
    ],
  },
  {
    name: "an image for the marketplace catalog",
    annotations: annotation("redhat-marketplace-catalog-image", "m.lab/x"),
    codes: [
      'DeadAnnotation metadata.annotations["hypershift.openshift.io/redhat-marketplace-catalog-image"]',
    ],
  },
  {
    name: "catalog overrides",
    annotations: overrides("registry.redhat.io=a.io,registry.redhat.io=b.io"),
    codes: [],
  },
  { name: "no overrides at all", annotations: overrides("="), codes: [] },
  {
    name: "overrides of other sources and of none",
    annotations: overrides("quay.io=m.lab,registry.redhat.io/=m.lab,nonsense,=x,y=,registry.redhat.io=a.io"),
    codes: ["UselessOverride", "UselessOverride", "DroppedPair", "DroppedPair", "DroppedPair"].map(
      (code) => `${code} metadata.annotations["hypershift.openshift.io/olm-catalogs-is-registry-overrides"]`,
    ),
  },
  {
    name: "a capability that the release cannot do without",
    spec: { ...disabled("Insights"), release: { image: "quay.io/x:4.19.3-multi" } },
    codes: ["CapabilityNotSupported spec.capabilities.disabled[0]"],
  },
  {
    name: "a field that is unknown",
    spec: { imageContentSources: [{ source: "a.io", mirrors: ["m.lab"], policy: "x" }] },
    codes: ["UnknownField spec.imageContentSources[0].policy"],
  },
])("When there is or are $name, it should warn of $codes", ({ spec = {}, annotations = {}, codes }) => {
  const issues = validateHostedCluster(aHostedCluster({ spec, annotations }));
  expect(issues.map(({ code, path }) => `${code} ${path}`)).toEqual(codes);
  expect(issues.every(({ severity }) => severity === "warning")).toBe(true);
});

test("When the release is newer than the table, it should say whose capabilities are taken", () => {
  const spec = { ...disabled("Insights"), release: { image: "quay.io/x:6.0.1-multi" } };
  expect(validateHostedCluster(aHostedCluster({ spec }))).toEqual([
    expect.objectContaining({ code: "ReleaseNotInTable", severity: "warning", value: "6.0.1" }),
  ]);
});
