/** What hubrelay needs at least; docs/deploy-kubernetes.md has the same. */
export const minimumVersions = {
  /** The first with ValidatingAdmissionPolicies of version v1. */
  kubernetes: "1.30",
  /** The release with that Kubernetes is 4.17. */
  openShift: "4.17",
  /** The first whose fallback may keep the number of pods. */
  keda: "2.17",
  /** The version of the module open-cluster-management.io/api: feedback, conditions and deletion of ManifestWorks. */
  ocm: "1.0.0",
} as const;
