import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";

/** A Pod on the hub, and the environment that a kubelet gives its containers. */
export type PodOfProcess = Readonly<{
  environment: Readonly<Record<string, string>>;
  /** Removes the Pod from the hub, as a kubelet does once its containers have ended. */
  remove(): Promise<void>;
}>;

/** Creates the Pod of a process that shares the Lease of a deployment. */
export async function aPodOfProcess(hub: Hub, name: string): Promise<PodOfProcess> {
  const { apiVersion, kind } = kinds.Pod;
  const namespace = "hubrelay";
  const pod: KubernetesObject = {
    apiVersion,
    kind,
    metadata: { namespace, name },
    spec: {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "hubrelay",
          image: "registry.lab/hubrelay:1",
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  };
  const { uid = "" } = (await hub.create(pod)).metadata;
  return {
    environment: {
      HUBRELAY_POD_NAMESPACE: namespace,
      HUBRELAY_POD_NAME: name,
      HUBRELAY_POD_UID: uid,
    },
    remove: () => hub.delete({ apiVersion, kind, namespace, name, uid }),
  };
}
