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
const both = { capabilities: { disabled: ["Console"], enabled: ["Console"] } };
const asCreated =
  "Create a new HostedCluster for other capabilities: those of a running one are immutable, including their order.";

test.for<readonly [spec: Spec, stored: Spec | undefined, code: string, remedy: string]>([
  [disabled("Ingress"), undefined, "InvalidValue", "Disable Console as well, or keep Ingress."],
  [both, undefined, "InvalidValue", "Name each capability in one of the lists."],
  [
    disabled("marketplace"),
    undefined,
    "UnsupportedValue",
    "See the allowed names and rules in docs/reference/hosted-clusters.md.",
  ],
  [{ capabilities: "none" }, undefined, "InvalidType", "Write spec.capabilities as an object."],
  [
    { olmCatalogPlacement: "Guest" },
    undefined,
    "UnsupportedValue",
    'Write "management" or "guest", or leave it out.',
  ],
  [
    { pausedUntil: "tomorrow" },
    undefined,
    "InvalidValue",
    'Write "true", "false" or a time like 2026-12-01T00:00:00Z.',
  ],
  [sources({ source: "a.io", mirrors: ["m.lan", "m.lan"] }), undefined, "DuplicateValue", "List it once."],
  [sources({ mirrors: [] }), undefined, "MissingField", "Write it."],
  [{ olmCatalogPlacement: "guest" }, {}, "ImmutableField", "Keep what the cluster was created with."],
])("When %j replaces %j, it should report %s and how to fix it", ([spec, stored, code, remedy]) => {
  const [issue] = validateHostedCluster(aHostedCluster({ spec }), stored && aHostedCluster({ spec: stored }));
  expect(issue).toMatchObject({ code, severity: "error", object, remedy });
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
