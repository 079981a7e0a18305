import type { Issue } from "../../issues/issue.ts";
import { nameIssues } from "../../issues/object-name.ts";
import { type KnownFields, unknownFields } from "../../issues/unknown-fields.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { Compat } from "../input/validate-rules.ts";
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

/** What can be read of a policy whose requirement, or some of whose scopes, cannot. */
export type LeftOutPolicy = Readonly<{
  object: KubernetesObject;
  /** The scopes without a requirement. */
  scopes: readonly PolicyScope[];
  /** Other scopes cannot be read. */
  hasUnreadable: boolean;
}>;

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

type Scopes = Pick<LeftOutPolicy, "scopes" | "hasUnreadable">;

function readScopes(fields: PolicyFields, value: unknown, compat: Compat): Scopes {
  if (!Array.isArray(value)) {
    fields.refuse("spec.scopes", value, "must be a list of scopes");
    return { scopes: [], hasUnreadable: true };
  }
  if (value.length > maxScopes) {
    fields.leaveToApiServer("spec.scopes", value.length, `must have at most ${maxScopes} scopes`);
  }
  const seen = new Set<unknown>();
  let hasUnreadable = false;
  const scopes = value.flatMap((scope: unknown, index): PolicyScope[] => {
    const path = `spec.scopes[${index}]`;
    if (typeof scope !== "string" || scope === "") {
      fields.refuse(path, scope, "must be a scope: host[:port][/path][:tag][@digest] or *.domain");
      hasUnreadable = true;
      return [];
    }
    const isValid = isPolicyScope(scope);
    if (!isValid) {
      fields.leaveToApiServer(path, scope, "must be host[:port][/path][:tag][@digest] or *.domain");
      hasUnreadable = true;
    }
    const isRepeated = seen.has(scope);
    if (isRepeated) fields.leaveToApiServer(path, scope, "must not be listed twice");
    seen.add(scope);
    return compat === "mco" || (isValid && !isRepeated) ? [{ scope, path }] : [];
  });
  return { scopes, hasUnreadable };
}

/**
 * Reads one policy, with all scopes that can be read if its requirement can. Every problem that makes a part of it
 * unusable is an error; with `compat: "mco"` a problem that only the API server would refuse is a warning. `readsPki` is
 * false where nodes and operator know no root of trust of the type PKI.
 */
export function readImagePolicy(
  object: KubernetesObject,
  compat: Compat,
  readsPki = true,
): Readonly<{
  policy: SignedPolicy | undefined;
  leftOut: LeftOutPolicy | undefined;
  issues: readonly Issue[];
}> {
  const fields = new PolicyFields(object, compat);
  const spec = fields.record("spec", object.spec);
  const { scopes, hasUnreadable } = readScopes(fields, spec.scopes, compat);
  const ofRequirement = new PolicyFields(object, compat);
  const verification = ofRequirement.record("spec.policy", spec.policy);
  const trust = readTrust(ofRequirement, verification.rootOfTrust, readsPki);
  const identity = readIdentity(ofRequirement, verification.signedIdentity ?? undefined);
  const requirement =
    trust && identity && !ofRequirement.hasErrors
      ? ({ type: "sigstoreSigned", ...trust, signedIdentity: identity } as const)
      : undefined;
  // The namespace becomes part of a path on the node, and no pod is in one that cannot exist.
  const invalidNames = nameIssues(object);
  if (invalidNames.length > 0) {
    const isNowhere = invalidNames.some(({ path }) => path === "metadata.namespace");
    const leftOut = isNowhere ? undefined : { object, scopes, hasUnreadable };
    return { policy: undefined, leftOut, issues: invalidNames };
  }
  return {
    policy: requirement && { object, scopes, requirement },
    leftOut:
      requirement && !hasUnreadable
        ? undefined
        : { object, scopes: requirement ? [] : scopes, hasUnreadable },
    issues: [...fields.issues, ...ofRequirement.issues, ...unknownFields(object, knownFields)],
  };
}
