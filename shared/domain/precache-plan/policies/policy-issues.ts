import { imageProblem } from "../../images/image-name.ts";
import { fieldIssue, fieldWarning, type Issue, type Problem, wrongType } from "../../issues/issue.ts";
import {
  fieldsOf,
  listOf,
  ownValue,
  someOf,
  textOf,
  type UnknownRecord,
} from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { isVersion } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import { copyName, hasHubTemplate, type ManagedPolicies, rootPolicyLabel } from "./managed-policies.ts";
import { isClusterVersion } from "./platform-image.ts";
import { inspectPolicy, isUsable, objectsIn } from "./policy-objects.ts";
import { isOperatorKind } from "./policy-software.ts";

/** Returns the place, value and remedy of the issue about managed policies that prevent planning. */
export function unusablePolicies({
  missing,
  invalid,
  ambiguous,
}: ManagedPolicies): Pick<Issue, "path" | "value" | "remedy"> {
  const path = "spec.managedPolicies";
  const several = Object.keys(ambiguous);
  if (several.length > 0)
    return {
      path,
      value: several,
      remedy: "Rename all but one of each: policies are referenced only by name.",
    };
  if (invalid.length > 0)
    return {
      path,
      value: invalid,
      remedy: "Correct these policies; the issues of each policy are reported separately.",
    };
  return {
    path,
    value: missing,
    remedy: "Name policies that exist, are not disabled, and are bound to a selected cluster.",
  };
}

/** The hub sets this annotation on an object in a policy's copy. The value is an error in the object's templates. */
const templateError = "policy.open-cluster-management.io/hub-templates-error";

function unresolvedText(copies: readonly KubernetesObject[]): string {
  const unresolved = copies.filter(hasHubTemplate);
  const errors = unresolved.flatMap(({ spec }) =>
    listOf(fieldsOf(spec)["policy-templates"]).flatMap((template) => {
      const { metadata } = fieldsOf(fieldsOf(template).objectDefinition);
      return textOf(ownValue(fieldsOf(fieldsOf(metadata).annotations), templateError)) ?? [];
    }),
  );
  const clusters = someOf(unresolved.map(({ metadata }) => metadata.namespace ?? ""));
  const why = errors.length > 0 ? sentence`: ${someOf([...new Set(errors)])}` : "";
  return sentence`The hub did not resolve its hub templates for ${clusters}${why}.`;
}

/** Returns an issue with the problem of each invalid policy. TALM reports only that a policy is invalid. */
export function invalidPolicyIssues(
  { invalid }: ManagedPolicies,
  policies: readonly KubernetesObject[],
): readonly Issue[] {
  const roots = policies.filter(({ metadata }) => metadata.labels?.[rootPolicyLabel] === undefined);
  return invalid.flatMap((name) =>
    roots
      .filter(({ metadata }) => metadata.name === name)
      .map((policy): Issue => {
        const { path, message } = inspectPolicy(policy.spec).problem ?? {
          path: "spec.policy-templates",
          message: unresolvedText(policies.filter(({ metadata }) => metadata.name === copyName(policy))),
        };
        return fieldIssue(policy, path, undefined, {
          code: "PolicyInvalid",
          message,
          remedy: "Correct it there, or take the policy out of spec.managedPolicies.",
        });
      }),
  );
}

/** Returns TALM's message if a policy depends on a later policy; undefined if the order is valid. */
export function dependencyProblem(policies: readonly KubernetesObject[]): string | undefined {
  const placeOf = (name: unknown, namespace: unknown): number =>
    policies.findIndex(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  for (const [place, { metadata, spec }] of policies.entries()) {
    for (const dependency of listOf(fieldsOf(spec).dependencies)) {
      const { name, namespace } = fieldsOf(dependency);
      if (placeOf(name, namespace) > place)
        return sentence`Managed Policy ${metadata.name} depends on ${String(name)}, which is to be remediated later`;
    }
  }
  return undefined;
}

const valueAt = (spec: unknown, path: string): unknown =>
  path.split(".").reduce((inner, step) => ownValue(fieldsOf(inner), step), spec);

/** These make kubelets verify pre-cached images. Source: github.com/kubernetes/kubelet, config/v1beta1/types.go. */
const verifying = new Set<unknown>(["AlwaysVerify", "NeverVerifyAllowlistedImages"]);

/** Returns a warning for each KubeletConfig that makes kubelets ask the registry before they use a pre-cached image. */
export function verifiedPullIssues(policies: readonly KubernetesObject[]): readonly Issue[] {
  return objectsIn(policies).flatMap(({ policy, object, specPath }): readonly Issue[] => {
    const field = "kubeletConfig.imagePullCredentialsVerificationPolicy";
    const value = valueAt(object.spec, field);
    if (object.kind !== "KubeletConfig" || !verifying.has(value)) return [];
    return [
      fieldWarning(policy, `${specPath}.${field}`, value, {
        code: "PrecachedImagesVerified",
        message: sentence`With ${String(value)} the kubelet asks the registry whether a pod may use an image that was pre-cached, so that the upgrade still needs the registry.`,
        remedy:
          "Use NeverVerifyPreloadedImages, the default, or keep the registry in reach during the upgrade.",
      }),
    ];
  });
}

type Check = (text: string) => Problem | undefined;

const reference: Check = (text) => {
  const problem = imageProblem(text);
  return problem && { code: "InvalidReference", ...problem };
};
const version: Check = (text) =>
  isVersion(text)
    ? undefined
    : {
        code: "InvalidVersion",
        message: sentence`${text} is not a version of OpenShift.`,
        remedy: "Write it like 4.20.4.",
      };

function issuesOf(
  policies: readonly KubernetesObject[],
  isMeant: (object: UnknownRecord) => boolean,
  checks: Readonly<Record<string, Check>>,
): readonly Issue[] {
  return objectsIn(policies)
    .filter(({ object }) => isMeant(object))
    .flatMap(({ policy, object, specPath }) =>
      Object.entries(checks).flatMap(([field, check]): readonly Issue[] => {
        const value = valueAt(object.spec, field) ?? "";
        const path = `${specPath}.${field}`;
        if (typeof value !== "string") return [wrongType(policy, path, value, "a text")];
        const problem = isUsable(value) ? check(value) : undefined;
        return problem ? [fieldIssue(policy, path, value, problem)] : [];
      }),
    );
}

/** Returns an error for each invalid release image or version of a ClusterVersion in these policies. */
export const releaseValueIssues = (policies: readonly KubernetesObject[]): readonly Issue[] =>
  issuesOf(policies, isClusterVersion, {
    "desiredUpdate.image": reference,
    "desiredUpdate.version": version,
  });

/** Returns an error for each invalid image of a CatalogSource in these policies. */
export const catalogValueIssues = (policies: readonly KubernetesObject[]): readonly Issue[] =>
  issuesOf(policies, (object) => isOperatorKind(object, "CatalogSource"), { image: reference });
