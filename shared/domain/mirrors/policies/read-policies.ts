import { knownFields, readField } from "../../issues/field.ts";
import { fieldIssue, fieldWarning, type Issue } from "../../issues/issue.ts";
import { nameIssues } from "../../issues/object-name.ts";
import { unknownFields } from "../../issues/unknown-fields.ts";
import {
  byNamespaceAndName,
  isOfAnyVersion,
  type Kind,
  type KubernetesObject,
  kinds,
} from "../../kubernetes/object.ts";
import type { ClusterReleases } from "../../openshift/releases/cluster-releases.ts";
import {
  type OperatorForm,
  oldestRelease,
  operatorForm,
} from "../../openshift/releases/machine-config-operator.ts";
import { releaseText } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import type { Refusing } from "../input/validate-rules.ts";
import { type PolicyScope, policyProblem } from "./policy-field.ts";
import type { Requirement, SigstoreRequirement } from "./policy-json.ts";
import { imagePolicySpec } from "./policy-spec.ts";

/** A ClusterImagePolicy or ImagePolicy that can be rendered. */
export type ImagePolicy = Readonly<{
  object: KubernetesObject;
  scopes: readonly PolicyScope[];
  requirement: Requirement;
}>;

/** One scope of a signature policy, with the policy's requirement. */
export type ScopedPolicy = Readonly<{ policy: ImagePolicy; at: PolicyScope; requirement: Requirement }>;

/** The policy scopes that take effect. A cluster-wide scope takes precedence over the scope of a namespace. */
export type ScopedPolicies = Readonly<{
  cluster: readonly ScopedPolicy[];
  namespaced: readonly ScopedPolicy[];
  issues: readonly Issue[];
}>;

type SignedPolicy = ImagePolicy & Readonly<{ requirement: SigstoreRequirement }>;

const specFields = knownFields(imagePolicySpec.definition, "spec");
const typePath = "spec.policy.rootOfTrust.policyType";
const noPki = policyProblem(
  typePath,
  "must be PublicKey or FulcioCAWithRekor: releases before 4.19 do not know PKI",
  "error",
);

/** Reads one policy. `policy` is undefined if the name is invalid or the requirement is unreadable. */
export function readImagePolicy(
  object: KubernetesObject,
  refusing: Refusing,
  readsPki = true,
): Readonly<{
  policy: SignedPolicy | undefined;
  issues: readonly Issue[];
}> {
  // The namespace becomes part of a path on the node, and an invalid namespace cannot have pods.
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

export type ImagePolicies = Readonly<{
  cluster: readonly ImagePolicy[];
  namespaced: readonly ImagePolicy[];
  issues: readonly Issue[];
}>;

/** The settings for reading image policies. */
export type PolicyReading = Readonly<{
  refusing: Refusing;
  releases: ClusterReleases;
  form: OperatorForm;
}>;

function otherVersion(
  object: KubernetesObject,
  { refusing, releases }: PolicyReading,
  served: ReadonlySet<string>,
): Issue {
  const remedy = sentence`Write apiVersion: ${[...served].join(" or ")}`;
  const isOlder = releases.isAssumed && object.apiVersion === operatorForm(oldestRelease).policyVersion;
  return fieldIssue(object, "apiVersion", object.apiVersion, {
    code: "WrongApiVersion",
    ...(refusing === "operator"
      ? {
          severity: "warning",
          message: sentence`${object.kind} is not read as ${object.apiVersion}; images in its scopes would not be verified`,
        }
      : { message: sentence`${object.kind} is not read as ${object.apiVersion}` }),
    remedy: isOlder
      ? sentence`${remedy}, or name the release of the cluster if it is 4.19 or older: ${releaseText(releases.current)} is assumed.`
      : `${remedy}.`,
  });
}

function ignoredKind(object: KubernetesObject, { releases }: PolicyReading): Issue {
  return fieldWarning(object, "kind", object.kind, {
    code: "ImagePolicyNotRead",
    message: sentence`machine-config-operator of ${releaseText(releases.current)} reads no ImagePolicies: images in its scopes are not verified`,
    remedy: "Write a ClusterImagePolicy, or update the cluster to 4.18 or newer.",
  });
}

/**
 * Reads all ClusterImagePolicies and ImagePolicies, sorted by namespace and name: the requirements of equal scopes are
 * added in this order, so that the files do not depend on the order of the input.
 */
export function readImagePolicies(
  objects: readonly KubernetesObject[],
  reading: PolicyReading,
): ImagePolicies {
  const { refusing, releases, form } = reading;
  // During an update the API server may serve the API version of either release.
  const forms = [releases.current, ...releases.begun].map(operatorForm);
  const served = new Set<string>(forms.map(({ policyVersion }) => policyVersion));
  const readsPki = refusing === "operator" ? form.readsPki : forms.every((one) => one.readsPki);
  const issues: Issue[] = [];
  const readKind = (kind: Kind): readonly ImagePolicy[] => {
    // A ClusterImagePolicy of another project is not read: it is in another API group.
    const ofKind = objects.filter((candidate) => isOfAnyVersion(kind, candidate));
    for (const object of ofKind.filter(({ apiVersion }) => !served.has(apiVersion)))
      issues.push(otherVersion(object, reading, served));
    return ofKind
      .filter(({ apiVersion }) => served.has(apiVersion))
      .sort(byNamespaceAndName)
      .flatMap((object) => {
        const read = readImagePolicy(object, refusing, readsPki);
        for (const issue of read.issues) issues.push(issue);
        return read.policy ?? [];
      });
  };
  const cluster = readKind(kinds.ClusterImagePolicy);
  const ignored = form.namespaceIndent === undefined;
  const namespaced = ignored ? [] : readKind(kinds.ImagePolicy);
  if (ignored)
    for (const object of objects)
      if (isOfAnyVersion(kinds.ImagePolicy, object)) issues.push(ignoredKind(object, reading));
  return { cluster, namespaced, issues };
}
