import type { MemoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { aFleet, type FleetRecords } from "../../support/console/console-snapshots.ts";
import { aNodePool } from "../../support/hosted-clusters/node-pools.ts";
import { aReadinessReport } from "../../support/ready/readiness-reports.ts";
import { exampleHub, putControlPlane, putFleet } from "./example-console.ts";

/** The time that the pictures show. */
export const shown = new Date("2026-03-03T22:20:00Z");
const ago = (minutes: number) => new Date(shown.getTime() - minutes * 60_000).toISOString();

const sites = ["bergen", "bodo", "molde", "oslo", "stavanger", "tromso", "trondheim"];
const total = { imagesTotal: 192, bytesTotal: 29_400_000_000 };
const pulled = (part: number) => ({
  ...total,
  imagesDone: Math.floor(total.imagesTotal * part),
  bytesDone: Math.floor(total.bytesTotal * part),
});
const failed = (reason: string, message: string, part: number) => ({
  ...{ state: "UnrecoverableError" as const, reason: reason as never, message, since: ago(40) },
  ...pulled(part),
});
const unauthorized = failed(
  "Unauthorized",
  "registry.hub.example.com:8443/apps/vran@sha256:7f83b165: unauthorized: authentication required",
  0.06,
);
const noSpace = failed("NoSpace", "the images need 9.4 GiB more than /var/lib/containers has", 0.6);
const offline = { state: "Starting" as const, reason: "ClusterNotReached" as const, since: ago(70) };
const ends: FleetRecords = {
  ...{ "bergen-2": unauthorized, "bergen-5": unauthorized, "bergen-6": unauthorized, "oslo-3": noSpace },
  ...{ "trondheim-4": offline, "oslo-8": offline },
};

/** Twelve clusters at each site: the first are done, four pull, and the rest wait. */
const fleet: FleetRecords = Object.fromEntries(
  sites.flatMap((site, row) =>
    Array.from({ length: 12 }, (_, index) => {
      const name = `${site}-${index + 1}`;
      const done = { state: "Succeeded", reason: "Succeeded", since: ago(90 - 9 * index), ...pulled(1) };
      const pulling = { since: ago(30), pullStart: { at: ago(29), bytes: 0 }, ...pulled(0.15 * (index - 4)) };
      const usual = index < 3 + (row % 3) ? done : index < 9 ? pulling : undefined;
      return [name, ends[name] ?? usual];
    }),
  ) as never,
);

/** An upgrade of another site, whose release and application mirrors lack in part. */
function unready(): readonly KubernetesObject[] {
  const clusters = Object.fromEntries(["narvik-1", "narvik-2", "narvik-3"].map((name) => [name, undefined]));
  const annotations = { "hubrelay.dev/require-ready": "true" };
  const [cgu] = aFleet(clusters, { name: "winter-4-20-4", annotations });
  const images = Array.from({ length: 25 }, (_, index) => [
    `quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:${String(index).padStart(2, "0").repeat(32)}`,
    index % 5 === 1 ? "missing" : "ready",
  ]);
  return cgu ? [cgu, aReadinessReport(cgu, Object.fromEntries(images), ago(5))] : [];
}

/** A node pool of the hosted cluster of the examples, with what HyperShift reports about it. */
function pool(name: string, problem?: string): KubernetesObject {
  const release = { image: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi" };
  const ready = { type: "Ready", status: problem ? "False" : "True", message: problem };
  return {
    ...aNodePool(name, { clusterName: "billing", replicas: 4, release }),
    status: { version: "4.20.4", replicas: 4, conditions: [ready] },
  };
}

/** Returns the hub of the examples, on which a fleet pulls, images are missing and a hosted cluster differs. */
export async function pictureHub(): Promise<MemoryHub> {
  const hub = await exampleHub();
  putFleet(hub, fleet);
  putControlPlane(hub, { imageContentSources: [] });
  const pools = [pool("workers"), pool("gpu", "1 of 4 nodes is not ready: billing-gpu-2")];
  for (const object of [...unready(), ...pools]) hub.put(object);
  return hub;
}
