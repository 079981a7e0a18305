import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "../../support/precache/precache-plan-objects.ts";
import { aWindow } from "../../support/precache/precache-windows.ts";

const compliance = (clusters: readonly string[]) =>
  Object.fromEntries(clusters.map((name) => [name, "NonCompliant"]));

/** An upgrade of these clusters to a release, with its policy and its configuration. */
export function upgradeTo(
  name: string,
  clusters: readonly string[],
  [version, image]: readonly [string, string],
  annotations: Readonly<Record<string, string>>,
  additionalImages: readonly string[] = [],
): readonly KubernetesObject[] {
  const metadata = { namespace: "fleet", name };
  const policy = `platform-${name}`;
  return [
    aPolicy(policy, [aWantedRelease({ desiredUpdate: { version, image } })], compliance(clusters)),
    aPreCachingConfig({ spaceRequired: "45 GiB", additionalImages }, metadata),
    anUpgrade(
      {
        clusters,
        managedPolicies: [policy],
        preCachingConfigRef: metadata,
        remediationStrategy: { maxConcurrency: 60, timeout: 240 },
      },
      { ...metadata, annotations: { "hubrelay.dev/site-label": "site", ...annotations } },
    ),
  ];
}

export const windows = [
  aWindow("north-nights", {
    schedule: "0 0 * * *",
    timeZone: "Europe/Oslo",
    duration: "3h",
    clusterSelector: { matchExpressions: [{ key: "site", operator: "In", values: ["bodo", "tromso"] }] },
    exclusions: [{ from: "2026-03-07", to: "2026-03-09", reason: "regional elections" }],
  }),
  aWindow("hub-weekends", {
    schedule: "0 2 * * SAT",
    timeZone: "Europe/Oslo",
    duration: "8h",
    clusterSelector: undefined,
    exclusions: [{ from: "2026-03-14", to: "2026-03-15", reason: "end of the quarter" }],
    allow: { preCaching: false, maxCost: { master: "reboot", worker: "reboot" } },
  }),
  aWindow("tenants", {
    schedule: "0 22 * * WED,FRI",
    timeZone: "Europe/Oslo",
    duration: "6h",
    clusterSelector: undefined,
    allow: { preCaching: false, hostedClusters: { maxCost: "replace", selector: {} } },
  }),
].map((window) => ({ ...window, metadata: { ...window.metadata, namespace: "fleet" } }));
