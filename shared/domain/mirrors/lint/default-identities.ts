import { fieldIssue } from "../../issues/issue.ts";
import { fieldsOf, isRecord } from "../../json/values.ts";
import type { ImagePolicy } from "../policies/image-policy.ts";
import type { Assembled } from "./assembled.ts";
import type { LintFinding } from "./lint-finding.ts";

function leavesIdentityOpen({ object: { spec } }: ImagePolicy): boolean {
  const policy = fieldsOf(spec).policy;
  return isRecord(policy) && (policy.signedIdentity ?? undefined) === undefined;
}

/**
 * Finds policies without a match policy. The default requires a name with a tag or a digest (containers/image,
 * matchRepoDigestOrExact), and cosign writes one without either unless configured otherwise: every signature is
 * then refused. An explicit match policy is intended.
 */
export function defaultIdentities({ policies }: Assembled): readonly LintFinding[] {
  return policies.filter(leavesIdentityOpen).map(({ object }) => ({
    about: "",
    issue: fieldIssue(object, "spec.policy.signedIdentity", null, {
      code: "SignatureNameNeedsTag",
      severity: "warning",
      message:
        "by default a signature is refused when its name has neither tag nor digest, also for pulls by digest",
      remedy:
        "Write matchPolicy MatchRepository if the signer leaves the tag out, as cosign does, or MatchRepoDigestOrExact if it does not.",
    }),
  }));
}
