import { fieldIssue } from "../../issues/issue.ts";
import { fieldsOf } from "../../json/values.ts";
import type { ImagePolicy } from "../policies/image-policy.ts";
import type { Assembled } from "./assembled.ts";
import type { LintFinding } from "./lint-finding.ts";

const identity = "spec.policy.signedIdentity";
const refused = "a signature is refused when its name has neither tag nor digest, also for pulls by digest";

function needsTag({ object }: ImagePolicy): readonly LintFinding[] {
  const { signedIdentity } = fieldsOf(fieldsOf(object.spec).policy);
  const { matchPolicy } = fieldsOf(signedIdentity);
  const problem = { code: "SignatureNameNeedsTag", severity: "warning" } as const;
  if (matchPolicy === "RemapIdentity") {
    const issue = fieldIssue(object, `${identity}.matchPolicy`, matchPolicy, {
      ...problem,
      message: `with RemapIdentity ${refused}`,
      remedy:
        "Sign with the tag in the name (cosign: --sign-container-identity), or write matchPolicy ExactRepository with the signed repository, which needs no tag.",
    });
    return [{ about: "", issue }];
  }
  if ((signedIdentity ?? undefined) !== undefined) return [];
  const issue = fieldIssue(object, identity, null, {
    ...problem,
    message: `by default ${refused}`,
    remedy:
      "Write matchPolicy MatchRepository if the signer leaves the tag out, as cosign does, or MatchRepoDigestOrExact if it does not.",
  });
  return [{ about: "", issue }];
}

/**
 * Finds policies that require a tag or a digest in the name of a signature: the default and RemapIdentity do
 * (containers/image, policy_reference_match.go), and cosign writes neither unless configured otherwise. Another match
 * policy that is written out is intended.
 */
export function defaultIdentities({ policies }: Assembled): readonly LintFinding[] {
  return policies.flatMap(needsTag);
}
