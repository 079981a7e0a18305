import { describe, expect, test } from "vitest";
import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { now } from "../../test/support/console/console-snapshots.ts";
import {
  controlPlaneOf,
  hypershiftFinalizer,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { pair, release } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";
import { verifyHostedClusters } from "./verify-hosted-clusters.ts";
import { consoleWatches } from "./watched-hub.ts";

const byHypershift = { finalizers: [hypershiftFinalizer] };
const shop = aHostedCluster({ metadata: byHypershift });
const mirrors = aDigestMirrorSet("ocp", [release]);
const isRead = (kind: Kind) => consoleWatches.some((one) => one.kind === kind);

function verified(objects: readonly KubernetesObject[]) {
  return verifyHostedClusters(manifestHub("urn:test", objects), isRead, () => now);
}

const verdictsOf = (verifications: Awaited<ReturnType<typeof verified>>) =>
  Object.fromEntries(
    verifications.flatMap(({ decisions }) => decisions.map(({ subject, verdict }) => [subject, verdict])),
  );

describe("verifyHostedClusters", () => {
  test.for([
    ["everything as it should be", pair, {}, ["in agreement", "in agreement"]],
    ["another mirror", "=", {}, ["in agreement", "expected"]],
    [
      "another field",
      pair,
      { imageContentSources: [{ source: "quay.io/a", mirrors: ["m.example/a"] }] },
      ["expected", "in agreement"],
    ],
  ] as const)(
    "When a control plane has $0, its verdicts should be $3",
    async ([, overrides, fields, about]) => {
      const found = await verified([shop, mirrors, ...controlPlaneOf(shop, { overrides, fields })]);
      expect(verdictsOf(found)).toEqual({
        "clusters/shop ControlPlane": about[0],
        "clusters/shop Overrides": about[1],
        "clusters/shop Guest": "unknown",
      });
      expect(found.flatMap(({ issues }) => issues)).toEqual([]);
    },
  );

  test("When it verifies, it should need no Secret and no more kinds than one watch each", () => {
    const watched = consoleWatches.map(({ kind }) => kind);
    expect(watched).not.toContain(kinds.Secret);
    expect(new Set(watched).size).toBe(watched.length);
  });

  test("When hubrelay writes for a hosted cluster, it should be left out: its targets are not read", async () => {
    expect(
      await verified([aHostedCluster({ name: "own" }), ...controlPlaneOf(aHostedCluster({ name: "own" }))]),
    ).toEqual([]);
  });

  test("When only registries know a hosted cluster's catalogs, it should not report them as missing", async () => {
    const annotations = { "hubrelay.dev/olm-catalogs": "from-mirrors" };
    const derives = aHostedCluster({ metadata: { ...byHypershift, annotations } });
    const [found] = await verified([derives, mirrors, ...controlPlaneOf(derives, { overrides: pair })]);
    expect(found?.issues).toEqual([]);
  });

  test("When a capability is disabled, what is not read should not be reported as missing", async () => {
    const capabilities = { disabled: ["Insights", "NodeTuning"] };
    const cluster = aHostedCluster({ metadata: byHypershift, spec: { capabilities } });
    const [found] = await verified([cluster, mirrors, ...controlPlaneOf(cluster, { overrides: pair })]);
    expect(found?.issues).toEqual([]);
  });
});
