import { describe, expect, test } from "vitest";
import { eventLabels } from "#functions/hosted-clusters/well-known-names.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { hypershiftFinalizer } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { aNodePool } from "../../test/support/hosted-clusters/node-pools.ts";
import { hostedUpgrades } from "./hosted-upgrades.ts";

const release = "quay.io/openshift-release-dev/ocp-release";

/** A hosted cluster that should run a release and has completed an update to a version. */
function aCluster(image: string, version: string | undefined, imageOfVersion = ""): KubernetesObject {
  const sources = [{ source: release, mirrors: ["mirror.lab/release"] }];
  const cluster = aHostedCluster({
    metadata: { finalizers: [hypershiftFinalizer] },
    spec: { release: { image }, imageContentSources: sources },
  });
  const history = version === undefined ? [] : [{ state: "Completed", version, image: imageOfVersion }];
  return { ...cluster, status: { version: { history } } };
}

function aPool(version: string): KubernetesObject {
  const pool = aNodePool("blue", {
    clusterName: "shop",
    replicas: 2,
    release: { image: `${release}:4.20.4-multi` },
  });
  return { ...pool, status: { version } };
}

const anEvent = (reason: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: reason, namespace: "clusters", labels: eventLabels("clusters/shop") },
  type: "Warning",
  reason,
  message: `${reason} in words`,
});

const decided = (verdict: string, reason: string) => ({
  function: "hosted-clusters",
  key: "clusters/shop",
  decisions: [{ subject: "clusters/shop ControlPlane", verdict, reason }],
  writes: [],
  issues: [],
  differs: false,
});
const upgradesOf = (objects: readonly KubernetesObject[], verifications = [decided("in agreement", "")]) =>
  hostedUpgrades(snapshotOf(objects, { verifications })).shown;

describe("hostedUpgrades", () => {
  const digest = `${release}@sha256:${"a".repeat(64)}`;
  test.for([
    { what: "runs its release", cluster: aCluster(`${release}:4.20.4-multi`, "4.20.4"), to: [] },
    { what: "runs its release by digest", cluster: aCluster(digest, "4.20.4", digest), to: [] },
    {
      what: "should run a newer one",
      cluster: aCluster(`${release}:4.20.5-multi`, "4.20.4"),
      to: ["4.20.5"],
    },
    { what: "should run another digest", cluster: aCluster(digest, "4.20.4", `${release}:x`), to: [digest] },
    { what: "runs none yet", cluster: aCluster(`${release}:4.20.4-multi`, undefined), to: ["4.20.4"] },
  ])("When a hosted cluster $what, its upgrades should be $to", ({ cluster, to }) => {
    expect(upgradesOf([cluster]).map((one) => one.to)).toEqual(to);
  });

  test("When a pool still runs an older release, the cluster should be listed with what the pool runs", () => {
    const cluster = aCluster(`${release}:4.20.4-multi`, "4.20.4");
    expect(upgradesOf([cluster, aPool("4.19.11")])).toMatchObject([
      { key: "clusters/shop", pools: [{ name: "blue", from: "4.19.11", to: "4.20.4" }] },
    ]);
    expect(upgradesOf([cluster, aPool("4.20.4")])).toEqual([]);
  });

  const wanted = aCluster(`${release}:4.20.5-multi`, "4.20.4");

  test("When a release is for more than a hundred hosted clusters, the first hundred should be shown, and all counted", () => {
    const named = (number: number) => ({
      ...wanted,
      metadata: { ...wanted.metadata, name: `shop-${number}` },
    });
    const { total, shown } = hostedUpgrades(
      snapshotOf(Array.from({ length: 101 }, (_, number) => named(number))),
    );
    expect([total, shown.length]).toEqual([101, 100]);
  });

  test("When something on the hub stands against an upgrade, it should be named, each thing once", () => {
    const objects = [wanted, anEvent("CatalogNotFound"), anEvent("ControlPlaneDrift")];
    const [upgrade] = upgradesOf(objects, [decided("drift", "It lacks a mirror.")]);
    expect(upgrade?.obstacles).toEqual([
      { what: "drift", text: "ControlPlane: It lacks a mirror." },
      { what: "CatalogNotFound", text: "CatalogNotFound in words" },
    ]);
    expect(upgradesOf([wanted])[0]?.obstacles).toEqual([]);
  });

  test("When its nodes look for the release, the places should be its mirrors, then the source", () => {
    const places = upgradesOf([wanted])[0]?.releasePlaces.map((one) => [
      one.repository,
      one.places.map(({ location }) => location),
    ]);
    expect(places?.[0]).toEqual([release, ["mirror.lab/release", release]]);
    expect(places?.[1]?.[0]).toBe("quay.io/openshift-release-dev/ocp-v4.0-art-dev");
  });
});
