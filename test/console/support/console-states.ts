import { type MemoryHub, memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { aFleet, type FleetRecords } from "../../support/console/console-snapshots.ts";
import { aNodePool } from "../../support/hosted-clusters/node-pools.ts";
import { aDigestMirrorSet } from "../../support/hub/objects.ts";
import { aManagedCluster } from "../../support/precache/precache-plan-objects.ts";
import { aWindow } from "../../support/precache/precache-windows.ts";
import { exampleHub } from "./example-console.ts";

/* Hubs on which pages look otherwise than on a usual day. */

export type ConsoleHub = Pick<Hub, "id" | "get" | "watch">;

const since = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const pulledTotals = { imagesTotal: 190, bytesTotal: 29_400_000_000 };
const failures = [
  ["PullFailed", "registry.example.com/release@sha256:0c7e: unauthorized: authentication required"],
  ["NoSpace", "the images need 9.4 GiB more than /var/lib/containers has"],
  ["ImageNotFound", "registry.example.com/release@sha256:4d1f: manifest unknown"],
] as const;

/** What is known about a cluster of a large fleet by its number. */
function recordOf(index: number): FleetRecords[string] {
  const failure = failures[index % 97];
  if (failure) {
    const [reason, message] = failure;
    return {
      state: "UnrecoverableError",
      reason,
      message,
      since: since(30),
      attempt: 2,
      imagesDone: 12,
      ...pulledTotals,
    };
  }
  if (index % 151 === 5)
    return {
      state: "Starting",
      reason: "ClusterNotReached",
      message: "Its agent is offline.",
      since: since(40),
    };
  if (index % 10 < 6)
    return {
      state: "Succeeded",
      reason: "Completed",
      since: since(1 + (index % 83)),
      imagesDone: 190,
      ...pulledTotals,
    };
  const share = (index % 17) / 20;
  return index % 10 < 9
    ? {
        since: since(20),
        imagesDone: Math.floor(190 * share),
        bytesDone: Math.floor(29.4e9 * share),
        ...pulledTotals,
      }
    : undefined;
}

/** Returns a hub with a fleet of so many clusters at 70 sites. */
export async function largeHub(clusters = 3_500): Promise<MemoryHub> {
  const hub = await exampleHub();
  const names = Array.from({ length: clusters }, (_, index) => `edge-${String(index).padStart(4, "0")}`);
  const records = Object.fromEntries(names.map((name, index) => [name, recordOf(index)]));
  for (const object of aFleet(records, { annotations: { "hubrelay.dev/site-label": "site" } }))
    hub.put(object);
  for (const [index, name] of names.entries())
    hub.put(aManagedCluster(name, { labels: { site: `site-${String(index % 70).padStart(2, "0")}` } }));
  return hub;
}

/** As long as the API server permits. */
const longest = (start: string, length: number) => start.padEnd(length, "-of-the-northern-region");
const label = (start: string) => longest(start, 63).replace(/-$/, "0");
const longName = (start: string) => longest(start, 253).replace(/-$/, "0");

/** Returns a hub whose objects have names as long as they may be. */
export async function longNamesHub(): Promise<MemoryHub> {
  const hub = memoryHub({ id: `https://api.${label("hub")}.example.com:6443`, now: () => new Date() });
  const names = Array.from({ length: 6 }, (_, index) => label(`cluster${index}`));
  const records: FleetRecords = Object.fromEntries(names.map((name, index) => [name, recordOf(index)]));
  for (const object of aFleet(records, {
    name: longName("upgrade"),
    annotations: { "hubrelay.dev/site-label": "site" },
  }))
    hub.put(object);
  for (const name of names) hub.put(aManagedCluster(name, { labels: { site: label("site") } }));
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
