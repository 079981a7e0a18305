import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type MemoryHub, memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { encodeOverrides } from "#shared/domain/hosted-clusters/overrides/environment-text.ts";
import { overridesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hub-overrides.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { startConsole } from "../../../console/server/start-console.ts";
import { aFleet, type FleetRecords } from "../../support/console/console-snapshots.ts";
import { controlPlaneOf } from "../../support/hosted-clusters/hosted-cluster-hub.ts";
import { aManagedCluster } from "../../support/precache/precache-plan-objects.ts";

const examples = fileURLToPath(new URL("../../../examples/fleet", import.meta.url));

/** Returns the objects of the examples. */
export async function exampleObjects(): Promise<readonly KubernetesObject[]> {
  const names = (await readdir(examples)).filter((file) => file.endsWith(".yaml"));
  const files = await Promise.all(
    names.map(async (name) => readManifests(await readFile(join(examples, name), "utf8"), name)),
  );
  return files.flatMap(({ objects }) => objects.map(({ object }) => object));
}

/** Returns a hub with the mirrors, windows and pools of the examples, on which nothing runs. */
export async function exampleHub(): Promise<MemoryHub> {
  const hub = memoryHub({ id: "https://api.hub.example.com:6443", now: () => new Date() });
  for (const object of await exampleObjects()) if (object.kind !== "ClusterGroupUpgrade") hub.put(object);
  return hub;
}

const failed = {
  state: "UnrecoverableError",
  reason: "PullFailed",
  message: "registry.example.com/release@sha256:0c7e: unauthorized: authentication required",
  attempt: 2,
  imagesDone: 12,
  imagesTotal: 190,
} as const;

export const records: FleetRecords = {
  "bergen-1": { state: "Succeeded", reason: "Succeeded" as never },
  "bergen-2": failed,
  "oslo-1": { imagesDone: 40, imagesTotal: 190 },
  "oslo-2": { state: "Starting", reason: "ClusterNotReached", message: "Its agent is offline." },
  "tromso-1": undefined,
};

/** Puts a fleet at three sites on the hub, or changes it. */
export function putFleet(hub: MemoryHub, of: FleetRecords = records): void {
  const fleet = aFleet(of, { annotations: { "hubrelay.dev/site-label": "site" } });
  const clusters = Object.keys(of).map((name) =>
    aManagedCluster(name, { labels: { site: name.split("-")[0] ?? "" } }),
  );
  for (const object of [...fleet, ...clusters]) hub.put(object);
}

/**
 * Puts the control plane of the examples' hosted cluster on the hub, as HyperShift's operators would have written it
 * before these fields of it changed.
 */
export function putControlPlane(hub: MemoryHub, earlier: Readonly<Record<string, unknown>> = {}): void {
  const billing = hub.find(kinds.HostedCluster, "billing", "clusters");
  if (!billing) throw new Error("the examples have no hosted cluster billing");
  const { overrides } = overridesLikeHypershift(mirrorRuleKinds.flatMap((kind) => hub.all(kind)));
  const { imageContentSources } = Object(billing.spec);
  const [controlPlane, operator] = controlPlaneOf(billing, {
    overrides: encodeOverrides(overrides),
    fields: { imageContentSources, ...earlier },
  });
  if (!controlPlane || !operator) throw new Error("no control plane");
  const { annotations } = billing.metadata;
  const metadata = {
    ...controlPlane.metadata,
    annotations: { ...controlPlane.metadata.annotations, ...annotations },
  };
  for (const object of [{ ...controlPlane, metadata }, operator]) hub.put(object);
}

/** Serves pages about a hub until the test ends, as of the present or of another time. Returns their address. */
export async function serve(hub: Pick<Hub, "id" | "get" | "watch">, now?: () => Date) {
  const running = await startConsole({ hub, address: "127.0.0.1", port: 0, ...(now ? { now } : {}) });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await running.close();
    isClosed = true;
  };
  onTestFinished(close);
  return { url: running.url, close };
}
