import type { Issue } from "../../issues/issue.ts";
import { nameIssues } from "../../issues/object-name.ts";
import { type KnownFields, unknownFields } from "../../issues/unknown-fields.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { Refusing } from "../input/validate-rules.ts";
import { PolicyFields } from "./policy-fields.ts";
import { isPolicyScope } from "./policy-scope.ts";
import type { Requirement, SigstoreRequirement } from "./requirement.ts";
import { readTrust } from "./root-of-trust.ts";
import { readIdentity } from "./signed-identity.ts";

/** One scope of a policy, with its path for messages. */
export type PolicyScope = Readonly<{ scope: string; path: string }>;

/** A ClusterImagePolicy or ImagePolicy that can be rendered. */
export type ImagePolicy = Readonly<{
  object: KubernetesObject;
  scopes: readonly PolicyScope[];
  requirement: Requirement;
}>;

/** Such a policy as its object has it. */
type SignedPolicy = ImagePolicy & Readonly<{ requirement: SigstoreRequirement }>;

const maxScopes = 256;

const knownFields: KnownFields = {
  spec: ["scopes", "policy"],
  "spec.policy": ["rootOfTrust", "signedIdentity"],
  "spec.policy.rootOfTrust": ["policyType", "publicKey", "fulcioCAWithRekor", "pki"],
  "spec.policy.rootOfTrust.publicKey": ["keyData", "rekorKeyData"],
  "spec.policy.rootOfTrust.fulcioCAWithRekor": ["fulcioCAData", "rekorKeyData", "fulcioSubject"],
  "spec.policy.rootOfTrust.fulcioCAWithRekor.fulcioSubject": ["oidcIssuer", "signedEmail"],
  "spec.policy.rootOfTrust.pki": ["caRootsData", "caIntermediatesData", "pkiCertificateSubject"],
  "spec.policy.rootOfTrust.pki.pkiCertificateSubject": ["email", "hostname"],
  "spec.policy.signedIdentity": ["matchPolicy", "exactRepository", "remapIdentity"],
  "spec.policy.signedIdentity.exactRepository": ["repository"],
  "spec.policy.signedIdentity.remapIdentity": ["prefix", "signedPrefix"],
};

function readScopes(fields: PolicyFields, value: unknown, refusing: Refusing): readonly PolicyScope[] {
  if (!Array.isArray(value)) {
    fields.refuse("spec.scopes", value, "must be a list of scopes");
    return [];
  }
  if (value.length > maxScopes) {
    fields.leaveToApiServer("spec.scopes", value.length, `must have at most ${maxScopes} scopes`);
  }
  const seen = new Set<unknown>();
  return value.flatMap((scope: unknown, index): PolicyScope[] => {
    const path = `spec.scopes[${index}]`;
    if (typeof scope !== "string" || scope === "") {
      fields.refuse(path, scope, "must be a scope: host[:port][/path][:tag][@digest] or *.domain");
      return [];
    }
    const isValid = isPolicyScope(scope);
    if (!isValid) {
      fields.leaveToApiServer(path, scope, "must be host[:port][/path][:tag][@digest] or *.domain");
    }
    const isRepeated = seen.has(scope);
    if (isRepeated) fields.leaveToApiServer(path, scope, "must not be listed twice");
    seen.add(scope);
    return refusing === "operator" || (isValid && !isRepeated) ? [{ scope, path }] : [];
  });
}

/**
 * Reads one policy, with all scopes that can be read if its requirement can. Every problem that makes a part of it
 * unusable is an error; for the operator alone a problem that only the API server would refuse is a warning. `readsPki` is
 * false where nodes and operator know no root of trust of the type PKI.
 */
export function readImagePolicy(
  object: KubernetesObject,
  refusing: Refusing,
  readsPki = true,
): Readonly<{
  policy: SignedPolicy | undefined;
  issues: readonly Issue[];
}> {
  const fields = new PolicyFields(object, refusing);
  const spec = fields.record("spec", object.spec);
  const scopes = readScopes(fields, spec.scopes, refusing);
  const ofRequirement = new PolicyFields(object, refusing);
  const verification = ofRequirement.record("spec.policy", spec.policy);
  const trust = readTrust(ofRequirement, verification.rootOfTrust, readsPki);
  const identity = readIdentity(ofRequirement, verification.signedIdentity ?? undefined);
  const requirement =
    trust && identity && !ofRequirement.hasErrors
      ? ({ type: "sigstoreSigned", ...trust, signedIdentity: identity } as const)
      : undefined;
  // The namespace becomes part of a path on the node, and no pod is in one that cannot exist.
  const invalidNames = nameIssues(object);
  if (invalidNames.length > 0) return { policy: undefined, issues: invalidNames };
  return {
    policy: requirement && { object, scopes, requirement },
    issues: [...fields.issues, ...ofRequirement.issues, ...unknownFields(object, knownFields)],
  };
}
