import type { ImageReference } from "../../images/image-reference.ts";
import { policyScopesOf } from "../pull/policy-verdict.ts";

/** The identity that a signature must have for an image. Keys in the order of the container library's JSON. */
export type SignedIdentity =
  | Readonly<{ type: "matchRepoDigestOrExact" | "matchRepository" }>
  | Readonly<{ type: "exactRepository"; dockerRepository: string }>
  | Readonly<{ type: "remapIdentity"; prefix: string; signedPrefix: string }>;

/** A sigstore signature. Data is base64 of PEM. Keys in the order of the container library's JSON. */
export type SigstoreRequirement = Readonly<{
  type: "sigstoreSigned";
  keyData?: string;
  fulcio?: Readonly<{ caData: string; oidcIssuer: string; subjectEmail: string }>;
  rekorPublicKeyData?: string;
  pki?: Readonly<{
    caRootsData: string;
    caIntermediatesData?: string;
    subjectEmail?: string;
    subjectHostname?: string;
  }>;
  signedIdentity: SignedIdentity;
}>;

/** One requirement of policy.json; an image must meet all requirements of its scope. */
export type Requirement =
  | Readonly<{ type: "reject" }>
  | Readonly<{ type: "insecureAcceptAnything" }>
  | SigstoreRequirement;

export const reject: Requirement = { type: "reject" };
export const acceptAnything: Requirement = { type: "insecureAcceptAnything" };

/** The requirements of policy.json: the default, and those of single scopes. */
export type SignaturePolicy = Readonly<{
  default: Requirement;
  scopes: ReadonlyMap<string, readonly Requirement[]>;
}>;

/** Adds requirements to those of a scope, if any. */
export function addRequirements(
  scopes: Map<string, readonly Requirement[]>,
  scope: string,
  requirements: readonly Requirement[],
): void {
  scopes.set(scope, [...(scopes.get(scope) ?? []), ...requirements]);
}

/** The requirements for an image, and the scope that has them; undefined for the default. */
type PolicyMatch = Readonly<{ scope: string | undefined; requirements: readonly Requirement[] }>;

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
