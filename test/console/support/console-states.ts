import { type MemoryHub, memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { aFleet, type FleetRecords } from "../../support/console/console-snapshots.ts";
import { aNodePool } from "../../support/hosted-clusters/node-pools.ts";
import { aDigestMirrorSet } from "../../support/hub/objects.ts";
import { aManagedCluster } from "../../support/precache/precache-plan-objects.ts";
import { aWindow } from "../../support/precache/precache-windows.ts";

/* A hub on which pages look otherwise than on a usual day. */

const since = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const pulledTotals = { imagesTotal: 190, bytesTotal: 29_400_000_000 };
const failed = {
  state: "UnrecoverableError",
  reason: "PullFailed",
  message: "registry.example.com/release@sha256:0c7e: unauthorized: authentication required",
  since: since(30),
  attempt: 2,
  imagesDone: 12,
  ...pulledTotals,
} as const;
const done = { state: "Succeeded", reason: "Completed", since: since(10), ...pulledTotals } as const;
const offline = {
  state: "Starting",
  reason: "ClusterNotReached",
  message: "Its agent is offline.",
  since: since(40),
} as const;
const pulling = { since: since(20), imagesDone: 19, bytesDone: 2_940_000_000, ...pulledTotals };

/** As long as the API server permits. */
const longest = (start: string, length: number) => start.padEnd(length, "-of-the-northern-region");
const label = (start: string) => longest(start, 63).replace(/-$/, "0");
const longName = (start: string) => longest(start, 253).replace(/-$/, "0");

/** Returns a hub whose objects have names as long as they may be. */
export async function longNamesHub(): Promise<MemoryHub> {
  const hub = memoryHub({ id: `https://api.${label("hub")}.example.com:6443`, now: () => new Date() });
  const clusters = [failed, failed, done, offline, pulling, undefined];
  const records: FleetRecords = Object.fromEntries(
    clusters.map((record, index) => [label(`cluster${index}`), record]),
  );
  for (const object of aFleet(records, {
    name: longName("upgrade"),
    annotations: { "hubrelay.dev/site-label": "site" },
  }))
    hub.put(object);
  for (const name of Object.keys(records))
    hub.put(aManagedCluster(name, { labels: { site: label("site") } }));
  const repository = `registry.example.com/${"very-long-repository-name/".repeat(8)}release`;
  hub.put(aDigestMirrorSet(longName("mirrors"), [{ source: repository, mirrors: [`mirror.${repository}`] }]));
  const window = aWindow(longName("window"), {});
  hub.put({ ...window, metadata: { ...window.metadata, namespace: label("namespace") } });
  const hosted = aHostedCluster({ name: label("hosted") });
  hub.put(hosted);
  hub.put(
    aNodePool(label("pool"), {
      clusterName: hosted.metadata.name,
      replicas: 3,
      release: { image: `quay.io/openshift-release-dev/ocp-release:4.20.4-multi` },
    }),
  );
  return hub;
}
