/* Where HyperShift keeps what this function reads and writes, in the namespace of a control plane. */

export const pullSecretName = "pull-secret";
export const pullSecretField = ".dockerconfigjson";
export const kubeconfigName = "admin-kubeconfig";
/** That of HyperShift's operator for the guest, whom the guest's admission policies let write. */
export const operatorKubeconfigName = "hcco-kubeconfig";
/** The guest's admission policy that keeps all others from writing mirrors. */
export const mirrorPolicyName = "mirror";
export const kubeconfigField = "kubeconfig";
/** The authorities that a hosted cluster trusts beside the usual ones. */
export const trustBundleName = "user-ca-bundle";
export const trustBundleField = "ca-bundle.crt";
export const controlPlaneOperator = "control-plane-operator";
export const overridesVariable = "OPENSHIFT_IMG_OVERRIDES";
export const ignitionConfigName = "ignition-config-40-image-content-source";

/** The Deployment of HyperShift's own operator. */
export const hypershiftOperator = { namespace: "hypershift", name: "operator" } as const;

/** Whether the management cluster has ImageStreams. */
export const imageStreamService = "v1.image.openshift.io";

/** What the management cluster's own nodes are told of registries, and where its authorities are. */
export const imageConfigName = "cluster";
export const imageConfigNamespace = "openshift-config";
