import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import type { Kind } from "#shared/domain/kubernetes/object.ts";
import type { TestCluster } from "../clusters/cluster.ts";
import { replaceStatus } from "../manifests/apply-manifests.ts";
import { untilObject } from "../observe/until.ts";

export const jobKind: Kind = { apiVersion: "batch/v1", kind: "Job", plural: "jobs", namespaced: true };
const podKind: Kind = { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true };

/** How a pod ends, and the termination message of its container. */
export type PodEnd = Readonly<{ phase: "Succeeded" | "Failed"; exitCode?: number; message?: string }>;

/**
 * Ends the current pods of a Job, as the kubelet of their node would report it; waits until the Job has pods. The
 * cluster's real job controller decides about the Job: by `backoffLimit` a failed pod is replaced.
 */
export async function endPodsOf(
  { admin, api }: TestCluster,
  job: Readonly<{ namespace: string; name: string }>,
  { phase, exitCode = phase === "Succeeded" ? 0 : 1, message }: PodEnd,
): Promise<void> {
  const hub = kubernetesHub(admin.kubeConfig, { userAgent: "kubelet" });
  try {
    await untilObject(hub, jobKind, job, ({ status }) => Object(status).active > 0);
    const labels = { "batch.kubernetes.io/job-name": job.name };
    const pods = await hub.list(podKind, { namespace: job.namespace, labels });
    for (const pod of pods.filter(({ status }) => Object(status).phase === "Pending")) {
      const [container] = Object(pod.spec).containers;
      const terminated = { exitCode, ...(message ? { message } : {}) };
      const containerStatuses = [
        {
          name: container.name,
          image: container.image,
          imageID: "",
          ready: false,
          restartCount: 0,
          state: { terminated },
        },
      ];
      await replaceStatus(api, { ...pod, status: { ...Object(pod.status), phase, containerStatuses } });
    }
  } finally {
    hub.close();
  }
}
