import { fieldIssue, fieldWarning, type Issue } from "../../issues/issue.ts";
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
import { type ImagePolicy, readImagePolicy } from "./image-policy.ts";

export type ImagePolicies = Readonly<{
  cluster: readonly ImagePolicy[];
  namespaced: readonly ImagePolicy[];
  issues: readonly Issue[];
}>;

/** What decides how image policies are read. */
export type PolicyReading = Readonly<{
  refusing: Refusing;
  releases: ClusterReleases;
  /** The form of the operator that is reproduced. */
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
 * Reads all ClusterImagePolicies and ImagePolicies, by namespace and name: several policies of one scope add their
 * requirements in this order, so that the file does not depend on the order of the input.
 */
export function readImagePolicies(
  objects: readonly KubernetesObject[],
  reading: PolicyReading,
): ImagePolicies {
  const { refusing, releases, form } = reading;
  // During an update the API server may serve the version of either release.
  const forms = [releases.current, ...releases.begun].map(operatorForm);
  const served = new Set<string>(forms.map(({ policyVersion }) => policyVersion));
  const readsPki = refusing === "operator" ? form.readsPki : forms.every((one) => one.readsPki);
  const issues: Issue[] = [];
  const readKind = (kind: Kind): readonly ImagePolicy[] => {
    // Another project has a ClusterImagePolicy in an API group of its own, which is not affected.
    const ofKind = objects.filter((candidate) => isOfAnyVersion(kind, candidate));
    for (const object of ofKind.filter(({ apiVersion }) => !served.has(apiVersion))) {
      issues.push(otherVersion(object, reading, served));
      // The API server refuses the object as it is: what else is wrong with it shows at once.
      if (refusing !== "operator") issues.push(...readImagePolicy(object, refusing, readsPki).issues);
    }
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
