import { knownFields, readField } from "../../issues/field.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { nameIssues } from "../../issues/object-name.ts";
import { unknownFields } from "../../issues/unknown-fields.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { Refusing } from "../input/validate-rules.ts";
import { policyProblem } from "./policy-field.ts";
import type { PolicyScope } from "./policy-scope.ts";
import { imagePolicySpec } from "./policy-spec.ts";
import type { Requirement, SigstoreRequirement } from "./requirement.ts";

/** A ClusterImagePolicy or ImagePolicy that can be rendered. */
export type ImagePolicy = Readonly<{
  object: KubernetesObject;
  scopes: readonly PolicyScope[];
  requirement: Requirement;
}>;

/** Such a policy as its object has it. */
type SignedPolicy = ImagePolicy & Readonly<{ requirement: SigstoreRequirement }>;

const specFields = knownFields(imagePolicySpec.definition, "spec");
const typePath = "spec.policy.rootOfTrust.policyType";
const noPki = policyProblem(
  typePath,
  "must be PublicKey or FulcioCAWithRekor: releases before 4.19 do not know PKI",
  "error",
);

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
  // The namespace becomes part of a path on the node, and no pod is in one that cannot exist.
  const invalidNames = nameIssues(object);
  if (invalidNames.length > 0) return { policy: undefined, issues: invalidNames };
  const { value, issues: found } = readField(
    object,
    "spec",
    object.spec,
    imagePolicySpec,
    (_, wanted, path) => policyProblem(path, sentence`must be ${wanted}`, "error"),
  );
  const issues = found.map(
    (issue): Issue =>
      refusing === "anyone" && issue.code === "InvalidImagePolicy" ? { ...issue, severity: "error" } : issue,
  );
  const trust = value?.policy?.rootOfTrust;
  if (trust?.pki && !readsPki) issues.push(fieldIssue(object, typePath, "PKI", noPki));
  const isWhole = !issues.some(
    ({ severity, path }) => severity === "error" && path.startsWith("spec.policy"),
  );
  const scopes = (value?.scopes ?? []).filter(
    ({ path }) => refusing === "operator" || issues.every((issue) => issue.path !== path),
  );
  const signedIdentity = value?.policy?.signedIdentity ?? { type: "matchRepoDigestOrExact" };
  const requirement = { type: "sigstoreSigned", ...trust, signedIdentity } as const;
  return {
    policy: isWhole && value ? { object, scopes, requirement } : undefined,
    issues: [...issues, ...unknownFields(object, specFields)],
  };
}
