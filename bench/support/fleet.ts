import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Watches } from "#shared/runtime/controller.ts";

const fleetLabel = "hubrelay.dev/bench";

/** The watches of the benchmark's function: every change of the status of a cluster's ManifestWork. */
export const fleetWatches: Watches = {
  name: "fleet",
  queue: "fleet",
  watches: [
    {
      kind: kinds.ManifestWork,
      selector: { withLabel: fleetLabel },
      fingerprint: ({ status }) => JSON.stringify(status),
      mapToKeys: ({ namespace = "" }) => [{ name: namespace }],
    },
  ],
};

const requestsAtOnce = 16;

/** Does the work for each item, some concurrently. */
export async function forAll<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const lane = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, lane));
}

function manifestWork(namespace: string): KubernetesObject {
  const { apiVersion, kind } = kinds.ManifestWork;
  const container = { name: "pre-cache", image: `registry.example.com/pre-cache@sha256:${"a".repeat(64)}` };
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "pre-cache", namespace: "openshift-talo-pre-cache" },
    spec: { template: { spec: { containers: [container], restartPolicy: "Never" } } },
  };
  return {
    apiVersion,
    kind,
    metadata: { name: "pre-cache", namespace, labels: { [fleetLabel]: "" } },
    spec: { workload: { manifests: [job] } },
  };
}

/** Returns the object with another status, as a work agent writes it. */
export function withProgress(work: KubernetesObject, images: number): KubernetesObject {
  const condition = {
    type: "Available",
    status: "False",
    reason: "Pulling",
    message: `${images} of 150 images`,
    lastTransitionTime: "2026-03-01T02:00:00Z",
  };
  return { ...work, status: { conditions: [condition] } };
}

/** Creates managed clusters: a namespace and a ManifestWork each. Returns the ManifestWorks as stored. */
export async function makeFleet(
  clusters: number,
  hub: Hub,
  api: Connection,
): Promise<readonly KubernetesObject[]> {
  const names = Array.from({ length: clusters }, (_, index) => `cluster-${String(index).padStart(5, "0")}`);
  const works: KubernetesObject[] = [];
  await forAll(names, async (name) => {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await api.send({ what: `create ${name}`, method: "POST", path: "/api/v1/namespaces", body });
    works.push(await hub.create(manifestWork(name)));
  });
  return works;
}
