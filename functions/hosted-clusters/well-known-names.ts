import { hash } from "node:crypto";

/** The reporting component of this function's Kubernetes Events. */
export const eventComponent = "hubrelay-hosted-clusters";
export const functionLabels = { "hubrelay.dev/function": "hosted-clusters" } as const;

/** Returns the labels of Events about a hosted cluster. The key is hashed, because it may be too long for a label. */
export function eventLabels(key: string): Readonly<Record<string, string>> {
  const cluster = hash("sha256", key).slice(0, 16);
  return { ...functionLabels, "hubrelay.dev/hosted-cluster": cluster };
}

export const kubeconfigName = "admin-kubeconfig";
/** The Secret with the guest kubeconfig of HyperShift's operator, whose writes the guest's admission policies allow. */
export const operatorKubeconfigName = "hcco-kubeconfig";
/** The guest's admission policy that lets only HyperShift's operator write mirrors. */
export const mirrorPolicyName = "mirror";
export const kubeconfigField = "kubeconfig";
export const controlPlaneOperator = "control-plane-operator";
/** The Deployments to which the control-plane operator passes its registry overrides. */
export const overridesReaders = ["hosted-cluster-config-operator", "ignition-server"] as const;
export const overridesVariable = "OPENSHIFT_IMG_OVERRIDES";
export const ignitionConfigName = "ignition-config-40-image-content-source";

/** The Deployment of HyperShift's own operator. */
export const hypershiftOperator = { namespace: "hypershift", name: "operator" } as const;

/** The APIService that exists if the management cluster serves ImageStreams. */
export const imageStreamService = "v1.image.openshift.io";
