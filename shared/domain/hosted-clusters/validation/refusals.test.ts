import { expect, test } from "vitest";
import { aNodePool } from "../../../../test/support/hosted-clusters/node-pools.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { aHostedCluster } from "../fixtures.ts";
import { refusedValues, unknownHostedFields } from "./refusals.ts";
import { validateHostedCluster } from "./validate-hosted-cluster.ts";

type Spec = Readonly<Record<string, unknown>>;
const object = { kind: "HostedCluster", namespace: "clusters", name: "shop" };

const disabled = (...names: readonly string[]): Spec => ({ capabilities: { disabled: names } });
const sources = (...entries: readonly unknown[]): Spec => ({ imageContentSources: entries });
const asCreated =
  "Create a new HostedCluster for other capabilities: those of a running one are immutable, including their order.";

test.for<{ spec: Spec; stored?: Spec; code: string; path: string; value: unknown; remedy: string }>([
  {
    spec: disabled("Ingress"),
    code: "InvalidValue",
    path: "spec.capabilities.disabled",
    value: ["Ingress"],
    remedy: "Disable Console as well, or keep Ingress.",
  },
  {
    spec: { capabilities: { disabled: ["Console"], enabled: ["Console"] } },
    code: "InvalidValue",
    path: "spec.capabilities",
    value: { disabled: ["Console"], enabled: ["Console"] },
    remedy: "Name each capability in one of the lists.",
  },
  {
    spec: disabled("marketplace"),
    code: "UnsupportedValue",
    path: "spec.capabilities.disabled[0]",
    value: "marketplace",
    remedy: "See the allowed names and rules in docs/reference/hosted-clusters.md.",
  },
  {
    spec: { capabilities: "none" },
    code: "InvalidType",
    path: "spec.capabilities",
    value: "none",
    remedy: "Write spec.capabilities as an object.",
  },
  {
    spec: { olmCatalogPlacement: "Guest" },
    code: "UnsupportedValue",
    path: "spec.olmCatalogPlacement",
    value: "Guest",
    remedy: 'Write "management" or "guest", or leave it out.',
  },
  {
    spec: { pausedUntil: "tomorrow" },
    code: "InvalidValue",
    path: "spec.pausedUntil",
    value: "tomorrow",
    remedy: 'Write "true", "false" or a time like 2026-12-01T00:00:00Z.',
  },
  {
    spec: sources({ source: "a.io", mirrors: ["m.lan", "m.lan"] }),
    code: "DuplicateValue",
    path: "spec.imageContentSources[0].mirrors[1]",
    value: "m.lan",
    remedy: "List it once.",
  },
  {
    spec: sources({ mirrors: [] }),
    code: "MissingField",
    path: "spec.imageContentSources[0].source",
    value: undefined,
    remedy: "Write it.",
  },
  {
    spec: { olmCatalogPlacement: "guest" },
    stored: {},
    code: "ImmutableField",
    path: "spec.olmCatalogPlacement",
    value: "guest",
    remedy: "Keep what the cluster was created with.",
  },
  {
    spec: disabled("Console"),
    stored: {},
    code: "ImmutableField",
    path: "spec.capabilities",
    value: { disabled: ["Console"] },
    remedy: asCreated,
  },
])("When the API server refuses $spec, it should report $code and the remedy", (one) => {
  const stored = one.stored && aHostedCluster({ spec: one.stored });
  const [issue] = validateHostedCluster(aHostedCluster({ spec: one.spec }), stored);
  const { code, path, value, remedy } = one;
  expect(issue).toMatchObject({ code, severity: "error", object, path, value, remedy });
});

test("When a list of capabilities changes, it should report that about the list too", () => {
  const stored = aHostedCluster({ spec: disabled("Console", "Insights") });
  const issues = refusedValues(aHostedCluster({ spec: disabled("Insights", "Console") }), stored);
  expect(issues.map(({ code, path, remedy }) => [code, path, remedy])).toEqual([
    ["ImmutableField", "spec.capabilities", asCreated],
    ["ImmutableField", "spec.capabilities.disabled", asCreated],
  ]);
});

test.for<{ object: KubernetesObject; path: string; remedy: string }>([
  {
    object: aHostedCluster({ spec: { relaese: {} } }),
    path: "spec.relaese",
    remedy: "Did you mean release?",
  },
  {
    object: aHostedCluster({ spec: { configuration: { operatorhub: { disableAllDefaultSource: true } } } }),
    path: "spec.configuration.operatorhub.disableAllDefaultSource",
    remedy: "Did you mean disableAllDefaultSources?",
  },
  {
    object: aHostedCluster({ spec: { imageContentSources: [{ source: "a.io", mirror: ["m.lan"] }] } }),
    path: "spec.imageContentSources[0].mirror",
    remedy: "Did you mean mirrors?",
  },
  {
    object: aHostedCluster({ spec: { imageDigestMirrors: [] } }),
    path: "spec.imageDigestMirrors",
    remedy: expect.stringContaining("the fields here are release, controlPlaneRelease"),
  },
  { object: aNodePool("blue", { replica: 3 }), path: "spec.replica", remedy: "Did you mean replicas?" },
  {
    object: aNodePool("blue", { management: { upgradetype: "InPlace" } }),
    path: "spec.management.upgradetype",
    remedy: "Did you mean upgradeType?",
  },
])("When a field is unknown, it should report $path and what it may be", ({ object: one, path, remedy }) => {
  expect(unknownHostedFields(one)).toMatchObject([
    { code: "UnknownField", severity: "warning", path, remedy },
  ]);
});

test("When fields are only not read, they should be accepted", () => {
  const spec = {
    networking: { clusterNetwork: [{ cidr: "10.132.0.0/14" }] },
    configuration: { oauth: {}, operatorhub: { disableAllDefaultSources: true, sources: [] } },
    platform: { type: "KubeVirt", kubevirt: { baseDomainPassthrough: true } },
  };
  expect(unknownHostedFields(aHostedCluster({ spec }))).toEqual([]);
  expect(unknownHostedFields(aNodePool("blue", { platform: spec.platform, taints: [{ key: "a" }] }))).toEqual(
    [],
  );
});
