import { sentence } from "../../../credentials/redact.ts";
import { fieldIssue, type Issue } from "../../../issues/issue.ts";
import { fieldsOf } from "../../../json/values.ts";
import type { KubernetesObject } from "../../../kubernetes/object.ts";
import { policyObjects } from "./policy-objects.ts";

/**
 * The policies of a kubelet that verify images which it has not pulled itself: `imagePullCredentialsVerificationPolicy` in
 * github.com/kubernetes/kubelet, config/v1beta1/types.go.
 */
const verifying = new Set<unknown>(["AlwaysVerify", "NeverVerifyAllowlistedImages"]);

/** Returns a warning for each policy whose kubelets ask the registry for images that were pre-cached. */
export function verifiedPullIssues(policies: readonly KubernetesObject[]): readonly Issue[] {
  return policies.flatMap((policy): readonly Issue[] => {
    const read = policyObjects(policy.spec);
    const objects = read.ok ? read.objects.filter(({ kind }) => kind === "KubeletConfig") : [];
    const values = objects.map(
      ({ spec }) => fieldsOf(fieldsOf(spec).kubeletConfig).imagePullCredentialsVerificationPolicy,
    );
    const value = values.find((one) => verifying.has(one));
    if (value === undefined) return [];
    const field = "imagePullCredentialsVerificationPolicy";
    return [
      fieldIssue(policy, `spec.policy-templates: KubeletConfig spec.kubeletConfig.${field}`, value, {
        code: "PrecachedImagesVerified",
        severity: "warning",
        message: sentence`With ${String(value)} the kubelet asks the registry whether a pod may use an image that was pre-cached, so that the upgrade still needs the registry.`,
        remedy:
          "Use NeverVerifyPreloadedImages, the default, or keep the registry in reach during the upgrade.",
      }),
    ];
  });
}
