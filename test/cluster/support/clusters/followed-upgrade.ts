import { readFile } from "node:fs/promises";
import { Agent, request } from "undici";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { type Run, runOf } from "#shared/domain/precache-model/work-identity.ts";
import type { progressKeys } from "#shared/domain/precache-start/work/workload-contract.ts";
import { replaceStatus } from "../manifests/apply-manifests.ts";
import { upgradeTable } from "../observe/raw-get.ts";
import { untilObject } from "../observe/until.ts";
import type { TestCluster, TestHub } from "./cluster.ts";
import { tokenFor } from "./service-account.ts";

/** The state of each cluster, as in `status.precaching.status`. */
export const statesOf = ({ status }: KubernetesObject): Readonly<Record<string, string>> =>
  Object(status).precaching?.status ?? {};

/** Follows one ClusterGroupUpgrade of a hub as a person does. */
export function followUpgrade(
  server: TestHub,
  hub: KubernetesHub,
  identity: Readonly<{ name: string; namespace: string }>,
) {
  const { name, namespace } = identity;
  return {
    /** Returns the upgrade as soon as the states of its clusters are as expected. */
    until: (isWanted: (states: Readonly<Record<string, string>>) => boolean): Promise<KubernetesObject> =>
      untilObject(hub, kinds.ClusterGroupUpgrade, identity, (cgu) => isWanted(statesOf(cgu))),

    /** Returns the record of a cluster in the upgrade's report as soon as it is as expected. */
    async untilRecord(
      cluster: string,
      isWanted: (record: Readonly<Record<string, unknown>>) => boolean,
    ): Promise<unknown> {
      const [report] = await hub.list(kinds.PreCachingReport, { namespace });
      const recordIn = (object: KubernetesObject) => Object(object.clusters)[cluster] ?? {};
      const found = await untilObject(
        hub,
        kinds.PreCachingReport,
        { name: report?.metadata.name ?? "", namespace },
        (object) => isWanted(recordIn(object)),
      );
      return recordIn(found);
    },

    /** Returns the state and the details of `oc get cgu`. */
    async shown(): Promise<readonly unknown[]> {
      const { rows } = await upgradeTable(server.api, namespace);
      return rows.flatMap((cells) => cells.slice(2));
    },

    /** Returns each condition as a line, in their order. */
    async conditions(): Promise<readonly string[]> {
      const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, namespace);
      const found: readonly Readonly<Record<string, string>>[] = Object(cgu?.status).conditions;
      return found.map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`);
    },

    /** Returns the current run of a cluster on the hub. */
    async runFor(cluster: string): Promise<Run> {
      const works = await hub.list(kinds.ManifestWork, { namespace: cluster });
      const run = works[0] && runOf(works[0]);
      if (!run || works.length !== 1) throw new Error(`${cluster} has ${works.length} ManifestWorks`);
      return run;
    },
  };
}

const account = { namespace: "openshift-talo-pre-cache", name: "pre-cache-agent" };

/** Access to a managed cluster's API with the permissions of the workload that pulls the images. */
export type Workload = AsyncDisposable &
  Readonly<{
    /** Reports its progress, with the request of `infra/precache-workload/progress.sh`. Returns the HTTP status. */
    report(configMap: string, data: Partial<Record<(typeof progressKeys)[number], string>>): Promise<number>;
    /** Returns the HTTP status of a read. */
    get(path: string): Promise<number>;
  }>;

/** Returns the workload of the current run on this cluster: its account is removed with the run. */
export async function workloadOn({ server, api, certificates }: TestCluster): Promise<Workload> {
  const token = await tokenFor(api, account);
  const dispatcher = new Agent({ connect: { ca: await readFile(certificates.authority) } });
  const headers = { authorization: `Bearer ${token}` };
  const statusOf = async (response: ReturnType<typeof request>): Promise<number> => {
    const { statusCode, body } = await response;
    await body.dump();
    return statusCode;
  };
  return {
    report: (configMap, data) =>
      statusOf(
        request(`${server}/api/v1/namespaces/${account.namespace}/configmaps/${configMap}`, {
          dispatcher,
          method: "PATCH",
          headers: { ...headers, "content-type": "application/merge-patch+json" },
          body: JSON.stringify({ data }),
        }),
      ),
    get: (path) => statusOf(request(`${server}${path}`, { dispatcher, headers })),
    [Symbol.asyncDispose]: () => dispatcher.close(),
  };
}

const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);

/** What a cluster writes about itself at any time, independent of the cause. */
const records: ReadonlySet<string> = new Set(["events", "leases"]);

/** `/api/v1`, and `/apis/GROUP/VERSION` of every group in the version that the server prefers. */
async function groupPaths({ api }: TestCluster): Promise<readonly string[]> {
  const response = await api.send({ what: "discover the groups", method: "GET", path: "/apis" });
  const groups = listOf(isRecord(response) ? response.groups : undefined);
  const preferred = groups.flatMap(({ preferredVersion }) =>
    isRecord(preferredVersion) ? [`/apis/${String(preferredVersion.groupVersion)}`] : [],
  );
  return ["/api/v1", ...preferred];
}

/**
 * Lists every object of every kind that the cluster serves, as `RESOURCE.GROUP/VERSION NAMESPACE/NAME`, except Events
 * and Leases.
 */
export async function everythingOn(cluster: TestCluster): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const path of await groupPaths(cluster)) {
    const response = await cluster.api.send({ what: `discover ${path}`, method: "GET", path });
    const resources = listOf(isRecord(response) ? response.resources : undefined).filter(
      ({ name, verbs }) =>
        Array.isArray(verbs) &&
        verbs.includes("list") &&
        !String(name).includes("/") &&
        !records.has(String(name)),
    );
    for (const { name } of resources) {
      const list = await cluster.api.send({ what: `list ${name}`, method: "GET", path: `${path}/${name}` });
      for (const { metadata } of listOf(isRecord(list) ? list.items : undefined))
        if (isRecord(metadata))
          found.add(`${path.replace(/^\/apis?\//, "")} ${name} ${metadata.namespace ?? ""}/${metadata.name}`);
    }
  }
  return found;
}

export const jobKind: Kind = { apiVersion: "batch/v1", kind: "Job", plural: "jobs", namespaced: true };
const podKind: Kind = { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true };

/**
 * Ends the current pods of a Job, as the kubelet of their node would report it; waits until the Job has pods. The
 * cluster's real job controller decides about the Job: by `backoffLimit` a failed pod is replaced.
 */
export async function endPodsOf(
  { admin, api }: TestCluster,
  job: Readonly<{ namespace: string; name: string }>,
  phase: "Succeeded" | "Failed",
): Promise<void> {
  const hub = kubernetesHub(admin.kubeConfig, { userAgent: "kubelet" });
  try {
    await untilObject(hub, jobKind, job, ({ status }) => Object(status).active > 0);
    const labels = { "batch.kubernetes.io/job-name": job.name };
    const pods = await hub.list(podKind, { namespace: job.namespace, labels });
    for (const pod of pods.filter(({ status }) => Object(status).phase === "Pending")) {
      const [container] = Object(pod.spec).containers;
      const { name, image } = container;
      const state = { terminated: { exitCode: phase === "Succeeded" ? 0 : 1 } };
      const containerStatuses = [{ name, image, imageID: "", ready: false, restartCount: 0, state }];
      await replaceStatus(api, { ...pod, status: { ...Object(pod.status), phase, containerStatuses } });
    }
  } finally {
    hub.close();
  }
}
