import { type MemoryHub, memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { aFleet } from "../../support/console/console-snapshots.ts";
import { aNodePool } from "../../support/hosted-clusters/node-pools.ts";
import { aDigestMirrorSet } from "../../support/hub/objects.ts";
import { aManagedCluster } from "../../support/precache/precache-plan-objects.ts";
import { aWindow } from "../../support/precache/precache-windows.ts";
import { records } from "./example-console.ts";

/* A hub on which pages look otherwise than on a usual day. */

/** As long as the API server permits. */
const longest = (start: string, length: number) => start.padEnd(length, "-of-the-northern-region");
const label = (start: string) => longest(start, 63).replace(/-$/, "0");
const longName = (start: string) => longest(start, 253).replace(/-$/, "0");

/** Returns a hub whose objects have names as long as they may be. */
export async function longNamesHub(): Promise<MemoryHub> {
  const hub = memoryHub({ id: `https://api.${label("hub")}.example.com:6443`, now: () => new Date() });
  const fleet = Object.fromEntries(Object.entries(records).map(([name, record]) => [label(name), record]));
  const annotations = { "hubrelay.dev/site-label": "site" };
  for (const object of aFleet(fleet, { name: longName("upgrade"), annotations })) hub.put(object);
  for (const name of Object.keys(fleet)) hub.put(aManagedCluster(name, { labels: { site: label("site") } }));
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
