import { describe, expect, test } from "vitest";
import { aHostedCluster } from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  aSnapshot,
  inRelease,
  settled,
  stored,
} from "../../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";
import type { MirrorsSnapshot } from "../snapshot/observe-mirrors.ts";
import { affectedClusters } from "./affected-clusters.ts";

describe("a change of mirrors", () => {
  const clusters = [
    stored(aHostedCluster("shop")),
    stored(aHostedCluster("lab", { spec: { release: { image: "quay.io/okd/scos-release:4.20.0" } } })),
  ];
  const mirrorsSnapshot = (changes: Partial<MirrorsSnapshot> = {}): MirrorsSnapshot => ({
    objectEvents: [],
    hostedClusters: clusters,
    mirrorObjects: [],
    ...changes,
  });
  const affected = (changes: Partial<MirrorsSnapshot> = {}) =>
    affectedClusters(mirrorsSnapshot(changes)).map(({ metadata }) => metadata.name);
  /** The Events of both hosted clusters about the mirrors that they know. */
  const knownEvents = () =>
    clusters.flatMap((hostedCluster) => {
      const key = `clusters/${hostedCluster.metadata.name}`;
      return settled({ ...aSnapshot({ hostedCluster, guest: { state: "unpublished" } }), key }).objectEvents;
    });

  test("When no hosted cluster was reconciled yet, it should affect each", () => {
    expect(affected()).toEqual(["shop", "lab"]);
  });

  test("When mirrors change, only the hosted clusters that they affect should be reconciled", () => {
    const objectEvents = knownEvents();
    expect(affected({ objectEvents })).toEqual([]);
    expect(affected({ objectEvents, mirrorObjects: inRelease })).toContain("shop");
  });

  test("When there are no hosted clusters, it should affect none", () => {
    expect(affected({ hostedClusters: [] })).toEqual([]);
  });
});
