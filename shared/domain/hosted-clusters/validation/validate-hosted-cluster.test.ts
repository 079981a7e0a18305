import { expect, test } from "vitest";
import { readHostedCluster } from "../cluster/hosted-cluster.ts";
import { aHostedCluster } from "../fixtures.ts";
import { refusedValues } from "./refusals.ts";
import { validateHostedCluster } from "./validate-hosted-cluster.ts";

type Spec = Readonly<Record<string, unknown>>;

const errorsOf = (stored: Spec | undefined, spec: Spec) =>
  [
    ...readHostedCluster(aHostedCluster({ spec })).issues,
    ...refusedValues(aHostedCluster({ spec }), stored && aHostedCluster({ spec: stored })),
  ]
    .filter(({ severity }) => severity === "error")
    .map(({ path, message }) => `${path}: ${message}`);

const disabled = (...names: readonly unknown[]): Spec => ({ capabilities: { disabled: names } });

const disruptive = "Changes might result in unpredictable and disruptive behavior.";

const capabilitiesChanged = `spec.capabilities: Invalid value: Capabilities is immutable. ${disruptive}`;

const disabledChanged = `spec.capabilities.disabled: Invalid value: Disabled is immutable. ${disruptive}`;

const supported =
  'supported values: "ImageRegistry", "openshift-samples", "Insights", "baremetal", "Console", "NodeTuning", "Ingress"';

const pausedUntil = (value: string) =>
  `spec.pausedUntil: Invalid value: ${JSON.stringify(value)}: PausedUntil must be a date in RFC3339 format or 'True', 'true', 'False' or 'false'`;

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
    errors: [`spec.capabilities.disabled[0]: Unsupported value: "marketplace": ${supported}`],
  },
  { spec: { capabilities: { enabled: ["baremetal", "openshift-samples", "NodeTuning"] } }, errors: [] },
  { spec: { olmCatalogPlacement: "guest" }, errors: [] },
  {
    spec: { olmCatalogPlacement: "Guest" },
    errors: ['spec.olmCatalogPlacement: Unsupported value: "Guest": supported values: "management", "guest"'],
  },
  ...["true", "True", "false", "False", "2026-12-01T00:00:00Z"].map((value) => ({
    spec: { pausedUntil: value },
    errors: [],
  })),
  { spec: { pausedUntil: `2026-12-01T00:00:00${"Z".repeat(16)}` }, errors: [] },
  ...[
    "26-12-01T00:00:00Z",
    "2026-12-01T00:00:0Z",
    "x2026-12-01T00:00:00Z",
    "2026-12-01 00:00:00Z",
    "2026-12-01T00:00:00Z\n",
  ].map((value) => ({ spec: { pausedUntil: value }, errors: [pausedUntil(value)] })),
  { spec: { pausedUntil: "2026-12-01T00:00:00 and so on" }, errors: [] },
  { spec: { pausedUntil: "tomorrow" }, errors: [pausedUntil("tomorrow")] },
  { spec: { pausedUntil: "TRUE" }, errors: [pausedUntil("TRUE")] },
  { spec: { pausedUntil: "xtrue" }, errors: [pausedUntil("xtrue")] },
  { spec: { pausedUntil: "no" }, errors: [pausedUntil("no")] },
  {
    spec: { imageContentSources: [{ source: "a.io", mirrors: ["m.lab", "m.lab"] }, { mirrors: [] }] },
    errors: [
      "spec.imageContentSources[1].source: Required value",
      'spec.imageContentSources[0].mirrors[1]: Duplicate value: "m.lab"',
    ],
  },
])("When a new HostedCluster has $spec, it should report $errors", ({ spec, errors }) => {
  expect(errorsOf(undefined, spec)).toEqual(errors);
});

test.for([
  { spec: { capabilities: 1 }, path: "spec.capabilities", wanted: "an object" },
  { spec: { capabilities: { enabled: 1 } }, path: "spec.capabilities.enabled", wanted: "a list" },
  {
    spec: disabled(1),
    path: "spec.capabilities.disabled[0]",
    wanted: 'one of "ImageRegistry", "openshift-samples", "Insights"',
  },
  {
    spec: { configuration: { operatorhub: { disableAllDefaultSources: 1 } } },
    path: "spec.configuration.operatorhub.disableAllDefaultSources",
    wanted: "true or false",
  },
  { spec: { fips: 1 }, path: "spec.fips", wanted: "true or false" },
  { spec: { platform: 1 }, path: "spec.platform", wanted: "an object" },
  { spec: { services: 1 }, path: "spec.services", wanted: "a list" },
])("When $spec has a number, it should report that $path is not $wanted", ({ spec, path, wanted }) => {
  expect(errorsOf(undefined, spec)).toEqual([expect.stringContaining(`${path}: ${path} must be ${wanted}`)]);
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
])("When $stored becomes $spec, it should report $errors", ({ stored, spec, errors }) => {
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
      remedy: `The field is called ${real}.`,
    }),
  ]);
});

test("When only a digest names the release, its unknown version should not be reported", () => {
  const spec = { ...disabled("Insights"), release: { image: `quay.io/x@sha256:${"0".repeat(64)}` } };
  expect(validateHostedCluster(aHostedCluster({ spec }))).toEqual([]);
});

test("When the release is newer than the table, it should report whose capabilities are used", () => {
  const spec = { ...disabled("Insights"), release: { image: "quay.io/x:6.0.1-multi" } };
  expect(validateHostedCluster(aHostedCluster({ spec }))).toEqual([
    expect.objectContaining({ code: "ReleaseNotInTable", severity: "warning", value: "6.0.1" }),
  ]);
});
