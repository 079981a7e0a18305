import { expect, test } from "vitest";
import { aHostedCluster } from "../fixtures.ts";
import { validateHostedCluster } from "./validate-hosted-cluster.ts";

const disabled = (...names: readonly unknown[]) => ({ capabilities: { disabled: names } });

const annotation = (name: string, value: string) => ({ [`hypershift.openshift.io/${name}`]: value });

const byDigest = (catalog: string) =>
  annotation(`${catalog}-operators-catalog-image`, `m.lab/${catalog}@sha256:${"0".repeat(64)}`);

const allByDigest = { ...byDigest("certified"), ...byDigest("community"), ...byDigest("redhat") };

const repeated = { imageContentSources: [{ source: "a.io", mirrors: ["m.lab"] }, { source: "a.io" }] };
const inRepeated = [
  "DuplicateSource spec.imageContentSources[1].source",
  "NoMirrors spec.imageContentSources[1].mirrors",
];
const redhat = "redhat-operators-catalog-image";
const notOptional = { ...disabled("Insights"), release: { image: "quay.io/x:4.19.3-multi" } };
const readable = ["true", "False", "2026-12-01T00:00:00Z", "2026-12-01T00:00:00.5+02:00"];
const unreadable = ["2026-12-01T00:00:00", "2026-02-30T00:00:00Z", "2026-12-01T00:00:00 and so on"];
type Fields = Readonly<Record<string, unknown>>;
test.for<readonly [string, Fields, codes: readonly string[], annotations?: Readonly<Record<string, string>>]>(
  [
    ["a source is repeated and without mirrors", repeated, inRepeated],
    ...readable.map((pausedUntil) => [`pausedUntil is ${pausedUntil}`, { pausedUntil }, []] as const),
    ...unreadable.map(
      (pausedUntil) =>
        [`pausedUntil is ${pausedUntil}`, { pausedUntil }, ["UnreadablePause spec.pausedUntil"]] as const,
    ),
    [
      "capabilities have an empty list",
      { capabilities: { enabled: [] } },
      ["EmptyCapabilities spec.capabilities.enabled"],
    ],
    [
      "a capability is not optional in the release",
      notOptional,
      ["CapabilityNotSupported spec.capabilities.disabled[0]"],
    ],
  ],
)("When $0, it should warn about $2", ([, spec, codes, annotations = {}]) => {
  const issues = validateHostedCluster(aHostedCluster({ spec, annotations }));
  expect(issues.map(({ code, path }) => `${code} ${path}`)).toEqual(codes);
  expect(issues.every(({ severity }) => severity === "warning")).toBe(true);
});

test("When the release is older than a capability that no release accepts, it should be one error", () => {
  const spec = { ...disabled("marketplace"), release: { image: "quay.io/x:4.19.3-multi" } };
  const issues = validateHostedCluster(aHostedCluster({ spec }));
  expect(issues.map(({ code, path, severity }) => `${severity} ${code} ${path}`)).toEqual([
    "error UnsupportedValue spec.capabilities.disabled[0]",
  ]);
});

test.for([
  ["CatalogNotByDigest", { ...allByDigest, ...annotation(redhat, "m.lab/redhat:v4.20") }],
  ["InvalidReference", { ...allByDigest, ...annotation(redhat, "m.lab/redhat@sha256:<TBD>") }],
  ["CatalogsIncomplete", byDigest("redhat")],
] as const)(
  "When HyperShift refuses images of annotations (%s), it should be an error",
  ([code, annotations]) => {
    const issues = validateHostedCluster(aHostedCluster({ annotations }));
    expect(issues).toMatchObject([{ code, severity: "error" }]);
  },
);

test("When nodes could not use an image content source, it should report why and what to write", () => {
  const entry = (index: number) => `spec.imageContentSources[${index}]`;
  const imageContentSources = [
    { source: "a.io", mirrors: ["m.lab"] },
    { source: "https://a.io", mirrors: ["*.lab"] },
    { source: "a.io" },
  ];
  const about = { object: { kind: "HostedCluster", namespace: "clusters", name: "shop" } };
  expect(validateHostedCluster(aHostedCluster({ spec: { imageContentSources } }))).toEqual([
    {
      ...about,
      code: "InvalidSource",
      severity: "error",
      path: `${entry(1)}.source`,
      value: "https://a.io",
      message:
        'invalid format for source "https://a.io": machine-config-operator and the guest\'s API server refuse it, so that no node gets a new configuration',
      remedy: expect.stringMatching(/^Remove the scheme; a source is/),
    },
    {
      ...about,
      code: "InvalidMirror",
      severity: "error",
      path: `${entry(1)}.mirrors[0]`,
      value: "*.lab",
      message:
        'invalid format for mirror "*.lab": machine-config-operator and the guest\'s API server refuse it, so that no node gets a new configuration',
      remedy: expect.stringMatching(/^Use a wildcard only as .*; a mirror is/),
    },
    {
      ...about,
      code: "DuplicateSource",
      severity: "warning",
      path: `${entry(2)}.source`,
      value: "a.io",
      message: 'source "a.io" is in spec.imageContentSources[0] already',
      remedy: "Put all mirrors of a source into one entry, so that their order is clear.",
    },
    {
      ...about,
      code: "NoMirrors",
      severity: "warning",
      path: `${entry(2)}.mirrors`,
      value: [],
      message: 'source "a.io" has no mirrors, so the entry does nothing',
      remedy: "List mirrors, or remove the entry.",
    },
  ]);
});
