import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import { replaceStatus } from "./apply-manifests.ts";
import type { TestCluster } from "./cluster.ts";
import { untilObject } from "./until.ts";

export const jobKind: Kind = { apiVersion: "batch/v1", kind: "Job", plural: "jobs", namespaced: true };
const podKind: Kind = { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true };

/** How a pod ends, and what its container leaves as a message for whoever looks at the pod. */
export type PodEnd = Readonly<{ phase: "Succeeded" | "Failed"; exitCode?: number; message?: string }>;

/**
 * Ends the pods that a Job has now, as the kubelet of their node would report it; waits for the Job to have some. What
 * becomes of the Job is up to the cluster's real job controller: by `backoffLimit` a failed pod gets a successor.
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
