import type { ImageReference } from "../../images/image-reference.ts";
import { policyScopesOf } from "../pull/policy-verdict.ts";
import type { Requirement, SignaturePolicy } from "./requirement.ts";

/** What a policy demands of an image, and the scope that says so; undefined for the default. */
export type PolicyMatch = Readonly<{ scope: string | undefined; requirements: readonly Requirement[] }>;

/** Finds what applies to an image in a policy that is not written yet, as the container runtime will. */
export function findPolicy(policy: SignaturePolicy, reference: ImageReference): PolicyMatch {
  for (const scope of policyScopesOf(reference)) {
    const requirements = policy.scopes.get(scope);
    if (requirements) return { scope, requirements };
  }
  return { scope: undefined, requirements: [policy.default] };
}
