/* The names of what registry requests need: credentials, and whom to trust. */

/** The credentials of a cluster: its nodes' own, or those in the namespace of a hosted cluster's control plane. */
export const pullSecretName = "pull-secret";
export const pullSecretField = ".dockerconfigjson";
/** The authorities that a hosted cluster trusts in addition to the default ones. */
export const trustBundleName = "user-ca-bundle";
export const trustBundleField = "ca-bundle.crt";

/** The registry configuration of a cluster's nodes, and the namespace of their credentials and authorities. */
export const imageConfigName = "cluster";
export const imageConfigNamespace = "openshift-config";
