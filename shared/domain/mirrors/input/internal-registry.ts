import { fieldsOf, isRecord, isStringList, textOf } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

const defaultHost = "image-registry.openshift-image-registry.svc:5000";

/**
 * Returns the host of the cluster's own image registry: that in the status of Image `cluster`, else OpenShift's.
 * Undefined where the cluster has no such registry, because the capability is disabled.
 */
export function internalRegistryOf(
  image: KubernetesObject | undefined,
  clusterVersion: KubernetesObject | undefined,
): string | undefined {
  const status = clusterVersion?.status;
  const capabilities = fieldsOf(fieldsOf(status).capabilities);
  const { enabledCapabilities: enabled } = capabilities;
  if (isStringList(enabled) && !enabled.includes("ImageRegistry")) return undefined;
  const host = isRecord(image?.status) ? textOf(image.status.internalRegistryHostname) : undefined;
  return host ?? defaultHost;
}
