import type { ImageReference } from "../../images/image-reference.ts";
import { policyScopesOf } from "../pull/policy-verdict.ts";
import { type Requirement, reject, type SignaturePolicy } from "./requirement.ts";

/** The requirements for an image, and the scope that has them; undefined for the default. */
export type PolicyMatch = Readonly<{ scope: string | undefined; requirements: readonly Requirement[] }>;

/** Returns the requirements that the container runtime will find for an image in this policy. */
export function findPolicy(policy: SignaturePolicy, reference: ImageReference): PolicyMatch {
  for (const scope of policyScopesOf(reference)) {
    const requirements = policy.scopes.get(scope);
    if (requirements) return { scope, requirements };
  }
  return { scope: undefined, requirements: [policy.default] };
}

/** Returns the repositories whose images the container runtime will reject. */
export function rejectedRepositories(
  policy: SignaturePolicy,
  repositories: readonly string[],
): readonly string[] {
  return repositories.filter((repository) =>
    findPolicy(policy, { repository }).requirements.includes(reject),
  );
}
