import type { Issue } from "../../issues/issue.ts";
import { nameIssues } from "../../issues/object-name.ts";
import { type KnownFields, unknownFields } from "../../issues/unknown-fields.ts";
import { isRecord } from "../../json/values.ts";
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

function readScopes(fields: PolicyFields, value: unknown): readonly PolicyScope[] {
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
    if (!isPolicyScope(scope)) {
      fields.leaveToApiServer(path, scope, "must be host[:port][/path][:tag][@digest] or *.domain");
    }
    if (seen.has(scope)) fields.leaveToApiServer(path, scope, "must not be listed twice");
    seen.add(scope);
    return [{ scope, path }];
  });
}

/**
 * Reads one policy. Every problem that makes it unusable is an error; with `compat: "mco"` a problem that only the
 * API server would refuse is a warning. A result without a policy has at least one error. `readsPki` is false where
 * nodes and operator know no root of trust of the type PKI.
 */
export function readImagePolicy(
  object: KubernetesObject,
  compat: Compat,
  readsPki = true,
): Readonly<{ policy: SignedPolicy | undefined; issues: readonly Issue[] }> {
  // The namespace becomes part of a path on the node.
  const invalidNames = nameIssues(object);
  if (invalidNames.length > 0) return { policy: undefined, issues: invalidNames };
  const fields = new PolicyFields(object, compat);
  const spec = fields.record("spec", object.spec);
  const scopes = readScopes(fields, spec.scopes);
  const verification = fields.record("spec.policy", spec.policy);
  const trust = readTrust(fields, verification.rootOfTrust, readsPki);
  const identity = readIdentity(fields, verification.signedIdentity ?? undefined);
  const isUsable = isRecord(object.spec) && trust && identity && !fields.hasErrors;
  return {
    policy: isUsable
      ? { object, scopes, requirement: { type: "sigstoreSigned", ...trust, signedIdentity: identity } }
      : undefined,
    issues: [...fields.issues, ...unknownFields(object, knownFields)],
  };
}
