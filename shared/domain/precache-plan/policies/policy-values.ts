import { imageProblem } from "../../images/image-name.ts";
import { fieldIssue, type Issue, type Problem, wrongType } from "../../issues/issue.ts";
import { fieldsOf, ownValue, type UnknownRecord } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { isVersion } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import { isClusterVersion } from "./platform-image.ts";
import { isUsable, policyObjects } from "./policy-objects.ts";
import { isOperatorKind } from "./policy-software.ts";

/** Returns what is wrong with a text. */
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

const valueAt = (spec: unknown, path: string): unknown =>
  path.split(".").reduce((inner, step) => ownValue(fieldsOf(inner), step), spec);

/** Checks fields, by their paths in the spec. Templates are left to what replaces them: the cluster, or the hub. */
function issuesOf(
  policies: readonly KubernetesObject[],
  isMeant: (object: UnknownRecord) => boolean,
  checks: Readonly<Record<string, Check>>,
): readonly Issue[] {
  return policies.flatMap((policy) => {
    const read = policyObjects(policy.spec);
    const meant = read.ok ? read.objects.filter(({ object }) => isMeant(object)) : [];
    return meant.flatMap(({ object, specPath }) =>
      Object.entries(checks).flatMap(([field, check]): readonly Issue[] => {
        const value = valueAt(object.spec, field) ?? "";
        const path = `${specPath}.${field}`;
        if (typeof value !== "string") return [wrongType(policy, path, value, "a text")];
        const problem = isUsable(value) ? check(value) : undefined;
        return problem ? [fieldIssue(policy, path, value, problem)] : [];
      }),
    );
  });
}

/** Returns errors of ClusterVersions in policies that name no release image, or no version. */
export const releaseValueIssues = (policies: readonly KubernetesObject[]): readonly Issue[] =>
  issuesOf(policies, isClusterVersion, {
    "desiredUpdate.image": reference,
    "desiredUpdate.version": version,
  });

/** Returns errors of CatalogSources in policies whose image is none. */
export const catalogValueIssues = (policies: readonly KubernetesObject[]): readonly Issue[] =>
  issuesOf(policies, (object) => isOperatorKind(object, "CatalogSource"), { image: reference });
