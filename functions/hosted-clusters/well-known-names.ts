/* The names of what this function reads and writes in the namespace of a control plane. */

export const pullSecretName = "pull-secret";
export const pullSecretField = ".dockerconfigjson";
export const kubeconfigName = "admin-kubeconfig";
/** The guest kubeconfig of HyperShift's operator, whose writes the guest's admission policies allow. */
export const operatorKubeconfigName = "hcco-kubeconfig";
/** The guest's admission policy that refuses writes of mirrors from all others. */
export const mirrorPolicyName = "mirror";
export const kubeconfigField = "kubeconfig";
/** The authorities that a hosted cluster trusts in addition to the default ones. */
export const trustBundleName = "user-ca-bundle";
export const trustBundleField = "ca-bundle.crt";
export const controlPlaneOperator = "control-plane-operator";
export const overridesVariable = "OPENSHIFT_IMG_OVERRIDES";
export const ignitionConfigName = "ignition-config-40-image-content-source";

/** The Deployment of HyperShift's own operator. */
export const hypershiftOperator = { namespace: "hypershift", name: "operator" } as const;

/** The APIService that exists if the management cluster serves ImageStreams. */
export const imageStreamService = "v1.image.openshift.io";

/** The registry configuration of the management cluster's own nodes, and the namespace of its authorities. */
export const imageConfigName = "cluster";
export const imageConfigNamespace = "openshift-config";
